import { useState } from 'react';
import { textOf } from './operators.ts';

/** @returns the text of a value's input, and its setter. The text stays as typed, with blank lines, as long as `valueIn` gives the value for it. */
export function useTypedText(value: unknown, valueIn: (text: string) => unknown) {
  const [typed, setTyped] = useState('');
  const text = JSON.stringify(valueIn(typed)) === JSON.stringify(value) ? typed : textOf(value);
  return [text, setTyped] as const;
}
