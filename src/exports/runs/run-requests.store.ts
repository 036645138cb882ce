/**
 * Requests for the runs that the schedule does not start. An interval has at most one open request. The numbers of runs under way are
 * limited per export and per project, so a request first claims one of these slots, and then its run is started.
 */
import { randomUUID } from 'node:crypto';
import { ADVISORY_LOCKS } from '../../platform/db/advisory-locks.ts';
import type { Knex } from '../../platform/db/connection.ts';
import { isoMicros } from '../domain/instants.ts';
import type { DataInterval } from '../domain/intervals.ts';
import type { RunKind, RunStatus } from '../domain/statuses.ts';
import { IS_WANTED_SINCE, REPLACES_RUN } from '../backfills/replaced-runs.store.ts';
import { intervalKey, type ExportInterval } from '../deliveries/epoch-lease.store.ts';

export type RequestKind = Exclude<RunKind, 'scheduled'>;

export type RunRequest = {
  id: string;
  exportId: string;
  start: string;
  end: string;
  kind: RequestKind;
  /** When the run was last requested: a run with an earlier cutoff does not answer the request. */
  requestedAt: string;
  /** When the schedule was asked to start the run; null if it was not yet. */
  askedAt: string | null;
  /** Milliseconds since `askedAt`, by the database's clock. */
  millisSinceAsked: number | null;
  /** Run id of the newest execution at `askedAt`, '' if there was none; a later execution answers the request. */
  newestRunIdWhenAsked: string | null;
  startedDirectly: boolean;
};

/** A run that has ended. `cutoff`: of its plan; null if it has none. */
type EndedRun = { id: string; batchExportId: string; end: string; status: RunStatus; cutoff: string | null };

type RequestRow = {
  id: string;
  batch_export_id: string;
  data_interval_start: string;
  data_interval_end: string;
  kind: RequestKind;
  wanted_at: string;
  asked_at: string | null;
  asked_millis_ago: number | null;
  asked_after: string | null;
  started_directly: boolean;
};

/** Columns that are only written. */
type WrittenRequest = RequestRow & { closed_at: string | null; run_id: string | null };

function requestFromRow(row: RequestRow): RunRequest {
  return {
    id: row.id,
    exportId: row.batch_export_id,
    start: row.data_interval_start,
    end: row.data_interval_end,
    kind: row.kind,
    requestedAt: row.wanted_at,
    askedAt: row.asked_at,
    millisSinceAsked: row.asked_millis_ago,
    newestRunIdWhenAsked: row.asked_after,
    startedDirectly: row.started_directly,
  };
}

export function runRequestStore(db: Knex) {
  const table = () => db<WrittenRequest>('batch_export_requests');

  return {
    /** Opens a request for each interval, or renews the open one; a retry moves it to the front. @returns their ids */
    async open(exportId: string, intervals: readonly DataInterval[], kind: RequestKind): Promise<string[]> {
      const { rows } = await db.raw<{ rows: { id: string }[] }>(
        `insert into batch_export_requests as request (id, batch_export_id, data_interval_start, data_interval_end, kind)
         select id, ?, start, "end", ? from unnest(?::uuid[], ?::timestamptz[], ?::timestamptz[]) as new (id, start, "end")
         on conflict (batch_export_id, data_interval_start, data_interval_end) where closed_at is null
         do update set wanted_at = clock_timestamp(),
           kind = case when excluded.kind = 'retry' then excluded.kind else request.kind end
         returning id`,
        [
          exportId,
          kind,
          intervals.map(() => randomUUID()),
          intervals.map(({ start }) => isoMicros(start)),
          intervals.map(({ end }) => isoMicros(end)),
        ],
      );
      return rows.map((row) => row.id);
    },

    /**
     * Gives the free slots to waiting requests, retries first, then the oldest; call it in a transaction.
     * @returns how many requests got one
     */
    async claim(
      batchExport: { id: string; projectId: number },
      limits: { ofExport: number; ofProject: number },
    ): Promise<number> {
      await db.raw('select pg_advisory_xact_lock(?, ?)', [ADVISORY_LOCKS.requestsOfProject, batchExport.projectId]);
      // tooth: request-limits
      const { rowCount } = await db.raw<{ rowCount: number }>(
        `with free_slots as (
           select least(:ofExport - count(*) filter (where export.id = :id), :ofProject - count(*)) as free
           from batch_export_requests as request join batch_exports as export on export.id = request.batch_export_id
           where export.project_id = :projectId and request.closed_at is null and request.claimed_at is not null
         ), next as (
           select id from batch_export_requests
           where batch_export_id = :id and closed_at is null and claimed_at is null
           order by (kind <> 'retry'), created_at, data_interval_end limit (select greatest(free, 0) from free_slots)
         )
         update batch_export_requests as request set claimed_at = clock_timestamp() from next where request.id = next.id`,
        { ...batchExport, ...limits },
      );
      return rowCount;
    },

    /** Counts the open requests that have a slot: those of a backfill, of its export and of their project. */
    async countClaimed(
      batchExport: { id: string; projectId: number },
      backfillId: string,
    ): Promise<{ ofBackfill: number; ofExport: number; ofProject: number }> {
      const { rows } = await db.raw<{ rows: { ofBackfill: number; ofExport: number; ofProject: number }[] }>(
        `select count(link.request_id)::int as "ofBackfill", count(*) filter (where export.id = :id)::int as "ofExport",
           count(*)::int as "ofProject"
         from batch_export_requests as request join batch_exports as export on export.id = request.batch_export_id
         left join batch_export_backfill_requests as link on link.request_id = request.id and link.backfill_id = :backfillId
         where export.project_id = :projectId and request.closed_at is null and request.claimed_at is not null`,
        { ...batchExport, backfillId },
      );
      return rows[0]!;
    },

    /** The open requests of an export that have a slot. */
    async listClaimed(exportId: string): Promise<RunRequest[]> {
      const rows = (await table()
        .where({ batch_export_id: exportId })
        .whereRaw('closed_at is null and claimed_at is not null')
        .orderBy(['claimed_at', 'data_interval_end'])
        .select(
          '*',
          db.raw('(extract(epoch from clock_timestamp() - asked_at) * 1000)::float8 as asked_millis_ago'),
        )) as RequestRow[];
      return rows.map(requestFromRow);
    },

    async countOpen(exportId: string): Promise<number> {
      const row = await table()
        .where({ batch_export_id: exportId })
        .whereRaw('closed_at is null')
        .count({ count: '*' })
        .first();
      return Number((row as { count: string }).count);
    },

    /** Exports with open requests, or with backfills whose requests are not all written: each needs its dispatcher. */
    async listExportsWithOpenRequests(): Promise<string[]> {
      const { rows } = await db.raw<{ rows: { id: string }[] }>(
        `select batch_export_id as id from batch_export_requests where closed_at is null
         union select batch_export_id from batch_export_backfills where finished_at is null and planned_until is not null`,
      );
      return rows.map(({ id }) => id);
    },

    /**
     * The kind of an interval's open request; if several backfills share it, `retry` wins. Undefined when there is no open request, so the
     * schedule started the run.
     */
    async findOpenKind(exportId: string, end: string): Promise<RequestKind | undefined> {
      const { rows } = await db.raw<{ rows: { kind: RequestKind }[] }>(
        `select coalesce((
             select backfill.kind from batch_export_backfill_requests as link
             join batch_export_backfills as backfill on backfill.id = link.backfill_id
             where link.request_id = request.id and backfill.finished_at is null order by backfill.kind = 'retry' desc limit 1
           ), kind) as kind
         from batch_export_requests as request where batch_export_id = ? and data_interval_end = ? and closed_at is null`,
        [exportId, end],
      );
      return rows[0]?.kind;
    },

    /** @returns false when the request was closed meanwhile */
    async markAsked(id: string, newestRunId: string): Promise<boolean> {
      const changed = await table()
        .where({ id })
        .whereRaw('closed_at is null')
        .update({ asked_at: db.raw('clock_timestamp()'), asked_after: newestRunId, started_directly: false });
      return changed > 0;
    },

    async markStartedDirectly(id: string): Promise<void> {
      await table().where({ id }).update({ started_directly: true });
    },

    /**
     * Closes requests of the ended run's interval, except those made after the run's cutoff was fixed. A request that replaces the run is
     * answered by its delivery, and by no other end.
     */
    async closeAnswered({ id: runId, batchExportId, end, status, cutoff }: EndedRun): Promise<void> {
      if (cutoff === null) return;
      // tooth: request-of-replaced
      await db.raw(
        `update batch_export_requests as request set closed_at = clock_timestamp(), run_id = :runId
         where batch_export_id = :batchExportId and data_interval_end = :end and closed_at is null
           and case when ${REPLACES_RUN} then :isDelivered and not ${IS_WANTED_SINCE} else wanted_at <= :cutoff end`,
        { runId, batchExportId, end, cutoff, isDelivered: status === 'Completed' },
      );
    },

    /** Closes the open request of an interval as answered by the run, unless the schedule was asked already: that run may be under way. */
    async closeIfNotStarted(interval: ExportInterval, runId: string): Promise<void> {
      await table()
        .where(intervalKey(interval))
        .whereRaw('closed_at is null and asked_at is null')
        .update({ closed_at: db.raw('clock_timestamp()'), run_id: runId });
    },

    /** Closes a request, unless it was made again since it was read. */
    async close({ id, requestedAt }: RunRequest, runId: string | null): Promise<void> {
      // tooth: request-of-unclosed
      await table()
        .where({ id, wanted_at: requestedAt })
        .whereRaw('closed_at is null')
        .update({ closed_at: db.raw('clock_timestamp()'), run_id: runId });
    },

    /** Closes every open request of an export. */
    async closeAll(exportId: string): Promise<void> {
      await table()
        .where({ batch_export_id: exportId })
        .whereRaw('closed_at is null')
        .update({ closed_at: db.raw('clock_timestamp()') });
    },
  };
}
