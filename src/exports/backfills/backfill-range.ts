/** Parses the range of a backfill: instants, or the dates on which days, weeks and months begin. */
import { InvalidInput } from '../../platform/errors.ts';
import { parseDatetime } from '../../platform/http/parameters/datetime.ts';
import { isCalendarInterval, localDateToInstant, type Cadence } from '../domain/cadence.ts';
import { INTERVAL_STATUSES, type IntervalStatus } from '../domain/interval-status.ts';
import { isoMicros, millisOf } from '../domain/instants.ts';
import type { DataInterval } from '../domain/intervals.ts';
import { assertInSource, type ExpiringExport } from '../intervals/expired.ts';

export type GivenRange = { start_at: string | null; end_at: string | null };

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/**
 * @param strict applies upstream's rules: for days, weeks and months, bounds must be plain dates on which one begins
 * @returns ISO instants
 * @throws InvalidInput with upstream's messages
 */
export function parseRange(
  { start_at, end_at }: GivenRange,
  cadence: Cadence,
  { strict }: { strict: boolean },
): { startAt: string; endAt: string } {
  if (start_at === null)
    throw new InvalidInput('Backfilling from the beginning of time is not enabled for this team.', 'start_at');
  if (end_at === null) throw new InvalidInput('Backfilling a BatchExport with no end date is not allowed', 'end_at');
  const parseBound = strict && isCalendarInterval(cadence.interval) ? parseDateBound : parseDatetimeBound;
  const startAt = parseBound(start_at, 'start_at', cadence);
  checkBeginning(startAt, 'start_at');
  return { startAt, endAt: parseBound(end_at, 'end_at', cadence) };
}

/** @throws InvalidInput when the range is empty, ends in the future, or begins before the export's source */
export function checkRange(
  batchExport: ExpiringExport,
  { startAt, endAt }: { startAt: string; endAt: string },
  now: string,
): DataInterval {
  const [start, end] = [millisOf(startAt), millisOf(endAt)];
  if (start >= end)
    throw new InvalidInput("The initial backfill datetime 'start_at' must be before 'end_at'", 'start_at');
  if (end > millisOf(now)) throw new InvalidInput(`The provided 'end_at' (${endAt}) is in the future`, 'end_at');
  assertInSource(batchExport, start, 'start_at');
  return { start, end };
}

const EARLIEST = '1970-01-01T00:00:00.000000Z';

/**
 * Refuses centuries without data: a range is visited interval by interval, which would block the process for seconds.
 * @param instant ISO, UTC, microseconds
 * @throws InvalidInput naming the field
 */
export function checkBeginning(instant: string, attr: string): void {
  if (instant < EARLIEST) throw new InvalidInput(`'${attr}' must not be before 1970-01-01T00:00:00Z.`, attr);
}

/** Parses a bound. Unlike elsewhere, a time needs a zone, because a range that is off by an hour holds other data. */
function parseDatetimeBound(text: string, attr: string, cadence: Cadence): string {
  const instant = parseDatetime(text);
  if (!instant) throw new InvalidInput(`Input ${text.slice(0, 100)} is not a valid ISO formatted datetime.`, attr);
  if (DATE.test(text))
    return isCalendarInterval(cadence.interval) ? isoMicros(localDateToInstant(cadence, text)) : instant.instant;
  if (!instant.zoned) throw new InvalidInput(`Input ${text} is naive.`, attr);
  return instant.instant;
}

function parseDateBound(text: string, attr: string, cadence: Cadence): string {
  const instant = parseDatetime(text);
  const wrong = `Input '${text.slice(0, 100)}' is not a valid ISO formatted date.`;
  if (!instant) throw new InvalidInput(wrong, attr);
  if (!DATE.test(text)) {
    const expected = 'Daily or weekly batch export backfills expect only the date component, but a time was included.';
    throw new InvalidInput(`${wrong} ${expected}`, attr);
  }
  checkDate(text, attr, cadence);
  return isoMicros(localDateToInstant(cadence, text));
}

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

function checkDate(date: string, attr: string, { interval, offsetDay }: Cadence): void {
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay();
  if (interval === 'week' && weekday !== offsetDay) {
    const [givenDay, firstDay] = [WEEKDAYS[weekday], WEEKDAYS[offsetDay]];
    throw new InvalidInput(
      `Input '${date}' is a ${givenDay}, but the weeks of this batch export begin on ${firstDay}.`,
      attr,
    );
  }
  if (interval === 'month' && !date.endsWith('-01')) {
    throw new InvalidInput(`Input '${date}' is not the first day of a month.`, attr);
  }
}

/** @returns null if no status limits the range @throws InvalidInput */
export function parseOnly(value: unknown): IntervalStatus[] | null {
  if (value === null || value === undefined) return null;
  const statuses: unknown[] = Array.isArray(value) ? value : [value];
  if (statuses.length === 0) throw new InvalidInput('This list may not be empty.', 'only', 'empty');
  for (const status of statuses) {
    if (isFilterStatus(status)) continue;
    const shown = typeof status === 'string' ? status.slice(0, 100) : JSON.stringify(status).slice(0, 100);
    throw new InvalidInput(`"${shown}" is not a valid choice.`, 'only', 'invalid_choice');
  }
  return statuses as IntervalStatus[];
}

/** Interval statuses that a backfill may be limited to. */
const FILTER_STATUSES = INTERVAL_STATUSES.filter((status) => !['delivered', 'running', 'expired'].includes(status));

function isFilterStatus(status: unknown): boolean {
  return (FILTER_STATUSES as unknown[]).includes(status);
}
