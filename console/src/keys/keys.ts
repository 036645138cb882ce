/**
 * Keys that a page answers to, pressed anywhere on it. Single letters get in the way of some assistive technology and of dictation, so they
 * can be switched off; they are never taken from a field, a dialog or a combination with a modifier.
 */
import { useEffect, useRef } from 'react';

/** By the key as the browser names it, as `j` or `Escape`, or `g e` for one after the other. `does` is for the list of keys. */
export type Keys = Readonly<Record<string, { does: string; run: (event: KeyboardEvent) => void }>>;
export type PresentKey = { key: string; does: string; run: (event: KeyboardEvent) => void };

const SWITCH = 'sluice.single-letters';
const registered = new Set<{ readonly current: Keys }>();

/** Kept in this browser. */
export const areLettersOn = (): boolean => localStorage.getItem(SWITCH) !== 'off';
export const switchLetters = (isOn: boolean): void => localStorage.setItem(SWITCH, isOn ? 'on' : 'off');

/** @returns what each key does on the present page; where several answer to one, what comes first */
export function presentKeys(): PresentKey[] {
  const all = [...registered].flatMap(({ current }) => Object.entries(current).map(([key, one]) => ({ key, ...one })));
  return all.filter(({ key }, index) => all.findIndex((one) => one.key === key) === index);
}

const FIRST_OF_TWO = 'g';
const PAIR_MS = 1500;
let firstAt = -Infinity;
// Several pages listen to the same event.
let pressed: { event: KeyboardEvent; isSecond: boolean } | undefined;

/** @returns the name of a key that was pressed: of both, where it is the second of two */
function nameOf(event: KeyboardEvent): string {
  if (pressed?.event !== event) {
    pressed = { event, isSecond: event.timeStamp - firstAt < PAIR_MS };
    firstAt = event.key === FIRST_OF_TWO && !pressed.isSecond && isForThePage(event) ? event.timeStamp : -Infinity;
  }
  return pressed.isSecond ? `${FIRST_OF_TWO} ${event.key}` : event.key;
}

export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const name = nameOf(event);
      const found = Object.hasOwn(latest.current, name) ? latest.current[name] : undefined;
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
