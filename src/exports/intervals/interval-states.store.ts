/** States of an export's data intervals: the newest run, the last delivery, an open request. */
import type { Knex } from '../../platform/db/connection.ts';
import type { RunStatus } from '../domain/statuses.ts';

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
    where batch_export_id = :exportId and data_interval_start >= :after and data_interval_end <= :to and receipt is not null
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

export function intervalStateStore(db: Knex) {
  return {
    /** The known intervals within `[after, to]`; both are boundaries of the export's tiling. */
    async listKnownIntervals(exportId: string, after: string, to: string): Promise<KnownInterval[]> {
      const { rows } = await db.raw<{ rows: KnownInterval[] }>(KNOWN_INTERVALS_SQL, { exportId, after, to });
      return rows;
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
