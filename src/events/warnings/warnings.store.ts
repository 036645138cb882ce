/** Ingestion warnings as they are kept: counted by minute, with a few examples. */
import type { Knex } from '../../platform/db/connection.ts';

/** Examples stored per minute, and shown per code. */
export const EXAMPLES = 5;

/** ISO instants in UTC. */
export type WarningExample = { detail: string; seen_at: string; distinct_id?: string; event_uuid?: string };

/** Warnings of one code in one minute. */
export type WarningMinute = {
  projectId: number;
  code: string;
  minute: string;
  count: number;
  lastSeen: string;
  /** The newest first, at most `EXAMPLES`. */
  examples: WarningExample[];
  /** Counted once a day: ignored if there is one of this day already. */
  daily: boolean;
};

export type WarningSummary = Omit<WarningMinute, 'projectId' | 'minute' | 'daily'>;

/** Half-open; an instant within a minute counts for the whole of it. */
export type WarningPeriod = { from?: string | undefined; to?: string | undefined };

type SummaryRow = { code: string; count: string; last_seen: string; examples: WarningExample[][] };

const LAST_EXAMPLE = EXAMPLES - 1;

export function warningStore(db: Knex) {
  return {
    /** Adds to the stored counts. Warnings of projects that are gone are ignored. */
    async add(minutes: readonly WarningMinute[]): Promise<void> {
      const rows = minutes.map(({ projectId, lastSeen, ...others }) => ({
        ...others,
        project_id: projectId,
        last_seen: lastSeen,
      }));
      // Sorted, because two processes could deadlock otherwise.
      await db.raw(
        `insert into ingestion_warnings as kept (project_id, code, minute, count, last_seen, examples)
           select given.project_id, code, minute, count, last_seen, examples
           from jsonb_to_recordset(?) as given
             (project_id int, code text, minute timestamptz, count bigint, last_seen timestamptz, examples jsonb, daily boolean)
             join projects on projects.id = given.project_id
           where not (given.daily and exists (
             select from ingestion_warnings as known
             where known.project_id = given.project_id and known.code = given.code
               and known.minute >= date_trunc('day', given.minute, 'UTC')))
           order by given.project_id, code, minute
         on conflict (project_id, code, minute) do update set
           count = kept.count + excluded.count,
           last_seen = greatest(kept.last_seen, excluded.last_seen),
           examples = jsonb_path_query_array(excluded.examples || kept.examples, '$[0 to ${LAST_EXAMPLE}]')`,
        [JSON.stringify(rows)],
      );
    },

    /** Lists one summary for each code, the last seen first. */
    async list(projectId: number, { from, to }: WarningPeriod): Promise<WarningSummary[]> {
      const { rows } = await db.raw<{ rows: SummaryRow[] }>(
        `with kept as (
           select * from ingestion_warnings
           where project_id = :projectId
             and minute >= coalesce(date_trunc('minute', cast(:from as timestamptz)), '-infinity')
             and minute < coalesce(cast(:to as timestamptz), 'infinity')
         )
         select code, sum(count)::bigint as count, max(last_seen) as last_seen,
           array(select examples from kept as newest where newest.code = kept.code
                 order by minute desc limit ${EXAMPLES}) as examples
         from kept group by code order by max(last_seen) desc, code`,
        { projectId, from: from ?? null, to: to ?? null },
      );
      return rows.map((row) => ({
        code: row.code,
        count: Number(row.count),
        lastSeen: row.last_seen,
        examples: row.examples.flat().slice(0, EXAMPLES),
      }));
    },

    /** Deletes warnings older than that many days. */
    async forget(days: number): Promise<void> {
      await db.raw('delete from ingestion_warnings where minute < now() - make_interval(days => ?)', [days]);
    },
  };
}

export type WarningStore = ReturnType<typeof warningStore>;
