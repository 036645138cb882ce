import type { RefObject } from 'react';
import { useKeys } from './keys.ts';

/** Marks the elements of rows that take the focus. */
export const ROW = { 'data-row': '' } as const;

/** Keys that move between the rows of a list; Enter follows the link, or presses the button, that has the focus. */
export function useRowKeys(list: RefObject<HTMLElement | null>): void {
  function move(by: number) {
    const rows = [...(list.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
    const at = rows.findIndex((row) => row === document.activeElement);
    rows[at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + by))]?.focus();
  }
  useKeys({
    j: { does: 'Next row', run: () => move(1) },
    k: { does: 'Previous row', run: () => move(-1) },
  });
}
