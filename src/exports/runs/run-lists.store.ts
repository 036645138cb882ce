/** Lists of runs for people: filtered ones, the newest runs of several exports, and counts per day. */
import type { Knex } from '../../platform/db/connection.ts';
import { keysetOf, newestFirst } from '../../platform/http/parameters/keyset.ts';
import type { PageWindow } from '../../platform/http/parameters/pagination.ts';
import type { RunStatus } from '../domain/statuses.ts';
import type { RunError } from '../faults/run-error.ts';
import { LISTED_COLUMNS, runFromRow, type Run, type RunRow } from './run-rows.ts';

export type RunOrder = { by: 'created_at' | 'data_interval_start'; ascending: boolean };

/** Which runs, and in what order; instants are ISO. */
export type RunFilter = {
  order?: RunOrder;
  /** An empty list means any status. */
  statuses?: readonly RunStatus[];
  /** Created in `[after, before]`. */
  created?: { after: string; before: string | undefined };
  /** Bounds within which the data intervals lie. */
  interval?: { start: string; end: string | undefined };
};

/** Numbers of runs that ended on a day; `day` is `YYYY-MM-DD`, in UTC. */
export type RunsOfDay = { day: string; successes: number; failures: number };

const ERROR_COLUMNS =
  'batch_export_id, status, latest_error, error_type, error_code, error_owner, error_field, next_try_at';
/** Limit of an export's failed runs that are searched for one without a later delivery, because a longer search would slow a list. */
const MAX_ERRORS_SEARCHED = 200;

/** A run that delivered; `createdAt` is ISO. */
export type PastRun = { rows: number; seconds: number; createdAt: string };

const NEWEST_FIRST: RunOrder = { by: 'created_at', ascending: false };

export function runLists(db: Knex) {
  const table = () => db<RunRow>('batch_export_runs');

  return {
    /** Lists runs with `LISTED_COLUMNS`, by default the newest first; the `createdAt` of a position is the value of the sort column. */
    async list(projectId: number, batchExportId: string, page: PageWindow, choice: RunFilter = {}): Promise<Run[]> {
      const { order = NEWEST_FIRST, statuses = [], created, interval } = choice;
      const { sign, order: direction, edge } = keysetOf(page, order);
      const query = table().where({ project_id: projectId, batch_export_id: batchExportId });
      if (statuses.length > 0) query.whereIn('status', [...statuses]);
      if (created) query.where('created_at', '>=', created.after);
      if (created?.before) query.where('created_at', '<=', created.before);
      if (interval) query.where('data_interval_start', '>=', interval.start);
      if (interval?.end) query.where('data_interval_end', '<=', interval.end);
      if (edge) query.whereRaw(`(${order.by}, id) ${sign} (?, ?)`, [edge.createdAt, edge.id]);
      const rows = await query
        .select<RunRow[]>(db.raw(LISTED_COLUMNS))
        .orderBy([
          { column: order.by, order: direction },
          { column: 'id', order: direction },
        ])
        .limit(page.limit);
      return newestFirst(rows.map(runFromRow), page);
    },

    /** The newest runs of each export with `LISTED_COLUMNS`, newest first, in one query. */
    async listLatest(batchExportIds: readonly string[], perExport: number): Promise<Map<string, Run[]>> {
      const { rows } = await db.raw<{ rows: RunRow[] }>(
        `select run.* from unnest(?::uuid[]) as export (id)
         cross join lateral (
           select ${LISTED_COLUMNS} from batch_export_runs where batch_export_id = export.id order by created_at desc, id desc limit ?
         ) as run`,
        [[...batchExportIds], perExport],
      );
      const byExport = new Map<string, Run[]>(batchExportIds.map((id) => [id, []]));
      for (const row of rows) byExport.get(row.batch_export_id)?.push(runFromRow(row));
      return byExport;
    },

    /** For each export, the newest failed or retrying run whose interval was not delivered since. */
    async findUnresolvedErrors(batchExportIds: readonly string[]): Promise<Map<string, RunError>> {
      const { rows } = await db.raw<{ rows: RunRow[] }>(
        `select run.* from unnest(?::uuid[]) as export (id)
         cross join lateral (
           select ${ERROR_COLUMNS} from (
             select ${ERROR_COLUMNS}, created_at, data_interval_end from batch_export_runs
             where batch_export_id = export.id and status in ('Starting', 'Running', 'Failed', 'FailedRetryable', 'Terminated', 'TimedOut')
             order by created_at desc limit ${MAX_ERRORS_SEARCHED}
           ) as troubled
           where latest_error is not null and not exists (
             select from batch_export_runs as later
             where later.batch_export_id = export.id and later.data_interval_end = troubled.data_interval_end
               and later.created_at > troubled.created_at and later.status = 'Completed')
           order by created_at desc limit 1
         ) as run`,
        [[...batchExportIds]],
      );
      return new Map(rows.map((row) => [row.batch_export_id, runFromRow(row)]));
    },

    /** The newest run of an export that delivered and began before an instant. */
    async findLastSuccess(batchExportId: string, before: string): Promise<Run | undefined> {
      const [row] = await table()
        .where({ batch_export_id: batchExportId, status: 'Completed' })
        .where('created_at', '<', before)
        .orderBy('created_at', 'desc')
        .limit(1)
        .select<RunRow[]>(db.raw(LISTED_COLUMNS));
      return row && runFromRow(row);
    },

    /**
     * Rows and duration of the newest runs of an export that completed by themselves. Runs that the reconciler completed or an operator
     * adopted have no true duration.
     */
    async listPastRuns(batchExportId: string, limit: number): Promise<PastRun[]> {
      const { rows } = await db.raw<{ rows: PastRun[] }>(
        `select records_completed::float8 as rows, extract(epoch from finished_at - created_at)::float8 as seconds,
           created_at as "createdAt"
         from batch_export_runs
         where batch_export_id = ? and status = 'Completed' and closed_by = 'run' and records_completed is not null
         order by created_at desc limit ?`,
        [batchExportId, limit],
      );
      return rows;
    },

    /** Counts how runs ended on each day of a range, including both ends and days without runs. */
    async countPerDay(batchExportId: string, days: { from: string; to: string }): Promise<RunsOfDay[]> {
      const { rows } = await db.raw<{ rows: RunsOfDay[] }>(
        `with days as (
           select cast(day as date) as day
           from generate_series(cast(:from as timestamp), cast(:to as timestamp), interval '1 day') as day
         ), ended as (
           select cast(finished_at at time zone 'UTC' as date) as day, count(*) filter (where status = 'Completed') as successes,
             count(*) filter (where status in ('Failed', 'FailedRetryable')) as failures
           from batch_export_runs
           where batch_export_id = :batchExportId and finished_at >= cast(:from as timestamptz)
             and finished_at < cast(:to as timestamptz) + interval '1 day'
           group by 1
         )
         select to_char(day, 'YYYY-MM-DD') as day, coalesce(successes, 0)::int as successes, coalesce(failures, 0)::int as failures
         from days left join ended using (day) order by 1`,
        { batchExportId, ...days },
      );
      return rows;
    },
  };
}
