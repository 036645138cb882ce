/** Stored persons, and events before they are stored. */
import type { Pool } from '../../../src/platform/db/connection.ts';
import type { NewEvent } from '../../../src/events/ingest/event-rows.ts';
import { readPersonEffects, type Properties } from '../../../src/events/persons/effects.ts';
import { buildEvent, microseconds } from '../events/events.ts';
import type { PersonEvent, State } from '../events/person-memory.ts';

/** The event as capture reads it. */
export function buildPersonEvent({ event, distinctId, properties, timestamp }: PersonEvent): NewEvent {
  return buildEvent({
    event,
    distinctId,
    timestamp,
    properties: JSON.stringify(properties),
    person: readPersonEffects(event, distinctId, properties),
  });
}

type PersonRow = { id: string; properties: Properties; is_identified: boolean; created_at: string; ids: string[] };

/** All persons of a project. */
export async function storedPersons(pool: Pool, projectId: number): Promise<State> {
  const { rows } = await pool.query<PersonRow>(
    `select id, properties, is_identified, created_at,
       (select array_agg(distinct_id) from person_distinct_ids as known
         where known.project_id = persons.project_id and known.person_id = persons.id) as ids
     from persons where project_id = $1`,
    [projectId],
  );
  return Object.fromEntries(
    rows.map(({ ids, id, properties, is_identified: isIdentified, created_at: createdAt }) => [
      ids.sort().join(','),
      { id, properties, isIdentified, createdAt: microsecondsOf(createdAt) },
    ]),
  );
}

function microsecondsOf(instant: string): bigint {
  return microseconds(instant) + BigInt(instant.slice(-4, -1));
}

export type SeenPerson = { id: string; properties: Properties };

/** The person that each event of a project is stored with, by the event's uuid. */
export async function personsOfEvents(pool: Pool, projectId: number): Promise<Map<string, SeenPerson>> {
  const { rows } = await pool.query<{ uuid: string; person_id: string; person_properties: Properties }>(
    'select uuid, person_id, person_properties from events_with_persons where project_id = $1',
    [projectId],
  );
  return new Map(rows.map((row) => [row.uuid, { id: row.person_id, properties: row.person_properties }]));
}

export type PersonVersion = {
  distinct_id: string;
  version: number;
  person_id: string;
  properties: Properties;
  is_identified: boolean;
  created_at: string;
  is_deleted: boolean;
  interval_time: string;
};

/** All versions of a project's persons by distinct id, the oldest first. */
export async function personVersions(pool: Pool, projectId: number): Promise<Map<string, PersonVersion[]>> {
  const { rows } = await pool.query<PersonVersion>(
    `select distinct_id, version::int, person_id, properties, is_identified, created_at, is_deleted, interval_time
     from person_versions_with_properties where project_id = $1 order by distinct_id, version`,
    [projectId],
  );
  return Map.groupBy(rows, (row) => row.distinct_id);
}
