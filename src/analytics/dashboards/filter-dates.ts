/** Refuses dashboard filters whose dates no query can read: they would make every tile fail. */
import { InvalidInput } from '../../platform/errors.ts';
import { rangeOf } from '../queries/parsing/moments.ts';
import type { Range } from '../queries/parsing/parsed.ts';
import { DAY_MS } from '../queries/dates/wall-clock.ts';

type Json = Readonly<Record<string, unknown>>;

/** @throws InvalidInput, attr `filters`, naming the invalid date, or saying that the range ends before it begins */
export function ensureDates({ date_from, date_to }: Json): void {
  const { from, to } = readRange({ date_from: textOf(date_from, 'date_from'), date_to: textOf(date_to, 'date_to') });
  const [begin, end] = [timeOf(from), timeOf(to)];
  // `date_from` may be later by less than a day, because queries widen both to whole days.
  if (begin === undefined || end === undefined || begin - end < DAY_MS) return;
  throw new InvalidInput('date_to: The filters end before they begin: let `date_from` be earlier.', 'filters');
}

function textOf(value: unknown, name: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value;
  throw new InvalidInput(`${name}: A date must be a string.`, 'filters');
}

function readRange(bounds: { date_from: string | null; date_to: string | null }): Range {
  try {
    return rangeOf(bounds, 'filters');
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new InvalidInput(error.message.replace(/^filters\./, ''), 'filters', error.code);
  }
}

/** @returns undefined for a relative date; time zones are ignored, because they differ by less than a day */
function timeOf(bound: Range['from']): number | undefined {
  if (bound === null || bound === 'all' || bound.kind === 'relative') return undefined;
  return bound.kind === 'wall' ? bound.wall : Date.parse(bound.instant);
}
