/** Progress of the parts of open runs. */
import type { Knex } from '../../platform/db/connection.ts';
import { OPEN_STATUSES } from '../domain/statuses.ts';

export type PartProgress = { part: number; rows: number; bytes: number };
/** `updatedAt`: time of the last progress report, ISO; null if there was none, because no part took a second. */
export type RunProgress = { rows: number; bytes: number; stagedParts: number; updatedAt: string | null };

export function progressStore(db: Knex) {
  return {
    /** Stores the progress of parts, unless their run has ended. */
    async record(runId: string, parts: readonly PartProgress[]): Promise<void> {
      await db.raw(
        `insert into batch_export_progress (run_id, part, rows, bytes)
         select run.id, moving.* from batch_export_runs as run, unnest(:parts::int[], :rows::bigint[], :bytes::bigint[]) as moving
         where run.id = :runId and run.status = any (:open)
         on conflict (run_id, part) do update set rows = excluded.rows, bytes = excluded.bytes, updated_at = excluded.updated_at`,
        {
          runId,
          open: [...OPEN_STATUSES],
          parts: parts.map(({ part }) => part),
          rows: parts.map(({ rows }) => rows),
          bytes: parts.map(({ bytes }) => bytes),
        },
      );
    },

    /** Progress of a run, summed over its staged parts and those that are being staged. */
    async getOfRun(runId: string): Promise<RunProgress> {
      const { rows } = await db.raw<{ rows: RunProgress[] }>(
        `select coalesce(sum(rows), 0)::float8 as rows, coalesce(sum(bytes), 0)::float8 as bytes,
           (count(*) filter (where staged))::int as "stagedParts", max(updated_at) as "updatedAt"
         from (
           select part, (staged ->> 'rows')::bigint as rows, (staged ->> 'contentBytes')::bigint as bytes, true as staged,
             null::timestamptz as updated_at
           from batch_export_parts where run_id = :runId
           union all
           select part, rows, bytes, false, updated_at from batch_export_progress as moving where run_id = :runId
             and not exists (select from batch_export_parts where run_id = :runId and part = moving.part)
         ) as parts`,
        { runId },
      );
      return rows[0]!;
    },
  };
}
