/** A data interval in the zone that its readers think in, with UTC beside, which operators use. */
import { formatInterval, formatTime, viewerZone } from '../../look/time.tsx';
import { isOfCalendar } from './cadence.ts';

type IntervalOf = { start: string; end: string };
type CadenceOf = { interval: string; timezone: string };

/** The export's zone for days, weeks and months, which begin by its clocks; else the viewer's. */
export const zoneOf = (cadence: CadenceOf | undefined): string =>
  cadence && isOfCalendar(cadence.interval) ? cadence.timezone : viewerZone;

const dayIn = (iso: string, timeZone: string) => formatTime(iso, { timeZone }).split(',')[0];

/** @returns the interval in UTC, without the date where it is that of the other zone */
function utcBeside({ start, end }: IntervalOf, timeZone: string): string {
  const days = [start, end].flatMap((iso) => [dayIn(iso, timeZone), dayIn(iso, 'UTC')]);
  if (new Set(days).size > 1) return formatInterval(start, end);
  const [from, to] = [start, end].map((iso) => formatTime(iso, { timeZone: 'UTC', date: false }));
  return `${from}–${to} UTC`;
}

/** @returns as `2 Jun 11:00–12:00 CEST (09:00–10:00 UTC)` */
export function intervalWords(of: IntervalOf, timeZone = viewerZone): string {
  const own = formatInterval(of.start, of.end, timeZone);
  return timeZone === 'UTC' ? own : `${own} (${utcBeside(of, timeZone)})`;
}

/** @param props `cadence`: of the export, if it is known */
export function IntervalTime({ cadence, ...of }: IntervalOf & { cadence?: CadenceOf | undefined }) {
  return <>{intervalWords(of, zoneOf(cadence))}</>;
}
