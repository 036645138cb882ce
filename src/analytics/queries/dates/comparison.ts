/** Finds the range that another is compared with. All moments here are readings of a wall clock. */
import type { Span } from './intervals.ts';
import type { Comparison, Range, Unit } from '../parsing/parsed.ts';
import { DAY_MS, HOUR_MS, shiftWall, startOf } from './wall-clock.ts';

/**
 * Returns the earlier span to compare with. It begins as long before as the query says, or else directly before, with the same length.
 * There are two exceptions, as upstream (`query_previous_period_date_range.py`). The last 7 days, which are 8 with today, are compared with
 * the days 7 days before, so weekdays match. A range from the start of this day, week, month, quarter or year is compared with the previous
 * one: with all of it, or, if the range is not divided into intervals, with as much of it as has passed of this one.
 * @param range from which the span was made
 * @param now end of an undivided span that is not over: the earlier span then ends at the same moment
 */
export function previousSpan(span: Span, range: Range, { ago }: Comparison, now: number): Span {
  const { from, to, interval } = span;
  const length = (range.to === null && interval === null ? Math.min(now, to) : to) - from;
  const spanFrom = (start: number): Span => ({ from: start, to: start + length, interval });
  if (ago) return spanFrom(shiftWall(from, -ago.amount, ago.unit));
  const calendar = calendarUnitOf(range);
  if (calendar) {
    const start = startOf(shiftWall(from, -1, calendar), interval ?? 'day');
    // An earlier month may be shorter than the part of this one that has passed.
    return { from: start, to: interval === null ? Math.min(start + length, from) : from, interval };
  }
  const isCounted = (interval === 'week' || interval === 'month') && !range.isExact;
  return isCounted
    ? { from: startCountedBack(span, interval), to: from, interval }
    : spanFrom(from - gapOf(span, range));
}

/** Unit of a range that runs from the start of the current unit until now. */
function calendarUnitOf({ from, to }: Range): Unit | null {
  if (to !== null || from === null || from === 'all' || from.kind !== 'relative') return null;
  const { amount, unit, edge } = from;
  return edge === 'start' && amount === 0 && unit !== 'h' ? unit : null;
}

/** Returns the span's start, moved back by as many intervals as the span has. */
function startCountedBack({ from, to }: Span, interval: 'week' | 'month'): number {
  let start = from;
  for (let at = from; at < to; at = shiftWall(at, 1, interval)) start = shiftWall(start, -1, interval);
  return start;
}

/** Distance to the earlier span. Hours are compared with the same hours of other days. */
function gapOf({ from, to }: Span, range: Range): number {
  const namedLength = namedLengthOf(range);
  const length = to - from;
  if (namedLength > 0) return namedLength;
  return range.isExact || length < DAY_MS ? length : Math.ceil(length / DAY_MS) * DAY_MS;
}

/** Length of a range of the last hours or whole weeks. @returns 0 for any other range */
function namedLengthOf({ from, to }: Range): number {
  if (to !== null || from === 'all') return 0;
  if (from === null) return 7 * DAY_MS;
  if (from.kind !== 'relative' || from.edge !== null) return 0;
  const { amount, unit } = from;
  if (unit === 'h') return amount * HOUR_MS;
  if (unit === 'w') return amount * 7 * DAY_MS;
  return unit === 'd' && amount % 7 === 0 ? amount * DAY_MS : 0;
}
