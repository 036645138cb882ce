/** How long a result counts as fresh. Events that happened earlier may still arrive, so none does for ever. */
import type { ParsedQuery } from '../queries/parsed.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** By the interval at which the query looks: a month's bar changes less in an hour than an hour's. */
const FRESH_MS = { hour: 2 * MINUTE, day: 10 * MINUTE, week: HOUR, month: HOUR };
const WITHOUT_INTERVAL_MS = MINUTE;
const PAST_MS = 24 * HOUR;
const BETWEEN_REFRESHES_MS = MINUTE;

export type Freshness = { targetAge: number; nextRefresh: number };

/**
 * @param computedAt milliseconds since 1970, as all instants here
 * @param end of the range that was looked at: what was over by then changes less
 */
export function freshnessOf(query: ParsedQuery, { computedAt, end }: { computedAt: number; end: number }): Freshness {
  const nextRefresh = computedAt + BETWEEN_REFRESHES_MS;
  return { targetAge: computedAt + (end < computedAt ? PAST_MS : freshMs(query)), nextRefresh };
}

function freshMs(query: ParsedQuery): number {
  if (query.kind === 'TrendsQuery') return FRESH_MS[query.interval];
  return query.kind === 'RetentionQuery' ? FRESH_MS[query.period] : WITHOUT_INTERVAL_MS;
}
