/**
 * State of a data interval in the API's two letters: the fill for the destination's data, and the mark for the current work. `--` is blank:
 * outside of the schedule. All code that draws, counts or names intervals uses these.
 */
import type { components } from '../../api/schema.d.ts';
import { quantity } from '../words/quantity.ts';

export type Code = components['schemas']['IntervalMap']['states'][number];

/** Codes in the API's order, the most urgent last; of several intervals in one spot, the most urgent is drawn. */
const NAMES: Readonly<Record<Code, string>> = {
  '--': 'not delivered, outside of the schedule',
  hi: 'delivered',
  xi: 'expired: the rows are no longer in the source',
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

/** Groups of codes that legends and labels count, in the order in which they are read: an example, and its words for several and for one. */
const GROUPS: readonly (readonly [example: Code, many: string, one?: string])[] = [
  ['ny', 'need you', 'needs you'],
  ['nt', 'retrying'],
  ['nr', 'running'],
  ['nw', 'waiting'],
  ['np', 'missed while paused'],
  ['si', 'out of date'],
  ['xi', 'expired'],
  ['ni', 'not delivered'],
  ['hi', 'delivered'],
  ['--', 'outside of the schedule'],
];

/** A mark counts with every fill. */
const groupOf = (code: Code): string => (code[1] === 'i' ? code : code[1]!);

/** @returns all groups that are not empty, in the order of `GROUPS`, such as `3 need you` */
export function countGroups(counts: Iterable<readonly [Code, number]>): { example: Code; words: string }[] {
  const totals = new Map<string, number>();
  for (const [code, count] of counts) totals.set(groupOf(code), (totals.get(groupOf(code)) ?? 0) + count);
  return GROUPS.flatMap(([example, many, one = many]) => {
    const count = totals.get(groupOf(example)) ?? 0;
    return count > 0 ? [{ example, words: quantity(count, one, many) }] : [];
  });
}

/** @returns as `3 need you, 45 delivered` */
export const sumUp = (codes: readonly Code[]): string =>
  countGroups(codes.map((code) => [code, 1] as const))
    .map(({ words }) => words)
    .join(', ');
