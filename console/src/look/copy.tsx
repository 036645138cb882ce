import { useEffect, useState, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { copyText } from './clipboard.ts';
import styles from './button.module.css';

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
      await copyText(typeof text === 'string' ? text : await text());
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

type CopyLineProps = { text: string; before?: string; children?: ReactNode };

/** A key, a password or a link in a frame, with a button that copies it, and the caller's buttons after it. */
export function CopyLine({ text, before, children }: CopyLineProps) {
  return (
    <div className={styles.copyLine}>
      {before !== undefined && <span>{before}</span>}
      <code className="id">{text}</code>
      <Copy text={text} kind="plain">
        Copy
      </Copy>
      {children}
    </div>
  );
}
