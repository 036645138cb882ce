/** States of an export's data intervals: the newest run, the last delivery, an open request. */
import type { Knex } from '../../platform/db/connection.ts';
import { FAILURES, type ShownStatus } from '../domain/interval-status.ts';
import { OPEN_STATUSES, type RunStatus } from '../domain/statuses.ts';
import { IS_NEWEST } from './interval-facts.store.ts';

/** A data interval with a run, a delivery or a request; `end` is ISO. */
export type KnownInterval = {
  end: string;
  runId: string | null;
  status: RunStatus | null;
  /** Rows of the last delivery. */
  rows: number | null;
  /** Files of the last delivery; null for a delivery without files, or no delivery. */
  files: number | null;
  cutoff: string | null;
  delivered: boolean;
  requested: boolean;
  /** Another timeline delivered it, and nobody has decided which delivery stays. */
  foreign: boolean;
};

const KNOWN_INTERVALS_SQL = `
  select "end", run.id as "runId", run.status, cast(ledger.rows as float8) as rows, ledger.files, ledger.cutoff,
    ledger.rows is not null as delivered, coalesce(request.requested, false) as requested, coalesce(other.waits, false) as foreign
  from (
    select distinct on (data_interval_end) data_interval_end as "end", id, status from batch_export_runs
    where batch_export_id = :exportId and data_interval_end > :after and data_interval_end <= :to
    order by data_interval_end, created_at desc
  ) as run
  full join (
    select data_interval_end as "end", cast(receipt ->> 'rows' as bigint) as rows, jsonb_array_length(receipt -> 'files') as files, receipt ->> 'cutoff' as cutoff
    from batch_export_intervals
    where batch_export_id = :exportId and data_interval_start >= :after and data_interval_start < :to and data_interval_end <= :to and receipt is not null
  ) as ledger using ("end")
  full join (
    select data_interval_end as "end", true as requested from batch_export_requests
    where batch_export_id = :exportId and closed_at is null and data_interval_end > :after and data_interval_end <= :to
  ) as request using ("end")
  full join (
    select distinct data_interval_end as "end", true as waits from foreign_deliveries
    where batch_export_id = :exportId and accepted is null and data_interval_end > :after and data_interval_end <= :to
  ) as other using ("end")
`;

/** ISO instants; `after` is exclusive. */
export type CandidatePage = { after: string; to: string; newestFirst: boolean; limit: number };

/** The condition of runs is that of an index (batch_export_runs_undelivered). */
const candidatesSql = (newestFirst: boolean) => `
  select distinct "end" from (
    select data_interval_end as "end" from batch_export_runs as run
    where batch_export_id = :exportId and status <> 'Completed' and status = any (:runs) and ${IS_NEWEST}
    union all
    select data_interval_end from batch_export_requests where batch_export_id = :exportId and closed_at is null and :running
    union all
    select data_interval_end from batch_export_troubles where batch_export_id = :exportId and kind = 'stale' and :stale
    union all
    select unnest(:others::timestamptz[])
  ) as candidate
  where "end" > :after and "end" <= :to order by "end" ${newestFirst ? 'desc' : 'asc'} limit :limit`;

export function intervalStateStore(db: Knex) {
  return {
    /** The known intervals within `[after, to]`; both are boundaries of the export's tiling. */
    async listKnownIntervals(exportId: string, after: string, to: string): Promise<KnownInterval[]> {
      const { rows } = await db.raw<{ rows: KnownInterval[] }>(KNOWN_INTERVALS_SQL, { exportId, after, to });
      return rows;
    },

    /**
     * Ends of intervals that may have one of the statuses, in order, up to the page's limit.
     * @param others further ends
     */
    async listCandidateEnds(
      exportId: string,
      statuses: readonly ShownStatus[],
      others: readonly string[],
      { newestFirst, ...page }: CandidatePage,
    ): Promise<string[]> {
      const running = statuses.includes('running');
      const runs = [...(statuses.includes('failed') ? FAILURES : []), ...(running ? OPEN_STATUSES : [])];
      const stale = statuses.includes('stale');
      const values = { ...page, exportId, runs, running, stale, others: [...others] };
      const { rows } = await db.raw<{ rows: { end: string }[] }>(candidatesSql(newestFirst), values);
      return rows.map(({ end }) => end);
    },

    /** One page of the bounds of delivered intervals, oldest first. @param after the end of the last interval of the page before */
    async listDeliveredBounds(
      exportId: string,
      after: string,
      limit: number,
    ): Promise<{ start: string; end: string }[]> {
      return db('batch_export_intervals')
        .where({ batch_export_id: exportId })
        .whereNotNull('receipt')
        .where('data_interval_end', '>', after)
        .orderBy('data_interval_end')
        .limit(limit)
        .select({ start: 'data_interval_start', end: 'data_interval_end' });
    },
  };
}
