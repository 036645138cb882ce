/** A change of a person is written once for each of its distinct ids: there may not be as many as anybody sends. */
import assert from 'node:assert/strict';
import { createPool, type Pool } from '../../../src/platform/db/connection.ts';
import { createIngest, INGEST_TIMEOUTS, MAX_DISTINCT_IDS, type Ingest } from '../../../src/events/ingest/ingest.ts';
import type { IngestionWarning } from '../../../src/events/warnings/warnings.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildRows } from '../../support/events/events.ts';
import { aliasLine, eventOf, identify, mergeDangerously, set, type Line } from '../../support/events/person-lines.ts';
import { buildPersonEvent } from '../../support/database/stored-persons.ts';

const LIMIT = 4;
const CODE = 'person_distinct_ids_limit';

describe('the distinct ids of a person', () => {
  let database: TestDatabase;
  let pools: Pool[];
  let ingests: Ingest[];
  let warnings: IngestionWarning[];
  let project = 0;

  before(async () => {
    database = await createTestDatabase();
    const open = () =>
      createPool({ url: database.url, applicationName: 'test', maxConnections: 6, ...INGEST_TIMEOUTS });
    pools = [open(), open()];
    const options = {
      maxDistinctIds: LIMIT,
      onWarnings: (_: number, newWarnings: readonly IngestionWarning[]) => void warnings.push(...newWarnings),
    };
    ingests = pools.map((pool) => createIngest(pool, options));
  });
  after(async () => {
    await Promise.all(pools.map((pool) => pool.end()));
    await database.drop();
  });
  beforeEach(() => {
    warnings = [];
    project += 1;
  });

  /** All in one request. */
  async function send(lines: readonly Line[], ingest = ingests[0]!): Promise<void> {
    const events = lines.map((line) => buildPersonEvent(eventOf(line)));
    const [refused] = await ingest.store(project, [buildRows(events, { projectId: project })]);
    assert.deepEqual(refused, []);
  }

  async function eachAlone(lines: readonly Line[]): Promise<void> {
    for (const line of lines) await send([line]);
  }

  /** Sizes of the project's persons, the largest first. */
  async function sizes(): Promise<number[]> {
    const { rows } = await pools[0]!.query<{ count: string }>(
      'select count(*) from person_distinct_ids where project_id = $1 and person_id is not null group by person_id order by 1 desc',
      [project],
    );
    return rows.map(({ count }) => Number(count));
  }

  async function countEvents(): Promise<number> {
    const { rows } = await pools[0]!.query<{ count: string }>('select count(*) from events where project_id = $1', [
      project,
    ]);
    return Number(rows[0]!.count);
  }

  const codes = () => warnings.map(({ code }) => code);
  const six = [1, 2, 3, 4, 5].map((n) => identify('user', `anon-${n}`));

  for (const [how, store] of [
    ['one request', send],
    ['requests of their own', eachAlone],
  ] as const) {
    it(`are limited in number by identify, in ${how}; the events are stored, with a warning`, async () => {
      await store(six);
      // Distinct ids that were not joined have no event of their own.
      assert.deepEqual(await sizes(), [LIMIT]);
      assert.equal(await countEvents(), six.length);
      assert.deepEqual(codes(), [CODE, CODE]);
      assert.match(warnings[0]!.detail, /"anon-4" was not joined to "user": a person may have 4 distinct ids/);
      assert.equal(warnings[0]!.distinctId, 'user');
    });

    it(`are limited in number by alias of new ids, in ${how}`, async () => {
      await store([['seen', 'user'], ...[1, 2, 3, 4].map((n) => aliasLine(`new-${n}`, 'user'))]);
      assert.deepEqual(await sizes(), [LIMIT, 1]);
      assert.deepEqual(codes(), [CODE]);
    });

    it(`are not joined by a merge of two persons that together have more, not even dangerously, in ${how}`, async () => {
      const two: Line[] = [aliasLine('a1', 'a2'), aliasLine('a1', 'a3'), aliasLine('b1', 'b2')];
      await store([...two, mergeDangerously('a1', 'b1'), mergeDangerously('b1', 'a1'), identify('a1', 'b2')]);
      assert.deepEqual(await sizes(), [3, 2]);
      assert.equal(codes().filter((code) => code === CODE).length, 3);
      assert.equal(await countEvents(), 6);
    });
  }

  it('may be as many as the limit, by a merge of two persons', async () => {
    await eachAlone([identify('a', 'a-anon'), identify('b', 'b-anon'), mergeDangerously('a', 'b')]);
    assert.deepEqual(await sizes(), [LIMIT]);
    assert.deepEqual(codes(), []);
  });

  it('stay where there are more already, and the person still changes', async () => {
    const before = createIngest(pools[1]!, { maxDistinctIds: 10 });
    await send(six, before);
    assert.deepEqual(await sizes(), [6]);
    await send([set('anon-5', { plan: 'pro' }), identify('user', 'anon-3'), identify('user', 'another')]);
    assert.deepEqual(await sizes(), [6]);
    assert.deepEqual(codes(), [CODE]);
    const { rows } = await pools[0]!.query('select properties, is_identified from persons where project_id = $1', [
      project,
    ]);
    assert.deepEqual(rows, [{ properties: { plan: 'pro' }, is_identified: true }]);
  });

  it('are counted when many are joined at once, through two processes', async () => {
    await send([['seen', 'user']]);
    const joins = Array.from({ length: 30 }, (_, n) => send([identify('user', `anon-${n}`)], ingests[n % 2]));
    await Promise.all(joins);
    assert.deepEqual(await sizes(), [LIMIT]);
    assert.equal(codes().length, 30 - (LIMIT - 1));
    assert.equal(await countEvents(), 31);
  });

  it('are limited in number when persons merge at once, through two processes', async () => {
    const pairs = Array.from({ length: 8 }, (_, n) => [`p${n}`, `p${n}-anon`] as const);
    await Promise.all(pairs.map(([id, anon]) => send([aliasLine(id, anon)])));
    await Promise.all(pairs.map(([id], n) => send([mergeDangerously('p0', id)], ingests[n % 2])));
    assert.deepEqual(await sizes(), [LIMIT, 2, 2, 2, 2, 2, 2]);
  });

  it('are a thousand by default', async () => {
    const ingest = createIngest(pools[0]!, { onWarnings: (_, newWarnings) => void warnings.push(...newWarnings) });
    await send(
      Array.from({ length: MAX_DISTINCT_IDS + 5 }, (_, n) => identify('user', `anon-${n}`)),
      ingest,
    );
    assert.deepEqual(await sizes(), [1000]);
    assert.equal(codes().length, 6);
  });
});
