import { useEffect, useState } from 'react';
import { Button } from './button.tsx';

type CopyProps = { text: string | (() => string | Promise<string>); children: string; kind?: 'plain' | 'quiet' };

/** Copies a text to the clipboard, and confirms it for two seconds. */
export function Copy({ text, children, kind = 'quiet' }: CopyProps) {
  const [outcome, setOutcome] = useState<'copied' | 'refused'>();
  useEffect(() => {
    if (!outcome) return undefined;
    const timer = setTimeout(() => setOutcome(undefined), 2000);
    return () => clearTimeout(timer);
  }, [outcome]);
  async function copy() {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : await text());
      setOutcome('copied');
    } catch {
      setOutcome('refused');
    }
  }
  const words = outcome === 'copied' ? 'Copied' : outcome === 'refused' ? 'The browser refused' : children;
  return (
    <Button kind={kind} onPress={() => void copy()}>
      <span aria-live="polite">{words}</span>
    </Button>
  );
}
