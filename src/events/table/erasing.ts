/**
 * Finds and deletes the rows of persons who are to be erased, slice by slice. Events have no index by person, so all events of the project
 * are read once, in the order of the index of intervals; the position is stored with each deletion. Claims stay: an event that is sent again
 * stays deleted.
 */
import type { Pool, PoolClient } from '../../platform/db/connection.ts';
import { inShortTransaction } from '../../platform/db/short-transaction.ts';

/** Why rows remain at a destination. */
export const REMAINDER_REASONS = [
  'append_destination',
  'delivery_in_doubt',
  'earlier_place',
  'export_deleted',
  'export_paused',
  'foreign_delivery',
  'leftover_files',
  'merged_table',
  'redelivery_failed',
  'rows_found',
  'search_failed',
  'source_expired',
  'superseded_files',
] as const;
export type RemainderReason = (typeof REMAINDER_REASONS)[number];

/** Limit of events that are searched at once. */
const SEARCHED_ROWS = 20_000;
/** Limit of rows that are deleted at once: each export is asked in which of its deliveries they are. */
const DELETED_ROWS = 200;

/** An erasure whose rows are not all deleted. Instants are ISO. */
export type OpenErasure = {
  id: string;
  projectId: number;
  storedBefore: string;
  personIds: string[];
  distinctIds: string[];
  searchedTime: string;
  searchedUuid: string;
};

export type ErasedEvent = { intervalTime: string; uuid: string; session: string | null };
export type ErasedVersion = { intervalTime: string; distinctId: string; version: string };

/**
 * Rows that were found and are to be deleted together. `until`: position up to which events are searched then. `keptPersonIds`: former persons
 * with events that stay and refer to their states.
 */
export type ErasedEvents = {
  events: ErasedEvent[];
  until: { time: string; uuid: string };
  keptPersonIds: string[];
};

/** Erasures with rows that are not deleted yet, the oldest first. */
export async function listOpenErasures(pool: Pool): Promise<OpenErasure[]> {
  const { rows } = await pool.query<OpenErasure>(
    `select id, project_id as "projectId", stored_before as "storedBefore", person_ids as "personIds", distinct_ids as "distinctIds",
       searched_time as "searchedTime", searched_uuid as "searchedUuid"
     from erasures where finished_at is null and rows_deleted_at is null order by created_at`,
  );
  return rows;
}

/**
 * The next events of the persons.
 * @param formerPersonIds persons that the distinct ids may have had before
 * @returns null once all events have been searched
 */
export async function findErasedEvents(
  pool: Pool,
  erasure: OpenErasure,
  formerPersonIds: readonly string[],
): Promise<ErasedEvents | null> {
  const { rows } = await pool.query<{
    events: ErasedEvent[] | null;
    keptPersonIds: string[] | null;
    lastTime: string | null;
    lastUuid: string | null;
  }>(
    `with searched as materialized (
       select interval_time, uuid, inserted_at, distinct_id, person_id, person_state from events
       where project_id = $1 and interval_time >= $2 and interval_time < $4 and (interval_time, uuid) > ($2, $3)
       order by interval_time, uuid limit ${SEARCHED_ROWS}
     ), found as materialized (
       select interval_time, uuid from searched
       where inserted_at < $4 and (distinct_id = any ($5::text[]) or person_id = any ($6::uuid[]))
       order by interval_time, uuid limit ${DELETED_ROWS}
     ), described as (
       select to_char(interval_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "intervalTime", uuid,
         nullif(properties ->> '$session_id', '') as session
       from found cross join lateral (
         select properties from events
         where project_id = $1 and events.interval_time = found.interval_time and events.uuid = found.uuid limit 1) as stored
     ), last as (
       select interval_time, uuid from searched
       where (select count(*) from found) < ${DELETED_ROWS} or (interval_time, uuid) = (select interval_time, uuid from found order by 1 desc, 2 desc limit 1)
       order by interval_time desc, uuid desc limit 1
     )
     select (select json_agg(described order by "intervalTime", uuid) from described) as events,
       (select array_agg(distinct person_id) from searched
         where person_id = any ($7::uuid[]) and person_state > 0 and not distinct_id = any ($5::text[])) as "keptPersonIds",
       (select interval_time from last) as "lastTime", (select uuid from last) as "lastUuid"`,
    [
      erasure.projectId,
      erasure.searchedTime,
      erasure.searchedUuid,
      erasure.storedBefore,
      erasure.distinctIds,
      erasure.personIds,
      formerPersonIds,
    ],
  );
  const { events, keptPersonIds, lastTime, lastUuid } = rows[0]!;
  return lastTime === null || lastUuid === null
    ? null
    : { events: events ?? [], until: { time: lastTime, uuid: lastUuid }, keptPersonIds: keptPersonIds ?? [] };
}

/**
 * The next earlier states of the persons, oldest first for each distinct id; the versions that tell of the deletion stay. Those before it are
 * earlier ones, whatever their instants: a version is never placed before the one before. A distinct id without a person has no such version.
 */
export async function findErasedVersions(pool: Pool, erasure: OpenErasure): Promise<ErasedVersion[]> {
  const { rows } = await pool.query<ErasedVersion>(
    `select interval_time as "intervalTime", distinct_id as "distinctId", version::text from person_versions
     where project_id = $1 and distinct_id = any ($2::text[]) and not is_deleted and (interval_time < $3 or version < (
       select min(deletion.version) from person_versions as deletion
       where deletion.project_id = $1 and deletion.distinct_id = person_versions.distinct_id and deletion.is_deleted
         and deletion.interval_time >= $3))
     order by distinct_id, person_versions.version limit ${DELETED_ROWS}`,
    [erasure.projectId, erasure.distinctIds, erasure.storedBefore],
  );
  return rows;
}

/**
 * Deletes the events, moves the position behind them, and does `record` in the same transaction.
 * @returns false if another process has moved the position meanwhile: nothing was done
 */
export async function deleteErasedEvents(
  pool: Pool,
  erasure: OpenErasure,
  { events, until, keptPersonIds }: ErasedEvents,
  record: (client: PoolClient) => Promise<void>,
): Promise<boolean> {
  return inShortTransaction(pool, async (client) => {
    const { rowCount: moved } = await client.query(
      `update erasures set state = 'deleting', searched_time = $4, searched_uuid = $5,
         kept_person_ids = array(select distinct kept from unnest(kept_person_ids || $6::uuid[]) as kept)
       where id = $1 and searched_time = $2 and searched_uuid = $3 and rows_deleted_at is null`,
      [erasure.id, erasure.searchedTime, erasure.searchedUuid, until.time, until.uuid, keptPersonIds],
    );
    if (moved === 0) return false;
    const { rowCount: deleted } = await client.query(
      `delete from events using unnest($2::timestamptz[], $3::uuid[]) as found (found_time, found_uuid)
       where project_id = $1 and interval_time = found_time and uuid = found_uuid
         and interval_time >= $4 and interval_time <= $5`,
      [
        erasure.projectId,
        events.map(({ intervalTime }) => intervalTime),
        events.map(({ uuid }) => uuid),
        events[0]?.intervalTime ?? until.time,
        until.time,
      ],
    );
    await client.query('update erasures set events_deleted = events_deleted + $2 where id = $1', [erasure.id, deleted]);
    await record(client);
    return true;
  });
}

/** Deletes the versions, and does `record` in the same transaction. @returns false if another process has deleted some: nothing was done */
export async function deleteErasedVersions(
  pool: Pool,
  erasure: OpenErasure,
  versions: readonly ErasedVersion[],
  record: (client: PoolClient) => Promise<void>,
): Promise<boolean> {
  return inShortTransaction(pool, async (client) => {
    await client.query('select from erasures where id = $1 for update', [erasure.id]);
    const { rowCount: deleted } = await client.query(
      `delete from person_versions using unnest($2::text[], $3::bigint[]) as found (found_id, found_version)
       where project_id = $1 and distinct_id = found_id and person_versions.version = found_version`,
      [erasure.projectId, versions.map(({ distinctId }) => distinctId), versions.map(({ version }) => version)],
    );
    if (deleted === 0) return false;
    await client.query('update erasures set person_versions_deleted = person_versions_deleted + $2 where id = $1', [
      erasure.id,
      deleted,
    ]);
    await record(client);
    return true;
  });
}

/**
 * Deletes states of the persons, once the events and versions that refer to them are gone. Call it until none is left.
 *
 * A person that was merged into one of them has states under its own id, and its other distinct ids are mostly among those to be erased.
 * But if it was deleted once, and its distinct ids came to several persons, then events of others may refer to its states, and these stay.
 * @returns how many were deleted
 */
export async function deleteErasedStates(
  pool: Pool,
  erasure: OpenErasure,
  formerPersonIds: readonly string[],
): Promise<number> {
  // tooth: states-of-others
  const { rowCount } = await inShortTransaction(pool, (client) =>
    client.query(
      `delete from person_states where version = any (array(
         select version from person_states as state
         where project_id = $1 and stored_at < $2 and (person_id = any ($3::uuid[])
             or person_id = any ($4::uuid[]) and not person_id = any ((select kept_person_ids from erasures where id = $5)::uuid[]))
           and not exists (select from person_versions as versions where versions.person_state = state.version)
         limit ${DELETED_ROWS}))`,
      [erasure.projectId, erasure.storedBefore, erasure.personIds, formerPersonIds, erasure.id],
    ),
  );
  return rowCount ?? 0;
}

/** Records that all rows are deleted. The instant is read after their deletion was committed, so a run that begins later reads none of them. */
export async function endDeletion(pool: Pool, erasureId: string): Promise<void> {
  await pool.query(
    `update erasures set state = 'redelivering', rows_deleted_at = clock_timestamp() where id = $1 and rows_deleted_at is null`,
    [erasureId],
  );
}
