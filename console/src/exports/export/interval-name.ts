/** Names of intervals for labels: `22 Nov 10:00–11:00 UTC, failed, needs you`. */
import { formatInterval } from '../../look/time.tsx';
import { nameOfCode } from '../states/codes.ts';
import { isOfCalendar } from '../words/cadence.ts';
import type { IntervalMap } from './interval-map.ts';
import type { Cadence } from './layout.ts';

export function boundsOf({ starts, ends }: IntervalMap, number: number, { interval, timezone }: Cadence): string {
  const [start, end] = [new Date(starts[number]!).toISOString(), new Date(ends[number]!).toISOString()];
  return formatInterval(start, end, isOfCalendar(interval) ? timezone : 'UTC');
}

export function nameOf(map: IntervalMap, number: number, cadence: Cadence): string {
  return `${boundsOf(map, number, cadence)}, ${nameOfCode(map.codes[number]!)}`;
}
