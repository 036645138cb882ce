import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import fc from 'fast-check';
import { createPool, type Pool } from '../../../src/platform/db/connection.ts';
import { createIngest, INGEST_TIMEOUTS, type Ingest } from '../../../src/events/ingest/ingest.ts';
import type { IngestionWarning } from '../../../src/events/warnings/warnings.ts';
import { anyPersonEvent } from '../../support/events/any-person-event.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildRows } from '../../support/events/events.ts';
import { aliasLine, eventOf, identify, mergeDangerously, set, type Line } from '../../support/events/person-lines.ts';
import { PROJECT, type PersonEvent } from '../../support/events/person-memory.ts';
import { sequentialPersons } from '../../support/events/sequential-persons.ts';
import {
  buildPersonEvent,
  personVersions,
  personsOfEvents,
  storedPersons,
  type PersonVersion,
  type SeenPerson,
} from '../../support/database/stored-persons.ts';

const SEED = 20_261_121;
const SHARED = 120;
const APART = 80;

/** An event, its uuid, and what its sender was told; the last of its request is the last word about its person there. */
type Sent = PersonEvent & { uuid: string; warnings: IngestionWarning[]; isLast: boolean };

/** Requests, each sent when the one before is stored. */
type Sequence = PersonEvent[][];

describe('200 sequences of events at once', () => {
  let database: TestDatabase;
  let pools: Pool[];
  let ingests: Ingest[];
  let reading: Pool;
  let shared: Sent[];
  let apart: Sent[][];
  let seen: Map<string, SeenPerson>;
  let versions: Map<string, PersonVersion[]>;
  let mapping: Map<string, string | null>;

  before(async () => {
    database = await createTestDatabase();
    const open = () =>
      createPool({ url: database.url, applicationName: 'test', maxConnections: 6, ...INGEST_TIMEOUTS });
    pools = Array.from({ length: 4 }, open);
    ingests = pools.map((pool) =>
      createIngest(pool, { onWarnings: (_, newWarnings) => hearing.getStore()!.push(...newWarnings) }),
    );
    // Checks afterwards may take longer than storing does.
    reading = createPool({ url: database.url, applicationName: 'test', maxConnections: 6 });
    const sending = [...sharedSequences(), ...apartSequences()].map(send);
    const sent = await Promise.all(sending);
    shared = sent.slice(0, SHARED).flat();
    apart = sent.slice(SHARED);
    seen = await personsOfEvents(reading, PROJECT);
    versions = await personVersions(reading, PROJECT);
    const { rows } = await reading.query<{ distinct_id: string; person_id: string | null }>(
      'select distinct_id, person_id from person_distinct_ids where project_id = $1',
      [PROJECT],
    );
    mapping = new Map(rows.map((row) => [row.distinct_id, row.person_id]));
  });
  after(async () => {
    await Promise.all([...pools, reading].map((pool) => pool.end()));
    await database.drop();
  });

  /** The warnings for one request: each process stores the events of many at once. */
  const hearing = new AsyncLocalStorage<IngestionWarning[]>();

  /** Each request through another pool, as if a balancer stood before several processes. */
  async function send(sequence: Sequence, index: number): Promise<Sent[]> {
    const sent: Sent[] = [];
    for (const [position, request] of sequence.entries()) {
      const warnings: IngestionWarning[] = [];
      const ingest = ingests[(index + position) % ingests.length]!;
      const events = request.map(buildPersonEvent);
      await hearing.run(warnings, () => ingest.store(PROJECT, [buildRows(events, { projectId: PROJECT })]));
      for (const [place, event] of request.entries()) {
        sent.push({ ...event, uuid: events[place]!.uuid, warnings, isLast: place === request.length - 1 });
      }
    }
    return sent;
  }

  /** Links that were not refused; a request has one merge at most, so its warning is about that. */
  const linksOf = (events: readonly Sent[]) =>
    events.filter(isMerge).filter(({ warnings }) => !warnings.some(({ code }) => code === REFUSED));

  it('stores every event once', async () => {
    const uuids = [...shared, ...apart.flat()].map(({ uuid }) => uuid);
    const { rows } = await reading.query('select uuid from events where project_id = $1', [PROJECT]);
    assert.deepEqual(rows.map((row: { uuid: string }) => row.uuid).sort(), uuids.sort());
  });

  it('needs no deadlock to be resolved', async () => {
    await Promise.all(pools.map((pool) => pool.end()));
    pools = [];
    const { rows } = await reading.query(
      `select deadlocks::int from pg_stat_database where datname = current_database()`,
    );
    assert.deepEqual(rows, [{ deadlocks: 0 }]);
  });

  it('gives every id exactly one person that lives', async () => {
    const named = linksOf(shared).map((event) =>
      String(event.properties['alias'] ?? event.properties['$anon_distinct_id']),
    );
    const ids = new Set([...shared.map(({ distinctId }) => distinctId), ...named]);
    const persons = new Set(Object.values(await storedPersons(reading, PROJECT)).map(({ id }) => id));
    for (const id of ids) assert.ok(persons.has(mapping.get(id)!), id);
    assert.deepEqual([...mapping.keys()].filter(isShared).sort(), [...ids].sort());
  });

  it('gives one person to the ids that were merged, and to no others', async () => {
    const components = connected(
      [...mapping.keys()].filter(isShared),
      linksOf(shared).map(({ distinctId, properties }) => [
        distinctId,
        String(properties['alias'] ?? properties['$anon_distinct_id']),
      ]),
    );
    const stored = Object.keys(await storedPersons(reading, PROJECT)).filter(isShared);
    assert.deepEqual(stored.sort(), components.sort());
    assert.ok(components.length > 1 && components.length < 60, `${components.length} persons`);
    assert.ok(shared.some(({ warnings }) => warnings.length > 0));
  });

  it('loses no property and invents none; a person is identified only if an event identified it', async () => {
    for (const [ids, person] of Object.entries(await storedPersons(reading, PROJECT))) {
      if (!isShared(ids)) continue;
      const events = shared.filter(({ distinctId }) => ids.split(',').includes(distinctId));
      const setters = events.map(({ properties }) => (properties['$set'] ?? {}) as Record<string, unknown>);
      assert.deepEqual(Object.keys(person.properties).sort(), [...new Set(setters.flatMap(Object.keys))].sort());
      for (const [name, value] of Object.entries(person.properties)) {
        assert.ok(
          setters.some((setter) => setter[name] === value),
          `${name}: ${JSON.stringify(value)} of ${ids}`,
        );
      }
      assert.equal(person.isIdentified, events.some(isMerge), ids);
    }
  });

  it('numbers the versions of each id from 1 without gaps; the last is the person of now', async () => {
    const persons = await storedPersons(reading, PROJECT);
    const byId = new Map(Object.values(persons).map((person) => [person.id, person]));
    assert.deepEqual([...versions.keys()].sort(), [...mapping.keys()].sort());
    for (const [distinctId, rows] of versions) {
      assert.deepEqual(
        rows.map(({ version }) => version),
        rows.map((_, index) => index + 1),
      );
      const instants = rows.map((row) => row.interval_time);
      assert.deepEqual(instants, instants.toSorted(), `${distinctId} never goes back in time`);
      const last = rows.at(-1)!;
      const person = byId.get(mapping.get(distinctId)!)!;
      assert.deepEqual(
        [last.person_id, last.properties, last.is_identified, last.is_deleted],
        [person.id, person.properties, person.isIdentified, false],
      );
    }
  });

  it('stores events with a version of their person', () => {
    const known = new Set([...versions.values()].flat().map((row) => JSON.stringify([row.person_id, row.properties])));
    for (const { uuid, isLast } of shared) {
      const { id, properties } = seen.get(uuid)!;
      if (isLast) assert.ok(known.has(JSON.stringify([id, properties])), uuid);
    }
  });

  it('has the result of one event after the other, where persons are apart', async () => {
    const model = sequentialPersons();
    for (const event of apart.flat()) assert.deepEqual(seen.get(event.uuid), model.apply(event));
    const stored = Object.entries(await storedPersons(reading, PROJECT)).filter(([ids]) => !isShared(ids));
    assert.deepEqual(Object.fromEntries(stored), model.state());
  });
});

const REFUSED = 'cannot_merge_already_identified';
const isShared = (id: string) => id.startsWith('shared');

function isMerge({ event, distinctId, properties }: PersonEvent): boolean {
  const other = event === '$identify' ? properties['$anon_distinct_id'] : properties['alias'];
  return other !== undefined && other !== distinctId;
}

/** About the same few persons: a request changes one or two and merges at most one. */
function sharedSequences(): Sequence[] {
  const id = fc.integer({ min: 0, max: 149 }).map((number) => `shared-${number}`);
  const merge = fc
    .tuple(fc.constantFrom(identify, identify, aliasLine, mergeDangerously), id, id)
    .map(([merges, distinctId, other]) => merges(distinctId, other));
  const change = fc
    .tuple(id, fc.nat())
    .map(([distinctId, value]) => set(distinctId, { last: value, [`p${value}`]: value }));
  const request = fc.oneof(
    fc.array(change, { minLength: 1, maxLength: 3 }),
    fc.tuple(merge),
    fc.tuple(change, merge, change),
  );
  return fc.sample(fc.array(request, { minLength: 4, maxLength: 6 }), { seed: SEED, numRuns: SHARED }).map(toEvents);
}

function toEvents(sequence: Line[][]): Sequence {
  return sequence.map((request) => request.map((line) => eventOf(line, 1)));
}

/** Each about ids of its own. */
function apartSequences(): Sequence[] {
  return Array.from({ length: APART }, (_, index) => {
    const ids = ['a', 'b', 'c', 'd'].map((letter) => `${letter}-${index}`);
    const requests = fc.array(fc.array(anyPersonEvent(ids), { minLength: 1, maxLength: 4 }), {
      minLength: 4,
      maxLength: 6,
    });
    return fc.sample(requests, { seed: SEED + index, numRuns: 1 })[0]!;
  });
}

/** @returns the ids of each component, sorted and joined with commas */
function connected(ids: readonly string[], links: readonly (readonly [string, string])[]): string[] {
  const groups = new Map(ids.map((id) => [id, new Set([id])]));
  for (const [a, b] of links) {
    const joined = groups.get(a)!.union(groups.get(b)!);
    for (const id of joined) groups.set(id, joined);
  }
  return [...new Set(groups.values())].map((group) => [...group].sort().join(','));
}
