/**
 * Keyboard shortcuts of a page, pressed anywhere on it except in a field, in a dialog or with a modifier. Single letters get in the way of
 * some assistive technology and of dictation, so they can be switched off.
 */
import { useEffect, useRef } from 'react';

/** Actions by key: by the browser's name, such as `j` or `Escape`, or by a sequence of two, such as `g e`. */
export type Keys = Readonly<Record<string, Action>>;
/** `does`: words for the list of shortcuts. Without `run` the key is only listed, because the focused element handles it. */
type Action = { does: string; run?: (event: KeyboardEvent) => void };
export type PresentKey = Action & { key: string };

const SWITCH = 'sluice.single-letters';
type KeysRef = { readonly current: Keys };
const pageKeys = new Set<KeysRef>();
const globalKeys = new Set<KeysRef>();

/** Whether single letters are on; this browser stores the choice. */
export const areLettersOn = (): boolean => localStorage.getItem(SWITCH) !== 'off';
export const switchLetters = (isOn: boolean): void => localStorage.setItem(SWITCH, isOn ? 'on' : 'off');

/** @returns the action of each key on the present page; the page's own keys replace those of all pages */
export function presentKeys(): PresentKey[] {
  const all = [...pageKeys, ...globalKeys].flatMap(({ current }) =>
    Object.entries(current).map(([key, one]) => ({ key, ...one })),
  );
  return all.filter(({ key }, index) => all.findIndex((earlier) => earlier.key === key) === index);
}

const FIRST_OF_TWO = 'g';
const PAIR_MS = 1500;
let firstAt = -Infinity;

addEventListener('keydown', (event) => {
  if (event.defaultPrevented || !isPageKey(event)) return;
  const isSecond = event.timeStamp - firstAt < PAIR_MS;
  firstAt = !isSecond && event.key === FIRST_OF_TWO ? event.timeStamp : -Infinity;
  const name = isSecond ? `${FIRST_OF_TWO} ${event.key}` : event.key;
  const matchingKey = presentKeys().find(({ key }) => key === name);
  if (!matchingKey?.run) return;
  event.preventDefault();
  matchingKey.run(event);
});

/** @param options `onAllPages`: keys that every page has, unless it uses the key itself */
export function useKeys(keys: Keys, { onAllPages = false } = {}): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const registered = onAllPages ? globalKeys : pageKeys;
    registered.add(latest);
    return () => void registered.delete(latest);
  }, [onAllPages]);
}

const TYPING = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable=true]';

function isPageKey({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || (key.length === 1 && !areLettersOn())) return false;
  if (target instanceof Element && target.matches(TYPING)) return false;
  return document.querySelector('[role=dialog], [role=menu], [role=listbox]') === null;
}
