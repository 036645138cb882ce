/** Result of a query, as clients and the public page see it. */

/** Fields that are merged into an insight's body, so their names are those on the wire. Instants are ISO texts. */
export type InsightResult = {
  /** Depends on the kind of the query: series, events, funnel steps or retention rows. null: no result was computed. */
  result: unknown;
  columns: string[] | null;
  types: unknown[] | null;
  hasMore: boolean;
  timezone: string | null;
  resolved_date_range: { date_from: string | null; date_to: string | null } | null;
  /** When the result was computed. */
  last_refresh: string | null;
  /** Whether the result was computed before this request. */
  is_cached: boolean;
  /** Instant from which the result counts as old. */
  cache_target_age: string | null;
  next_allowed_client_refresh: string | null;
  query_status: QueryStatus | null;
  /** The name of the result in the cache. */
  filters_hash: string | null;
  /** The reason why there is no result. */
  error: ResultError | null;
};

/** Only for a query that failed, or that is running while an older result is shown. */
export type QueryStatus = {
  id: string;
  team_id: number;
  query_async: boolean;
  complete: boolean;
  error: boolean;
  error_message: string | null;
};

/**
 * `too_large`: the result exists, but was left out because the whole answer would be too large.
 * `permission_denied`: the result shows events or persons that the viewer may not see.
 */
export type ResultError = {
  type: 'validation_error' | 'permission_denied' | 'timeout' | 'server_error' | 'too_large';
  message: string;
};

/** Result of an insight without a query, or one that was never computed. */
export const NO_RESULT: InsightResult = {
  result: null,
  columns: null,
  types: null,
  hasMore: false,
  timezone: null,
  resolved_date_range: null,
  last_refresh: null,
  is_cached: false,
  cache_target_age: null,
  next_allowed_client_refresh: null,
  query_status: null,
  filters_hash: null,
  error: null,
};
