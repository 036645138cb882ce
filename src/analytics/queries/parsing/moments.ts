/** The sides of a date range as upstream writes them. */
import { parseDatetime } from '../../../platform/http/parameters/datetime.ts';
import type { Moment, Range, Unit } from './parsed.ts';
import { refusal } from './refusal.ts';
import type { DateRange } from './schema.ts';

/** `-7d`, `d`, `dStart`, `-1mEnd`; without a number, the current unit. */
const RELATIVE = /^(?:-(\d{1,4}))?([hdwmqy])(Start|End)?$/;
const AGO = /^-(\d{1,4})([hdwmqy])$/;

/** @throws InvalidInput naming the side */
export function rangeOf(dateRange: DateRange | null | undefined, path = 'dateRange'): Range {
  const { date_from: from = null, date_to: to = null, explicitDate = false } = dateRange ?? {};
  return {
    from: from === null || from === '' ? null : from === 'all' ? from : momentOf(from, `${path}.date_from`),
    to: to === null || to === '' ? null : momentOf(to, `${path}.date_to`),
    isExact: explicitDate === true,
  };
}

/** @param text `-7d`: how long before another moment @throws InvalidInput naming the field */
export function agoOf(text: string, path: string): { amount: number; unit: Unit } {
  const [, amount = '0', unit] = AGO.exec(text) ?? [];
  if (Number(amount) > 0) return { amount: Number(amount), unit: unit as Unit };
  throw refusal(path, 'Give how far the comparison range lies before this one: "-7d", "-4w", "-1m", "-1y".');
}

/** @throws InvalidInput naming the field */
export function momentOf(text: string, path: string): Moment {
  const relative = RELATIVE.exec(text);
  if (relative) {
    const [, amount = '0', unit, edge] = relative;
    return {
      kind: 'relative',
      amount: Number(amount),
      unit: unit as Unit,
      edge: edge === undefined ? null : edge === 'Start' ? 'start' : 'end',
    };
  }
  const datetime = parseDatetime(text);
  if (!datetime)
    throw refusal(path, `"${text}" is not a date: use "2024-06-01", "2024-06-01T08:30:00Z", "-7d" or "mStart".`);
  if (datetime.zoned) return { kind: 'instant', instant: datetime.instant };
  return { kind: 'wall', wall: Date.parse(datetime.instant), hasTime: text.length > 'YYYY-MM-DD'.length };
}
