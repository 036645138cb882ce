import { useEffect, useState, type ReactNode } from 'react';
import { asCurl } from '../api/curl.ts';
import { Button } from './button.tsx';
import { showNotice } from './notice.tsx';
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

/**
 * Copies a text to the clipboard. Browsers have `navigator.clipboard` in secure contexts only: not where an installation is reached over plain
 * HTTP by the name of another machine.
 * @throws Error if the browser refuses
 */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const before = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'visually-hidden';
  // An open dialog takes the focus back from everything outside of it.
  (before?.closest('[role=dialog]') ?? document.body).append(field);
  field.select();
  // No other way is left there, so browsers keep it.
  // oxlint-disable-next-line typescript/no-deprecated
  const isCopied = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  if (!isCopied) throw new Error('The browser refused to copy.');
}

/** Description of the key `c` in the list of keys. */
export const COPY_REQUEST = 'Copy the request of this page as curl';

/** @param path of a GET request */
export async function copyRequest(path: string): Promise<void> {
  try {
    await copyText(asCurl('GET', path));
    showNotice({ text: 'Copied. The command reads a key from $SLUICE_KEY.' });
  } catch {
    showNotice({ text: 'The browser refused to copy.' });
  }
}
