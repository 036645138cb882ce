/**
 * Hides and deletes the old events of projects, with their claims and import ranges. The instant from which events are kept moves first, in
 * a transaction of its own: whoever reads a snapshot that lacks a deleted event also sees that instant.
 */
import type { Pool, PoolClient } from '../../platform/db/connection.ts';
import { inShortTransaction } from '../../platform/db/short-transaction.ts';
import { SQL_STATE, sqlState } from '../../platform/db/sql-states.ts';

/** Limit of rows that one transaction deletes. */
const SLICE_ROWS = 2_000;
/** Limit of each of its statements: shorter than a step of the reconciler, so that a smaller slice can follow. */
const SLICE_SECONDS = 5;
/** Errors after which a slice is left for later: others need the rows now. */
const LOCKED = new Set<string | undefined>([SQL_STATE.lockNotAvailable, SQL_STATE.deadlockDetected]);
/** The shortest retention: with the longest delay of a deletion, an export of months can still deliver the last one. */
const MIN_DAYS = 7;
/** Pause between two attempts to move the instant of a project. */
const CHECK_EVERY = '10 minutes';

/** A project with events that are older than its retention. Instants are ISO. */
export type ExpiringProject = {
  projectId: number;
  days: number;
  /** Instant before which events are older than the retention. */
  limit: string;
  /** Present `retained_from`; null while all events are kept. */
  retainedFrom: string | null;
  /** Instant of the oldest event that may not be hidden; null: there is none. */
  oldest: string | null;
};

/** SQL for the projects whose events have a limit. `$1` is the number of days of projects without their own, 0 for no limit. */
const LIMITED = `
  select project.id as "projectId", days, until as "limit", retained_from as "retainedFrom", checked_at
  from projects as project
  cross join lateral (select coalesce(event_retention_days, case when $1::int > 0 then greatest($1, ${MIN_DAYS}) else 0 end) as days) as setting
  cross join lateral (select date_trunc('hour', wall_clock() - make_interval(days => days), 'UTC') as until) as oldest
  left join event_retention on project_id = project.id
  where days > 0 and (retained_from is null or retained_from < until)`;

/** @param defaultDays of projects without a retention of their own; 0: for ever */
export async function listExpiringProjects(
  pool: Pool,
  defaultDays: number,
  { onlyUnchecked = false } = {},
): Promise<ExpiringProject[]> {
  const { rows } = await pool.query<ExpiringProject>(
    `select "projectId", days, "limit", "retainedFrom",
       coalesce("retainedFrom", (select min(interval_time) from events where project_id = "projectId")) as oldest from (${LIMITED}) as limited
     where not $2 or checked_at is null or checked_at < clock_timestamp() - interval '${CHECK_EVERY}' order by "projectId"`,
    [defaultDays, onlyUnchecked],
  );
  return rows;
}

/** Hides the project's events of before the instant, for good. The instant never moves back. */
export async function hideEvents(pool: Pool, projectId: number, before: string): Promise<void> {
  await pool.query(
    `insert into event_retention as present (project_id, retained_from) values ($1, $2)
     on conflict (project_id) do update set checked_at = clock_timestamp(),
       retained_from = greatest(present.retained_from, excluded.retained_from),
       moved_at = case when present.retained_from < excluded.retained_from then clock_timestamp() else present.moved_at end`,
    [projectId, before],
  );
}

/** Projects with hidden events that are not deleted yet. */
export async function listProjectsWithHiddenEvents(pool: Pool): Promise<HiddenEvents[]> {
  const { rows } = await pool.query<HiddenEvents>(
    `select project_id as "projectId", retained_from as "retainedFrom" from event_retention
     where deleted_until < retained_from order by project_id`,
  );
  return rows;
}

/** Seconds from the oldest hidden event that is not deleted yet to the instant from which its project's events are kept; 0: there is none. */
export async function measureDeletionBacklog(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ seconds: number }>(
    `select coalesce(max(extract(epoch from retained_from - oldest)), 0)::float8 as seconds from event_retention as retention
     cross join lateral (select min(interval_time) as oldest from events where project_id = retention.project_id) as kept
     where deleted_until < retained_from and oldest < retained_from`,
  );
  return rows[0]!.seconds;
}

export type HiddenEvents = { projectId: number; retainedFrom: string };

/** `deleted`: rows that went; `isLast`: whether none is left. */
export type DeletedSlice = { deleted: number; isLast: boolean };

/**
 * Deletes a project's hidden events slice by slice, the oldest first, with their claims; after them its import ranges, and states of persons
 * that only these events have seen.
 * @returns a function that deletes the next slice. `locked`: nothing was deleted because others have locked rows; `slow`: because it took
 * too long, so the next slice is smaller
 */
export function hiddenEventsDeleter(pool: Pool, hidden: HiddenEvents): () => Promise<DeletedSlice | 'locked' | 'slow'> {
  let limit = SLICE_ROWS;
  return async () => {
    try {
      return await deleteSlice(pool, hidden, limit);
    } catch (error) {
      const state = sqlState(error);
      if (LOCKED.has(state)) return 'locked';
      if (state !== SQL_STATE.queryCanceled || limit === 1) throw error;
      limit = Math.ceil(limit / 10);
      return 'slow';
    }
  };
}

async function deleteSlice(
  pool: Pool,
  { projectId, retainedFrom }: HiddenEvents,
  limit: number,
): Promise<DeletedSlice> {
  return inShortTransaction(pool, async (client) => {
    await client.query(`set local statement_timeout = '${SLICE_SECONDS}s'`);
    const events = await deleteEvents(client, projectId, retainedFrom, limit);
    if (events > 0) return { deleted: events, isLast: false };
    const { rowCount: ranges } = await client.query(
      `delete from import_ranges where ctid = any (array(
         select ctid from import_ranges where project_id = $1 and range_to <= $2 order by range_to limit $3 for update skip locked))
         and project_id = $1 and range_to <= $2`,
      [projectId, retainedFrom, limit],
    );
    if (ranges) return { deleted: ranges, isLast: false };
    // Events of a state's transaction are placed when they were stored or earlier. Versions of persons refer to final states.
    const { rowCount: states } = await client.query(
      `delete from person_states where version = any (array(
         select version from person_states where project_id = $1 and not is_final and stored_at < $2 order by stored_at limit $3))`,
      [projectId, retainedFrom, limit],
    );
    if (states) return { deleted: states, isLast: false };
    await client.query('update event_retention set deleted_until = greatest(deleted_until, $2) where project_id = $1', [
      projectId,
      retainedFrom,
    ]);
    return { deleted: 0, isLast: true };
  });
}

/** The instant is a parameter that was committed before: a later one is the next slice's. */
async function deleteEvents(
  client: PoolClient,
  projectId: number,
  retainedFrom: string,
  limit: number,
): Promise<number> {
  const { rows: last } = await client.query<{ interval_time: string; uuid: string }>(
    `select interval_time, uuid from (
       select interval_time, uuid from events where project_id = $1 and interval_time < $2
       order by interval_time, uuid limit $3
     ) as oldest order by interval_time desc, uuid desc limit 1`,
    [projectId, retainedFrom, limit],
  );
  if (!last[0]) return 0;
  const { rows } = await client.query<{ deleted: number }>(
    `with gone as (
       delete from events where project_id = $1 and interval_time < $2 and interval_time <= $3 and (interval_time, uuid) <= ($3, $4)
       returning uuid
     ), claims as (
       delete from event_ids where project_id = $1 and uuid in (select uuid from gone)
     )
     select count(*)::int as deleted from gone`,
    [projectId, retainedFrom, last[0].interval_time, last[0].uuid],
  );
  return rows[0]!.deleted;
}

/** Events of a project that are older than an instant. Instants are ISO; null: no row. */
export type OldEvents = { rows: number; oldest: string | null; newest: string | null };

export async function measureEvents(pool: Pool, projectId: number, before: string): Promise<OldEvents> {
  const { rows } = await pool.query<{ rows: string; oldest: string | null; newest: string | null }>(
    `select count(*) as rows, min(interval_time) as oldest, max(interval_time) as newest
     from events where project_id = $1 and interval_time < $2`,
    [projectId, before],
  );
  return { ...rows[0]!, rows: Number(rows[0]!.rows) };
}
