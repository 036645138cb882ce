/**
 * State of a data interval as two letters. The first, its fill, says what the destination holds; the second, its mark, says what its runs
 * do. An interval that the export never had to deliver is blank.
 */

/** A delivered interval stays `h` when its source expires. */
export const FILLS = { n: 'none', h: 'held', s: 'stale', x: 'expired' } as const;
export const MARKS = { i: 'idle', w: 'waiting', r: 'running', t: 'retrying', y: 'needs you', p: 'paused' } as const;

/** Codes in the order of urgency, least urgent first; a bucket shows the last of its intervals' codes in this order. */
export const INTERVAL_CODES = [
  '--',
  'hi',
  'xi',
  'ni',
  'si',
  'np',
  'hw',
  'nw',
  'sw',
  'hr',
  'nr',
  'sr',
  'ht',
  'nt',
  'st',
  'hy',
  'ny',
  'sy',
] as const;
export type IntervalCode = (typeof INTERVAL_CODES)[number];

/** Facts about an interval, as bits: an interval has any number of them. */
export const FACTS = {
  /** The export should deliver the interval, because it ended after the export was created, and within the export's bounds. */
  offered: 1,
  /** The interval ended in a pause. */
  paused: 1 << 1,
  held: 1 << 2,
  stale: 1 << 3,
  /** Stale intervals of its export are delivered again automatically. */
  redelivered: 1 << 4,
  requested: 1 << 5,
  /**
   * Facts about the newest run. `open`: under way. `failing`: under way, after an attempt that failed. `failed`: failed for good. `retried`:
   * ended in a status that Sluice may retry. `ended`: ended in another way.
   */
  open: 1 << 6,
  failing: 1 << 7,
  failed: 1 << 8,
  retried: 1 << 9,
  ended: 1 << 10,
  unsettled: 1 << 11,
  gave_up: 1 << 12,
  /** The destination holds a delivery that this database did not make. */
  foreign: 1 << 13,
  /** Rows of the interval may be gone at the source, so no run can deliver it. */
  expired: 1 << 14,
} as const;
export type Fact = keyof typeof FACTS;

const {
  offered,
  paused,
  held,
  stale,
  redelivered,
  requested,
  open,
  failing,
  failed,
  retried,
  ended,
  unsettled,
  gave_up,
  foreign,
  expired,
} = FACTS;

/** Facts that an interval without runs or deliveries may have. */
const NOTHING_KNOWN = offered | paused | redelivered | expired;

/** @param facts the sum of their bits */
export function codeOf(facts: number): IntervalCode {
  const has = (fact: number) => (facts & fact) !== 0;
  if (!has(~NOTHING_KNOWN) && !has(offered)) return '--';
  const isExpired = has(expired);
  const fill = !has(held) ? 'n' : has(stale) && !isExpired ? 's' : 'h';
  if (has(open)) return `${fill}r`;
  if (has(failing)) return `${fill}t`;
  if (has(requested)) return `${fill}w`;
  if (isExpired && !has(unsettled | foreign)) return fill === 'h' ? 'hi' : 'xi';
  if (has(unsettled | gave_up | foreign | failed)) return `${fill}y`;
  if (has(retried)) return isRetriedAutomatically(facts) ? `${fill}t` : `${fill}y`;
  if (fill !== 'n') return `${fill}i`;
  if (has(offered) && has(paused)) return 'np';
  // The schedule or the reconciler starts a run for an offered interval without one.
  return has(ended) || !has(offered) ? 'ni' : 'nw';
}

/** Whether Sluice retries the interval: as a gap that the export should deliver, or as a stale interval if its export redelivers these. */
function isRetriedAutomatically(facts: number): boolean {
  return (facts & (offered | paused)) === offered || (facts & (stale | redelivered)) === (stale | redelivered);
}

const urgencies = new Map<IntervalCode, number>(INTERVAL_CODES.map((code, index) => [code, index]));

export function moreUrgent(one: IntervalCode, other: IntervalCode): IntervalCode {
  return urgencies.get(one)! >= urgencies.get(other)! ? one : other;
}

/** @returns whether the code's second letter is the mark */
export function hasMark(code: IntervalCode, mark: keyof typeof MARKS): boolean {
  return code.endsWith(mark) && code !== '--';
}
