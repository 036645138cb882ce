import { useEffect, useRef, useState } from 'react';
import { useKeys } from '../keys/keys.ts';
import styles from './filters.module.css';

/** Long enough to search once per word, not once per letter. */
const PAUSE_MS = 250;
const NO_KEYS = {};

export type SearchFieldProps = {
  label: string;
  /** Value from the address; a change of the address replaces the typed text. */
  value: string;
  onChange: (value: string) => void;
  /** Whether the key `/` focuses the field. */
  isFirst?: boolean;
};

/** A filter by text, whose label is its placeholder. It is a plain `<input>`, because the library's component would be larger. */
export function SearchField({ label, value, onChange, isFirst = false }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const sentValue = useRef(value);
  const latest = useRef(onChange);
  const input = useRef<HTMLInputElement>(null);
  useKeys(isFirst ? { '/': { does: 'Filter the list', run: () => input.current?.focus() } } : NO_KEYS);
  useEffect(() => {
    latest.current = onChange;
  });
  useEffect(() => {
    if (value === sentValue.current) return;
    sentValue.current = value;
    setText(value);
  }, [value]);
  useEffect(() => {
    if (text === sentValue.current) return undefined;
    const timer = setTimeout(() => {
      sentValue.current = text;
      latest.current(text);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div className={styles.search}>
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        className={styles.searchInput}
        ref={input}
        value={text}
        onChange={(event) => setText(event.target.value)}
        // Some browsers do not clear the field on Escape.
        onKeyDown={(event) => event.key === 'Escape' && setText('')}
      />
    </div>
  );
}
