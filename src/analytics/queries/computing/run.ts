/** Computes any query. */
import type { Pool } from '../../../platform/db/connection.ts';
import { withQueryConnection, type RunSql } from '../query-connection.ts';
import type { Dates } from '../dates/intervals.ts';
import { eventsTable } from './events-table.ts';
import { funnel } from './funnels.ts';
import type { ParsedQuery } from '../parsing/parsed.ts';
import type { QueryResult } from './result.ts';
import { retention } from './retention.ts';
import { trends } from './trends.ts';

type Answer = Omit<QueryResult, 'timezone' | 'resolved_date_range'> & { dates: Dates; comparedWith?: Dates };

/**
 * @param pool with `QUERY_OPTIONS`
 * @param project its events are counted, in its time zone
 * @param now milliseconds since 1970: relative dates count back from it
 * @param signal ends the query, in Postgres too
 * @throws InvalidInput, attr `query`, for an invalid range or numbers that cannot be computed; Unavailable after a time limit; the signal's reason
 */
export async function runQuery(
  pool: Pool,
  project: { id: number },
  query: ParsedQuery,
  { now, signal }: { now: number; signal?: AbortSignal | undefined },
): Promise<QueryResult> {
  const { dates, comparedWith, ...answer } = await withQueryConnection(pool, signal, (runSql) =>
    computeQuery(runSql, project.id, query, now),
  );
  return {
    ...answer,
    timezone: dates.timeZone,
    resolved_date_range: rangeShown(dates),
    ...(comparedWith && { resolved_compare_date_range: rangeShown(comparedWith) }),
  };
}

function computeQuery(runSql: RunSql, projectId: number, query: ParsedQuery, now: number): Promise<Answer> {
  switch (query.kind) {
    case 'TrendsQuery':
      return trends(runSql, projectId, query, now);
    case 'FunnelsQuery':
      return funnel(runSql, projectId, query, now);
    case 'RetentionQuery':
      return retention(runSql, projectId, query, now);
    case 'EventsQuery':
      return eventsTable(runSql, projectId, query, now);
  }
}

/** Returns the range with an inclusive end, as upstream: one microsecond before the exclusive one. */
function rangeShown({ from, to }: Dates): QueryResult['resolved_date_range'] {
  const last = new Date(Date.parse(to) - 1).toISOString().replace('Z', '999Z');
  return { date_from: from, date_to: last };
}
