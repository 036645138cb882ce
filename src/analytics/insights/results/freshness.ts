/** Decides how long a result counts as fresh. Late events may still arrive, so no result stays fresh for ever. */
import type { ParsedQuery } from '../../queries/parsing/parsed.ts';
import type { QueryResult } from '../../queries/computing/result.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Freshness by the interval of the query: within an hour, a monthly bar changes less than an hourly one. */
const FRESH_MS_BY_INTERVAL = { hour: 2 * MINUTE, day: 10 * MINUTE, week: HOUR, month: HOUR };
const FRESH_MS_WITHOUT_INTERVAL = MINUTE;
const PAST_RANGE_FRESH_MS = HOUR;
/** Time after its end from which a range counts as past. A range without an end ends when its result is computed, and is never past. */
const RANGE_IS_PAST_AFTER_MS = MINUTE;
/** Lifetime of empty results: short, because viewers have often just begun to send events and wait to see them. */
export const EMPTY_RESULT_FRESH_MS = 10_000;
const MIN_REFRESH_INTERVAL_MS = MINUTE;

/** Milliseconds since 1970. `freshUntil`: end of the result's freshness. `nextRefresh`: earliest time of a forced computation. */
export type Freshness = { freshUntil: number; nextRefresh: number };

/**
 * @param computedAt milliseconds since 1970
 * @param end end of the query's range, in milliseconds since 1970; the result of a past range changes less
 */
export function freshnessOf(
  query: ParsedQuery,
  { results, computedAt, end }: Pick<QueryResult, 'results'> & { computedAt: number; end: number },
): Freshness {
  const isPast = end < computedAt - RANGE_IS_PAST_AFTER_MS;
  const freshForMs = results.every(isEmptyRow)
    ? EMPTY_RESULT_FRESH_MS
    : isPast
      ? PAST_RANGE_FRESH_MS
      : freshMsOf(query);
  const nextRefresh = computedAt + Math.min(freshForMs, MIN_REFRESH_INTERVAL_MS);
  return { freshUntil: computedAt + freshForMs, nextRefresh };
}

/** Largest expected difference between the clocks of processes: within it, another process's result does not count as from the future. */
const MAX_CLOCK_DIFFERENCE_MS = MINUTE;

/** Whether a result was computed while a clock was ahead: the result would count as fresh until our clock reaches its time. */
export function isFromFuture(computedAt: number, now: number): boolean {
  return computedAt > now + MAX_CLOCK_DIFFERENCE_MS;
}

/** Whether a line, a step or a row has only zeros. */
function isEmptyRow(row: QueryResult['results'][number]): boolean {
  if (Array.isArray(row)) return false;
  if ('values' in row) return row.values.every(({ count }) => count === 0);
  return row.count === 0 && !('aggregated_value' in row && row.aggregated_value);
}

function freshMsOf(query: ParsedQuery): number {
  if (query.kind === 'TrendsQuery') return FRESH_MS_BY_INTERVAL[query.interval];
  return query.kind === 'RetentionQuery' ? FRESH_MS_BY_INTERVAL[query.period] : FRESH_MS_WITHOUT_INTERVAL;
}
