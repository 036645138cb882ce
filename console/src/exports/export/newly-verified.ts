import type { IntervalMap } from './interval-map.ts';

type Codes = Pick<IntervalMap, 'starts' | 'codes'>;

/** @returns the numbers of intervals whose deliveries were verified between two maps, which may begin at different intervals */
export function newlyVerified(before: Codes, now: Codes): number[] {
  const found: number[] = [];
  let old = 0;
  now.starts.forEach((start, number) => {
    while (before.starts[old]! < start) old += 1;
    if (before.starts[old] !== start || now.codes[number] !== 'hi') return;
    // A delivered interval without a run is not delivered again, such as one whose request was cancelled.
    if (!/^h[iwp]$/.test(before.codes[old]!)) found.push(number);
  });
  return found;
}
