/**
 * State of a data interval in the API's two letters: the fill for the destination's data, and the mark for the current work. `--` is blank:
 * outside of the schedule. All code that draws, counts or names intervals uses these.
 */
import type { components } from '../../api/schema.d.ts';

export type Code = components['schemas']['IntervalMap']['states'][number];

/** Codes in the API's order, the most urgent last; of several intervals in one spot, the most urgent is drawn. */
const NAMES: Readonly<Record<Code, string>> = {
  '--': 'not delivered, outside of the schedule',
  hi: 'delivered',
  xi: 'expired: the source no longer has its rows',
  ni: 'not delivered',
  si: 'out of date: rows were added after the delivery',
  np: 'missed while paused',
  hw: 'delivered, waiting for another run',
  nw: 'waiting for its run',
  sw: 'out of date, waiting for a run',
  hr: 'delivered, running again',
  nr: 'running',
  sr: 'out of date, running again',
  ht: 'delivered, the run after it failed, retrying',
  nt: 'failed, retrying',
  st: 'out of date, the run after it failed, retrying',
  hy: 'delivered, the run after it failed, needs you',
  ny: 'failed, needs you',
  sy: 'out of date, the run after it failed, needs you',
};

export const CODES = Object.keys(NAMES) as readonly Code[];

const indexByCode = new Map<string, number>(CODES.map((code, index) => [code, index]));

/** Index in `CODES`; an unknown code, of a newer server, counts as the most urgent. */
export const indexOfCode = (code: string): number => indexByCode.get(code) ?? CODES.length - 1;

export const nameOfCode = (code: Code): string => NAMES[code];
export const needsYou = (code: Code): boolean => code[1] === 'y';
/** Whether the destination holds a delivery of the interval. */
export const isHeld = (code: Code): boolean => code[0] === 'h' || code[0] === 's';
/** Whether the interval surely has a run: it was tried or delivered. */
export const hasRun = (code: Code): boolean => /^[hsx]|[rty]$/.test(code);
export const isUnderWay = (code: Code): boolean => code[1] === 'r' || code[1] === 'w';

/** Groups of codes that legends and labels count, in the order in which they are read. */
export const GROUPS = [
  { id: 'needs-you', example: 'ny', name: 'need you', one: 'needs you', holds: needsYou },
  { id: 'retrying', example: 'nt', name: 'retrying', one: 'retrying', holds: (code: Code) => code[1] === 't' },
  { id: 'running', example: 'nr', name: 'running', one: 'running', holds: (code: Code) => code[1] === 'r' },
  { id: 'waiting', example: 'nw', name: 'waiting', one: 'waiting', holds: (code: Code) => code[1] === 'w' },
  {
    id: 'paused',
    example: 'np',
    name: 'missed while paused',
    one: 'missed while paused',
    holds: (code: Code) => code[1] === 'p',
  },
  { id: 'stale', example: 'si', name: 'out of date', one: 'out of date', holds: (code: Code) => code === 'si' },
  { id: 'expired', example: 'xi', name: 'expired', one: 'expired', holds: (code: Code) => code === 'xi' },
  { id: 'none', example: 'ni', name: 'not delivered', one: 'not delivered', holds: (code: Code) => code === 'ni' },
  { id: 'held', example: 'hi', name: 'delivered', one: 'delivered', holds: (code: Code) => code === 'hi' },
] as const satisfies readonly {
  id: string;
  example: Code;
  name: string;
  one: string;
  holds: (code: Code) => boolean;
}[];

export type CodeGroup = (typeof GROUPS)[number];

/** @returns the counts of all groups that are not empty, in the order of `GROUPS` */
export function countGroups(counts: Iterable<readonly [Code, number]>): { group: CodeGroup; count: number }[] {
  const totals = new Map<CodeGroup, number>();
  for (const [code, count] of counts) {
    const group = GROUPS.find(({ holds }) => holds(code));
    if (group && count > 0) totals.set(group, (totals.get(group) ?? 0) + count);
  }
  return GROUPS.flatMap((group) => (totals.has(group) ? [{ group, count: totals.get(group)! }] : []));
}

/** @returns as `3 need you, 45 delivered` */
export function sumUp(codes: readonly Code[]): string {
  const counts = countGroups(codes.map((code) => [code, 1] as const));
  return counts.map(({ group, count }) => `${count} ${count === 1 ? group.one : group.name}`).join(', ') || 'none';
}
