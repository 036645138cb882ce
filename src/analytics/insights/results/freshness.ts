/** How long a result counts as fresh. Late events may still arrive, so no result stays fresh for ever. */
import type { ParsedQuery } from '../../queries/parsing/parsed.ts';
import type { QueryResult } from '../../queries/computing/result.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Freshness by the interval of the query: within an hour, a monthly bar changes less than an hourly one. */
const FRESH_MS = { hour: 2 * MINUTE, day: 10 * MINUTE, week: HOUR, month: HOUR };
const WITHOUT_INTERVAL_MS = MINUTE;
const PAST_MS = HOUR;
/** How long ago a range must have ended to count as past: a range without an end ends at the time of its computation, and is not past. */
const OVER_FOR_MS = MINUTE;
/** Lifetime of empty results: short, because viewers have often just begun to send events and wait to see them. */
export const EMPTY_MS = 10_000;
const BETWEEN_REFRESHES_MS = MINUTE;

export type Freshness = { targetAge: number; nextRefresh: number };

/**
 * @param computedAt milliseconds since 1970, as all instants here
 * @param end of the query's range; a range that is over changes less
 */
export function freshnessOf(
  query: ParsedQuery,
  { results, computedAt, end }: Pick<QueryResult, 'results'> & { computedAt: number; end: number },
): Freshness {
  const isPast = end < computedAt - OVER_FOR_MS;
  const freshFor = results.every(isEmptyRow) ? EMPTY_MS : isPast ? PAST_MS : freshMs(query);
  const nextRefresh = computedAt + Math.min(freshFor, BETWEEN_REFRESHES_MS);
  return { targetAge: computedAt + freshFor, nextRefresh };
}

/** Largest expected difference between the clocks of processes: within it, another process's result does not count as from the future. */
const CLOCKS_DIFFER_MS = MINUTE;

/** Whether a result was computed while a clock was ahead: the result would count as fresh until our clock reaches its time. */
export function isFromFuture(computedAt: number, now: number): boolean {
  return computedAt > now + CLOCKS_DIFFER_MS;
}

/** Whether a line, a step or a row has only zeros. */
function isEmptyRow(row: QueryResult['results'][number]): boolean {
  if (Array.isArray(row)) return false;
  if ('values' in row) return row.values.every(({ count }) => count === 0);
  return row.count === 0 && !('aggregated_value' in row && row.aggregated_value);
}

function freshMs(query: ParsedQuery): number {
  if (query.kind === 'TrendsQuery') return FRESH_MS[query.interval];
  return query.kind === 'RetentionQuery' ? FRESH_MS[query.period] : WITHOUT_INTERVAL_MS;
}
