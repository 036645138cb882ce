/**
 * The promise of the seal, and the proof that the test could see it broken: readers that trust a plain timestamp column lose
 * rows in the same run.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPool, type Pool } from '../../../src/platform/db/connection.ts';
import type { NewEvent } from '../../../src/events/ingest/event-rows.ts';
import { createIngest, INGEST_TIMEOUTS, type Ingest, type RefusedRows } from '../../../src/events/ingest/ingest.ts';
import { NO_EFFECTS, type PersonEffects } from '../../../src/events/persons/effects.ts';
import { createSealer } from '../../../src/events/table/seal.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildEvent, buildRows, microseconds } from '../../support/events/events.ts';
import { seeded } from '../../support/random.ts';

const SEED = 20_150_517;
const SECONDS = 18;
/** Of each reader, at least. */
const SEALS = 31;
/** Two processes that store events, with a pool each. */
const PROCESSES = 2;
const WRITERS_OF_PROCESS = 7;
/** Writers that merge persons are each alone in their project. */
const PROJECTS = [1, 2, 3];
const PEOPLE = 60;

/**
 * Delays that make a transaction long, in the places where it is at work: before it has the seal's lock, between a change of persons (which
 * takes the lock) and the rows, and after the rows. The naive control has what the transaction stored, by a column's `default now()`.
 */
const HOLDS = `
  create table naive (uuid uuid, inserted_at timestamptz default now());
  create index on naive (inserted_at);

  create function hold(longest float8) returns void language plpgsql volatile as $$
  begin
    perform pg_sleep(case when random() < 0.008 then random() * longest else random() * 0.1 end);
    if random() < 0.03 then
      raise exception 'rolled back' using errcode = 'serialization_failure';
    end if;
  end $$;

  create function hold_claims() returns trigger language plpgsql as $$
  begin
    if random() < 0.1 then perform hold(1); end if;
    return null;
  end $$;
  create trigger hold_claims after insert on event_ids for each statement execute function hold_claims();

  create function hold_persons() returns trigger language plpgsql as $$
  begin
    perform hold(3);
    return null;
  end $$;
  create trigger hold_persons after insert on person_versions for each statement execute function hold_persons();

  create function hold_events() returns trigger language plpgsql as $$
  begin
    insert into naive select uuid from stored;
    perform hold(3);
    return null;
  end $$;
  create trigger hold_events after insert on events referencing new table as stored for each statement execute function hold_events();
`;

/** The models that a seal makes final: each row's identity and the instant that places it. */
const MODELS = {
  events: { id: 'uuid::text', instant: 'inserted_at' },
  person_versions: { id: `project_id || ' ' || distinct_id || ' ' || version`, instant: 'interval_time' },
} as const;
type Model = keyof typeof MODELS;

describe('sealing under load', function () {
  this.timeout((SECONDS + 100) * 1000);
  let database: TestDatabase;
  let pool: Pool;

  before(async () => {
    database = await createTestDatabase();
    pool = createPool({ url: database.url, applicationName: 'test', maxConnections: 12 });
    await pool.query(`
      create table clock_step (seconds float8);
      insert into clock_step values (0);
      create or replace function wall_clock() returns timestamptz language sql volatile as
        'select clock_timestamp() + make_interval(secs => (select seconds from clock_step))';
      ${HOLDS}`);
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });

  it(`loses nothing and doubles nothing, while a plain timestamp loses rows (seed ${SEED})`, async () => {
    const random = seeded(SEED).next;
    const another = () => seeded(random() * 2 ** 32).next;
    const stop = { now: false };
    const processes = Array.from({ length: PROCESSES }, () =>
      createPool({
        url: database.url,
        applicationName: 'test-ingest',
        maxConnections: WRITERS_OF_PROCESS,
        ...INGEST_TIMEOUTS,
      }),
    );
    const writers = Promise.all(
      processes.flatMap((connections) => {
        const ingest = createIngest(connections);
        return Array.from({ length: WRITERS_OF_PROCESS }, () => write(ingest, stop, another()));
      }),
    );
    const quiet = Promise.all([writers, stepClock(stop, random)]);
    const readers = [readSealed(stop, quiet, another()), readSealed(stop, quiet, another())];
    const naive = readNaive(stop, quiet);

    // On a busy machine there are few seals in that time.
    const end = performance.now() + SECONDS * 1000;
    while (performance.now() < end || readers.some(({ seals }) => seals < SEALS)) await sleep(100);
    stop.now = true;
    const committed = (await writers).flat();
    await Promise.all(processes.map((connections) => connections.end()));

    const { rows } = await pool.query<{ id: string }>(`select ${MODELS.person_versions.id} as id from person_versions`);
    const expected = { events: committed, person_versions: rows.map(({ id }) => id) };
    assert.ok(expected.person_versions.length > 100, `${expected.person_versions.length} versions of persons`);
    for (const { done, seen } of readers) {
      await done;
      for (const [model, stored] of Object.entries(expected)) assertSame(model, seen[model as Model], stored);
    }
    const naively = await naive;
    const lost = committed.filter((uuid) => !naively.has(uuid)).length;
    assert.ok(
      lost > committed.length / 1000,
      `the control lost ${lost} of ${committed.length}: the test shows nothing`,
    );
  });

  /** Seals again and again with a sealer of its own and reads what lies between two seals. */
  function readSealed(stop: { now: boolean }, quiet: Promise<unknown>, random: () => number) {
    const sealer = createSealer(pool);
    const seen: Record<Model, string[]> = { events: [], person_versions: [] };
    const read = async () => {
      let from = '-infinity';
      for (let last = false; !last; reader.seals++) {
        last = stop.now;
        if (last) await quiet;
        const until = await sealer.seal();
        for (const [model, { id, instant }] of Object.entries(MODELS))
          seen[model as Model].push(...(await idsBetween({ table: model, id, instant }, from, until)));
        from = until;
        await sleep(random() * 100);
      }
    };
    const reader = { seen, seals: 0, done: Promise.resolve() };
    reader.done = read();
    return reader;
  }

  /** The control: reads up to the database's present by the time that the transaction began, as `default now()` sets it. */
  async function readNaive(stop: { now: boolean }, quiet: Promise<unknown>): Promise<Set<string>> {
    const seen: string[] = [];
    let from = '-infinity';
    for (let last = false; !last;) {
      last = stop.now;
      if (last) await quiet;
      const { rows } = await pool.query<{ now: string }>('select clock_timestamp() as now');
      const until = rows[0]!.now;
      seen.push(...(await idsBetween({ table: 'naive', id: 'uuid::text', instant: 'inserted_at' }, from, until)));
      from = until;
      await sleep(200);
    }
    return new Set(seen);
  }

  type Place = { table: string; id: string; instant: string };

  async function idsBetween({ table, id, instant }: Place, from: string, until: string): Promise<string[]> {
    const { rows } = await pool.query<{ id: string }>(
      `select ${id} as id from ${table} where ${instant} >= $1 and ${instant} < $2`,
      [from, until],
    );
    return rows.map((row) => row.id);
  }

  /** The database's clock jumps by up to two seconds either way, several times a second. */
  async function stepClock(stop: { now: boolean }, random: () => number): Promise<void> {
    while (!stop.now) {
      await pool.query('update clock_step set seconds = $1', [(random() - 0.5) * 4]);
      await sleep(400);
    }
    // Ahead of every step, so that the last seal is past everything.
    await pool.query('update clock_step set seconds = 2');
  }
});

function assertSame(model: string, seen: readonly string[], stored: readonly string[]): void {
  const distinct = new Set(seen);
  assert.equal(seen.length - distinct.size, 0, `${model}: doubled`);
  assert.equal(stored.filter((id) => !distinct.has(id)).length, 0, `${model}: lost`);
  assert.equal(distinct.size, stored.length, `${model}: stored without having been committed`);
}

/** Stores groups of events as capture does, live ones and history, again where it is not known whether they were stored. @returns what was stored */
async function write(ingest: Ingest, stop: { now: boolean }, random: () => number): Promise<string[]> {
  const committed: string[] = [];
  while (!stop.now) {
    const projectId = PROJECTS[Math.floor(random() * PROJECTS.length)]!;
    const requests = Array.from({ length: 1 + Math.floor(random() * 2) }, () =>
      Array.from({ length: 1 + Math.floor(random() * 10) }, () => anyEvent(random)),
    );
    const rows = requests.map((events) => buildRows(events, { projectId, historical: random() < 0.2 }));
    const refused = await storeSurely(ingest, projectId, rows);
    for (const [index, events] of requests.entries()) {
      const isRefused = new Set(refused[index]);
      committed.push(...events.filter((_, at) => !isRefused.has(at)).map(({ uuid }) => uuid));
    }
    await sleep(random() * 30);
  }
  return committed;
}

async function storeSurely(ingest: Ingest, ...given: Parameters<Ingest['store']>): Promise<RefusedRows> {
  for (;;) {
    try {
      return await ingest.store(...given);
    } catch (error) {
      if ((error as Error).name !== 'Unavailable') throw error;
    }
  }
}

/** Some change their person, a few merge two persons, and Postgres refuses very few. */
function anyEvent(random: () => number): NewEvent {
  const someone = () => `person-${Math.floor(random() * PEOPLE)}`;
  const kind = random();
  const person: PersonEffects = { ...NO_EFFECTS, processed: true };
  if (kind < 0.3) person.set = { n: Math.floor(random() * 1000) };
  if (kind > 0.995) Object.assign(person, { merge: { distinctId: someone(), dangerously: true }, identifies: true });
  return buildEvent({
    distinctId: someone(),
    properties: random() < 0.01 ? '{"a":"\\u0000"}' : '{}',
    timestamp: microseconds(new Date(Date.now() - random() * 86_400_000).toISOString()),
    person,
  });
}
