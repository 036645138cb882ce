/**
 * Keys that a page answers to, pressed anywhere on it. Single letters get in the way of some assistive technology and of dictation, so they
 * can be switched off; they are never taken from a field, a dialog or a combination with a modifier.
 */
import { useEffect, useRef } from 'react';

/** By the key as the browser names it, as `j` or `Escape`. `does` is for the list of keys. */
export type Keys = Readonly<Record<string, { does: string; run: (event: KeyboardEvent) => void }>>;

const SWITCH = 'sluice.single-letters';
const registered = new Set<{ readonly current: Keys }>();

/** Kept in this browser. */
export const areLettersOn = (): boolean => localStorage.getItem(SWITCH) !== 'off';
export const switchLetters = (isOn: boolean): void => localStorage.setItem(SWITCH, isOn ? 'on' : 'off');

/** @returns what each key does on the present page */
export function presentKeys(): { key: string; does: string }[] {
  return [...registered].flatMap(({ current }) => Object.entries(current).map(([key, { does }]) => ({ key, does })));
}

export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const found = Object.hasOwn(latest.current, event.key) ? latest.current[event.key] : undefined;
      if (!found || event.defaultPrevented || !isForThePage(event)) return;
      event.preventDefault();
      found.run(event);
    };
    registered.add(latest);
    addEventListener('keydown', onKeyDown);
    return () => {
      registered.delete(latest);
      removeEventListener('keydown', onKeyDown);
    };
  }, []);
}

const TYPING = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable=true]';

function isForThePage({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || (key.length === 1 && !areLettersOn())) return false;
  if (target instanceof Element && target.matches(TYPING)) return false;
  return document.querySelector('[role=dialog], [role=menu], [role=listbox]') === null;
}
