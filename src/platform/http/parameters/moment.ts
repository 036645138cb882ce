/** Moments as clients write them in queries: a datetime, or how long ago. */
import { InvalidInput } from '../../errors.ts';
import { isoMicros } from '../../time/iso.ts';
import { parseDatetime } from './datetime.ts';

const AGO = /^-(\d{1,5})([hdwmy])$/;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const SPANS = { h: HOUR, d: DAY, w: 7 * DAY };

/**
 * Reads a datetime (see `datetime.ts`), or `-7d`: so many hours (`h`), days (`d`), weeks (`w`), months (`m`) or years (`y`) ago.
 * @returns ISO, UTC, microseconds
 * @throws InvalidInput naming the parameter
 */
export function readMoment(text: string, attr: string): string {
  const [, count, unit] = AGO.exec(text) ?? [];
  const moment = unit === undefined ? parseDatetime(text)?.instant : timeAgo(Number(count), unit);
  if (moment !== undefined) return moment;
  throw new InvalidInput(`"${text.slice(0, 100)}" is neither a datetime nor a time ago, such as -7d or -24h.`, attr);
}

/**
 * `readMoment` for an optional parameter; as upstream, an empty one counts as absent.
 * @throws InvalidInput naming the parameter
 */
export function momentIfGiven(text: string | undefined, attr: string): string | undefined {
  return text === undefined || text === '' ? undefined : readMoment(text, attr);
}

function timeAgo(count: number, unit: string): string | undefined {
  const date = new Date();
  if (unit === 'm' || unit === 'y') date.setUTCMonth(date.getUTCMonth() - count * (unit === 'y' ? 12 : 1));
  else date.setTime(date.getTime() - count * SPANS[unit as keyof typeof SPANS]);
  return date.getUTCFullYear() > 1 ? isoMicros(date.getTime()) : undefined;
}
