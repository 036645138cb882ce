/** The API of events and persons, over rows that a test inserts directly, without capture. */
import { randomUUID } from 'node:crypto';
import { createKnex, type Knex } from '../../../src/platform/db/connection.ts';
import { LOOKUP_OPTIONS } from '../../../src/events/table/lookup.ts';
import { createRecordsRoom, recordRoutes } from '../../../src/events/records/room.ts';
import { createGatekeeper } from '../../../src/people/access/gatekeeper.ts';
import { identityStores } from '../../../src/people/stores.ts';
import { startApi, type Api, type ApiAnswer } from '../api/api.ts';
import { createTestDatabase } from './database.ts';
import { answerCheck } from '../api/documented.ts';
import { buildPersonalKey, buildTenant, type Tenant } from '../api/identity.ts';

const checkAnswer = answerCheck(recordRoutes);

export type Lookups = {
  api: Api;
  db: Knex;
  ours: Tenant;
  theirs: Tenant;
  /** Key of our project, with all scopes. */
  key: string;
  /** Sends a request about our project; the path is relative to the project's. */
  request(method: string, path: string, body?: unknown): Promise<ApiAnswer>;
  /** All results of a list, by page. */
  pages(path: string): Promise<Record<string, unknown>[][]>;
  close(): Promise<void>;
};

/** @param statementTimeoutMs of lookups; high, because machines are busy; tests of timeouts set a lower one */
export async function startLookups({ statementTimeoutMs = 50_000 } = {}): Promise<Lookups> {
  const database = await createTestDatabase();
  const db = createKnex({ url: database.url, applicationName: 'test' });
  const lookupDb = createKnex({
    url: database.url,
    ...LOOKUP_OPTIONS,
    statementTimeoutMs,
    answerTimeoutMs: 2 * statementTimeoutMs,
  });
  const { collaborators } = createRecordsRoom(lookupDb);
  const gatekeeper = createGatekeeper(identityStores(db));
  const api = await startApi({ routes: recordRoutes, collaborators, gatekeeper });
  const [ours, theirs] = [await buildTenant(db), await buildTenant(db)];
  const key = await buildPersonalKey(db, ours, '*');

  async function sendRequest(method: string, address: string, body?: unknown): Promise<ApiAnswer> {
    const answer = await api.request(method, address, { key, ...(body !== undefined && { body }) });
    checkAnswer(method, address, answer);
    return answer;
  }
  return {
    api,
    db,
    ours,
    theirs,
    key,
    request: (method, path, body) => sendRequest(method, `/api/projects/${ours.projectId}${path}`, body),
    async pages(path) {
      const pages: Record<string, unknown>[][] = [];
      for (let next: string | null = `/api/projects/${ours.projectId}${path}`; next !== null;) {
        const page = (await sendRequest('GET', next)).body as {
          next: string | null;
          results: Record<string, unknown>[];
        };
        pages.push(page.results);
        next = page.next && page.next.replace(/^https?:\/\/[^/]+/, '');
      }
      return pages;
    },
    async close() {
      await api.stop();
      await Promise.all([db.destroy(), lookupDb.destroy()]);
      await database.drop();
    },
  };
}

type EventRow = {
  uuid: string;
  event: string;
  distinct_id: string;
  person_id: string;
  properties: object;
  person_properties: object;
  elements_chain: string;
  timestamp: string;
  /** Time of storage, by default now; the timestamp for history. */
  interval_time: string;
};

/** Writes events as capture does, with default values for columns that are not given. @returns their uuids */
export async function writeEvents(db: Knex, projectId: number, events: Partial<EventRow>[]): Promise<string[]> {
  const rows = events.map((event) => ({
    uuid: randomUUID(),
    event: 'pageview',
    distinct_id: 'someone',
    person_id: randomUUID(),
    properties: {},
    person_properties: {},
    elements_chain: '',
    timestamp: event.interval_time ?? new Date().toISOString(),
    ...event,
  }));
  await db.raw(
    `with given as (
       select * from jsonb_to_recordset(:rows) as given (uuid uuid, event text, distinct_id text, person_id uuid, properties jsonb,
         person_properties jsonb, elements_chain text, "timestamp" timestamptz, interval_time timestamptz)
     ), claimed as (insert into event_ids select :projectId, uuid from given)
     insert into events
       select :projectId, uuid, event, distinct_id, person_id, properties, person_properties, elements_chain, "timestamp",
         coalesce(interval_time, now()), ingest_now(), coalesce(interval_time, ingest_now()), length(properties::text)
       from given`,
    { projectId, rows: JSON.stringify(rows) },
  );
  return rows.map(({ uuid }) => uuid);
}

export type PersonRow = {
  id: string;
  distinctIds: string[];
  properties: object;
  is_identified: boolean;
  created_at: string;
};

/** Writes persons as the ingest transaction does. @returns the id */
export async function writePerson(db: Knex, projectId: number, fields: Partial<PersonRow> = {}): Promise<string> {
  const { distinctIds = [randomUUID()], ...columns } = fields;
  const person = {
    id: randomUUID(),
    is_identified: false,
    created_at: '2015-05-17T10:05:03.123456Z',
    ...columns,
    properties: JSON.stringify(columns.properties ?? {}),
  };
  await db('persons').insert({ project_id: projectId, ...person });
  const rows = distinctIds.map((distinctId) => ({
    project_id: projectId,
    distinct_id: distinctId,
    person_id: person.id,
    version: 1,
    interval_time: person.created_at,
  }));
  await db.batchInsert('person_distinct_ids', rows);
  return person.id;
}
