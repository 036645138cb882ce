/** The events that each SDK's program sends to a server, and a check that all are stored. The programs are in `test/sdks/`. */
import assert from 'node:assert/strict';
import type { Tenant } from '../api/identity.ts';
import type { Sluice } from '../servers/sluice.ts';

/** An event that the SDK reports as sent. */
export type ReportedEvent = {
  /** Absent if the server assigns it. */
  uuid?: string;
  event: string;
  distinct_id: string;
  properties?: Record<string, unknown>;
};

/** Ids of a user before and after sign-up, and of the company; `batch`: number of events sent at once. `story.py` has the same. */
export const STORY = { anonymous: 'visitor-1', user: 'user-1', company: 'acme', batch: 100 } as const;

export type Row = Required<ReportedEvent> & {
  person_id: string;
  person_properties: Record<string, unknown>;
  seconds_ago: number;
};

/** The events of a project. */
export async function readEvents({ pool }: Sluice, { projectId }: Tenant): Promise<Row[]> {
  const { rows } = await pool.query<Row>(
    `select uuid, event, distinct_id, person_id, properties, person_properties,
            extract(epoch from now() - "timestamp")::float8 as seconds_ago
     from events where project_id = $1 order by inserted_at, "timestamp", uuid`,
    [projectId],
  );
  return rows;
}

/** Asserts that every reported event is stored once and no other event is, and that each has the SDK's version and a time in the last minute. */
export function assertStoredOnce(
  rows: readonly Row[],
  reported: readonly ReportedEvent[],
  { version }: { version: string },
): void {
  const given = new Set(reported.map(({ uuid }) => uuid));
  const stored = rows.map(({ uuid, ...row }) => (given.has(uuid) ? { uuid, ...row } : row));
  assert.deepEqual(comparableEvents(stored), comparableEvents(reported));
  for (const { event, properties, seconds_ago } of rows) {
    assert.equal(properties['$lib_version'], version, event);
    assert.ok(Math.abs(seconds_ago) < 60, `${event} is said to have happened ${seconds_ago} s ago`);
  }
}

function comparableEvents(events: readonly ReportedEvent[]): string[] {
  return events
    .map(({ uuid, event, distinct_id, properties }) =>
      JSON.stringify({ event, distinct_id, n: properties?.['n'], uuid }),
    )
    .sort();
}

/**
 * Asserts that all ids belong to one person, who has the properties of `$set` and `$set_once`, and that later events have that person with
 * the properties of that time.
 * @param distinctIds that must have become one person
 */
export async function assertOnePerson(sluice: Sluice, tenant: Tenant, rows: readonly Row[], distinctIds: string[]) {
  const { rows: found } = await sluice.pool.query<PersonOfId>(
    `select distinct_id, person_id, persons.properties, is_identified
     from person_distinct_ids join persons on persons.project_id = person_distinct_ids.project_id and id = person_id
     where persons.project_id = $1`,
    [tenant.projectId],
  );
  const known = new Map(found.map((row) => [row.distinct_id, row]));
  const person = known.get(STORY.user);
  assert.ok(person, 'the user has no person');
  assert.ok(person.is_identified);
  for (const id of distinctIds) assert.equal(known.get(id)?.person_id, person.person_id, `${id} is somebody else`);
  const { email, plan, first_seen } = person.properties;
  assert.deepEqual({ email, plan, first_seen }, { email: 'ada@example.com', plan: 'pro', first_seen: 'monday' });

  for (const row of rows.filter(({ event }) => ['came back', 'paid', 'invited', 'counted'].includes(event))) {
    assert.equal(row.person_id, person.person_id, `${row.event} is somebody else's`);
    assert.equal(row.person_properties['first_seen'], 'monday', row.event);
    if (row.event === 'counted') assert.equal(row.person_properties['plan'], 'pro');
  }
}

type PersonOfId = {
  distinct_id: string;
  person_id: string;
  properties: Record<string, unknown>;
  is_identified: boolean;
};

/** Asserts that the company is stored with its type and key, and that its events refer to it by the index of its type. */
export async function assertCompany({ pool }: Sluice, { projectId }: Tenant, rows: readonly Row[]): Promise<void> {
  const { rows: groups } = await pool.query(
    `select group_type_index, group_type, group_key, properties from groups join group_types using (project_id, group_type_index)
     where project_id = $1`,
    [projectId],
  );
  const company = {
    group_type_index: 0,
    group_type: 'company',
    group_key: STORY.company,
    properties: { tier: 'gold' },
  };
  assert.deepEqual(groups, [company]);
  const invited = rows.filter(({ event }) => event === 'invited');
  assert.deepEqual(
    invited.map(({ properties }) => properties['$group_0']),
    [STORY.company],
  );
}
