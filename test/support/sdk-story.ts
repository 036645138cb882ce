/** What every SDK is made to tell a server, and whether all of it is there. The tellers are in `test/sdks/`. */
import assert from 'node:assert/strict';
import type { Tenant } from './identity.ts';
import type { Sluice } from './sluice.ts';

/** An event as the SDK says that it sent it. */
export type Said = {
  /** Absent where the SDK leaves it to the server. */
  uuid?: string;
  event: string;
  distinct_id: string;
  properties?: Record<string, unknown>;
};

/** Who the story is about: a visitor who signs up, and the visitor's company. The same in `test/sdks/story.py`. */
export const STORY = { anonymous: 'visitor-1', user: 'user-1', company: 'acme', batch: 100 } as const;

export type Row = Required<Said> & {
  person_id: string;
  person_properties: Record<string, unknown>;
  seconds_ago: number;
};

/** The events of a project. */
export async function storedRows({ pool }: Sluice, { projectId }: Tenant): Promise<Row[]> {
  const { rows } = await pool.query<Row>(
    `select uuid, event, distinct_id, person_id, properties, person_properties,
            extract(epoch from now() - "timestamp")::float8 as seconds_ago
     from events where project_id = $1 order by inserted_at, "timestamp", uuid`,
    [projectId],
  );
  return rows;
}

/** Every event that was said to be sent is there once, as it was said and by whom, and nothing else is there. */
export function assertStoredOnce(rows: readonly Row[], said: readonly Said[], { version }: { version: string }): void {
  const given = new Set(said.map(({ uuid }) => uuid));
  const stored = rows.map(({ uuid, ...row }) => (given.has(uuid) ? { uuid, ...row } : row));
  assert.deepEqual(comparable(stored), comparable(said));
  for (const { event, properties, seconds_ago } of rows) {
    assert.equal(properties['$lib_version'], version, event);
    assert.ok(Math.abs(seconds_ago) < 60, `${event} is said to have happened ${seconds_ago} s ago`);
  }
}

function comparable(events: readonly Said[]): string[] {
  return events
    .map(({ uuid, event, distinct_id, properties }) =>
      JSON.stringify({ event, distinct_id, n: properties?.['n'], uuid }),
    )
    .sort();
}
