import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { createPool, type Pool } from '../../../src/platform/db/connection.ts';
import { createIngest } from '../../../src/events/ingest/ingest.ts';
import { eventReader, type EventReader } from '../../../src/events/reading/read.ts';
import { createSealer } from '../../../src/events/table/seal.ts';
import { columnsOf, type Slice } from '../../../src/events/reading/selection.ts';
import { unfilteredContent, type Content } from '../../../src/conditions/rows/content.ts';
import { encodeFile } from '../../../src/exports/formats/file.ts';
import { readAll } from '../../support/database/copy-stream.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildEvent, buildRows } from '../../support/events/events.ts';
import { eventOf, identify, set } from '../../support/events/person-lines.ts';
import { buildPersonEvent } from '../../support/database/stored-persons.ts';

type Row = Record<string, unknown>;
const KEY = 'a key of the export';
const NO_LIMITS = { rows: 250_000, bytes: 2 ** 28 };

const hmac = (text: string) => createHmac('sha256', KEY).update(text).digest('hex');

describe('the selection', () => {
  let database: TestDatabase;
  let pool: Pool;
  let reader: EventReader;
  let projectId = 0;

  before(async () => {
    database = await createTestDatabase();
    pool = createPool({ url: database.url, applicationName: 'test', maxConnections: 3 });
    reader = eventReader(pool);
  });
  beforeEach(() => projectId++);
  after(async () => {
    await pool?.end();
    await database?.drop();
  });

  const now = async () => createSealer(pool).seal();

  /** Everything up to now. */
  async function sliceOf(content: Partial<Content>, start = '2001-01-01T00:00:00.000000Z'): Promise<Slice> {
    const end = await now();
    return { projectId, start, end, cutoff: end, content: { ...unfilteredContent('events'), ...content } };
  }

  async function read(slice: Slice, takes: 'files' | 'rows' = 'files'): Promise<Row[]> {
    // Columns that are hidden in files are looked at, too.
    const columns = columnsOf(slice.content, takes).map(({ name, type }) => ({ name, type }));
    const encoded = encodeFile(reader.copy(slice, columns, { hashKey: KEY }), {
      columns,
      format: 'JSONLines',
      compression: null,
    });
    const text = (await readAll(encoded.bytes)).toString();
    const { rows, digest } = encoded.summary();
    assert.deepEqual({ rows, digest }, await reader.digest(slice), 'the source is digested as it is read');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Row);
  }

  async function storeEvents(...events: { event?: string; properties?: object }[]): Promise<void> {
    const built = events.map(({ event = 'viewed', properties = {} }) =>
      buildEvent({ uuid: randomUUID(), event, distinctId: 'someone', properties: JSON.stringify(properties) }),
    );
    await createIngest(pool).store(projectId, [buildRows(built, { projectId, historical: true })]);
  }

  type Line = Parameters<typeof eventOf>[0];
  async function storeLines(...lines: Line[]): Promise<void> {
    const events = lines.map((line) => buildPersonEvent(eventOf(line)));
    await createIngest(pool).store(projectId, [buildRows(events, { projectId })]);
  }

  describe('of events', () => {
    it('includes and excludes names, exclusion last', async () => {
      await storeEvents({ event: 'a' }, { event: 'b' }, { event: `it's "c"` });
      const names = async (content: Partial<Content>) =>
        new Set((await read(await sliceOf(content))).map(({ event }) => event));
      assert.deepEqual(await names({ includeEvents: ['a', 'b'], excludeEvents: ['b'] }), new Set(['a']));
      assert.deepEqual(await names({ excludeEvents: [`it's "c"`] }), new Set(['a', 'b']));
      assert.equal((await reader.measure(await sliceOf({ includeEvents: ['b'] }), NO_LIMITS)).rows, 1);
    });

    it('is filtered by properties, counted and looked for like any other', async () => {
      await storeEvents({ properties: { n: 1 } }, { properties: { n: 2 } }, { properties: {} });
      const filters = [
        { key: 'n', operator: 'gte', type: 'event' as const, value: '2' },
        { key: "event = 'viewed'", operator: 'exact', type: 'hogql' as const },
      ];
      const slice = await sliceOf({ filters });
      assert.deepEqual(
        (await read(slice)).map(({ properties }) => properties),
        [{ n: 2 }],
      );
      assert.equal((await reader.measure(slice, NO_LIMITS)).rows, 1);
      await storeEvents({ properties: { n: 1 } });
      assert.equal(await reader.changedSince(slice), false);
    });

    it('leaves chosen columns in the order of the model; rows without their uuid keep it hidden', async () => {
      await storeEvents({});
      const [row] = await read(
        await sliceOf({ includeColumns: ['team_id', 'uuid', 'event'], excludeColumns: ['event'] }),
      );
      assert.deepEqual(Object.keys(row!), ['uuid', 'team_id']);
      const without = await sliceOf({ includeColumns: ['event'] });
      assert.deepEqual(columnsOf(without.content, 'files'), [
        { name: '_sluice_row', type: 'uuid', hidden: true },
        { name: 'event', type: 'text' },
      ]);
      const [hidden] = await read(without);
      assert.equal(hidden!['_sluice_row'], row!['uuid']);
    });

    it('drops and hashes columns and properties, also where a column is made of another', async () => {
      const properties = {
        $ip: '10.0.0.1',
        n: 12,
        none: null,
        deep: { secret: 's', kept: 1 },
        $set: { email: 'a@b.c' },
      };
      await storeEvents({ properties });
      const [row] = await read(
        await sliceOf({
          transformations: [
            { path: 'properties.$ip', action: 'hash' },
            { path: 'properties.n', action: 'hash' },
            { path: 'properties.none', action: 'hash' },
            { path: 'properties.missing', action: 'hash' },
            { path: 'properties.$set.email', action: 'hash' },
            { path: 'properties.deep.secret', action: 'drop' },
            { path: 'distinct_id', action: 'hash' },
            { path: 'uuid', action: 'hash' },
            { path: 'site_url', action: 'drop' },
          ],
        }),
        'rows',
      );
      assert.deepEqual(row!['properties'], {
        $ip: hmac('10.0.0.1'),
        n: hmac('12'),
        none: null,
        deep: { kept: 1 },
        $set: { email: hmac('a@b.c') },
      });
      assert.equal(row!['ip'], hmac('10.0.0.1'));
      assert.deepEqual(row!['set'], { email: hmac('a@b.c') });
      assert.equal(row!['distinct_id'], hmac('someone'));
      assert.equal(row!['uuid'], hmac(String(row!['_sluice_row'])));
      assert.ok(!('site_url' in row!));
    });

    it('drops and hashes nothing, and never fails, where a path leads through something else', async () => {
      const found = [['x'], [{ street: 's' }], [], 'text', 7, true, null, {}].map((address) => ({ kept: 1, address }));
      await storeEvents(...found.map((properties) => ({ properties })));
      for (const steps of ['street', 'street.name', '-9', '9', '99999999999999999999', '0x', ' ', 'a"b', "it's"]) {
        for (const action of ['drop', 'hash'] as const) {
          const rows = await read(
            await sliceOf({ transformations: [{ path: `properties.address.${steps}`, action }] }),
          );
          const left = rows.map(({ properties }) => JSON.stringify(properties)).sort();
          assert.deepEqual(left, found.map((each) => JSON.stringify(each)).sort(), `${action} ${steps}`);
        }
      }
    });

    it('drops elements of arrays by their place, and many properties as fast as one', async () => {
      const names = Array.from({ length: 40 }, (_, n) => `p${n}`);
      const all = Object.fromEntries(names.map((name) => [name, { in: name }]));
      await storeEvents({ properties: { ...all, list: ['first', 'second', 'last'], none: null } });
      const paths = [...names.map((name) => `${name}.in`), 'list.0', 'list.-1', 'none'];
      const transformations = paths.map((path) => ({ path: `properties.${path}`, action: 'drop' as const }));
      const [row] = await read(await sliceOf({ transformations }));
      assert.deepEqual(row!['properties'], {
        ...Object.fromEntries(names.map((name) => [name, {}])),
        list: ['second'],
      });
    });

    it('takes away with a column what is made of it', async () => {
      await storeEvents({ properties: { $ip: '10.0.0.1', $set: {} } });
      const content = { transformations: [{ path: 'properties', action: 'drop' as const }] };
      const [row] = await read(await sliceOf(content), 'rows');
      assert.deepEqual(
        ['properties', 'ip', 'set', 'set_once'].filter((name) => name in row!),
        [],
      );
    });

    it('is what a query makes of it, with the row id hidden and transformations laid over', async () => {
      await storeEvents({ event: 'a', properties: { n: 2 } }, { event: 'b', properties: { n: 3 } });
      const query = `select event as name, properties.n as n, {data_interval_end} as until from events where event != 'b'`;
      const slice = await sliceOf({ query, transformations: [{ path: 'name', action: 'hash' }] });
      const [row, ...others] = await read(slice);
      assert.deepEqual(others, []);
      assert.deepEqual(Object.keys(row!), ['_sluice_row', 'name', 'n', 'until']);
      assert.equal(row!['name'], hmac('a'));
      assert.equal(row!['until'], slice.end);
    });

    it('reads hashed content in no way without a key', async () => {
      await storeEvents({});
      const slice = await sliceOf({ transformations: [{ path: 'event', action: 'hash' }] });
      await assert.rejects(readAll(reader.copy(slice, columnsOf(slice.content, 'files'))), /with a key/);
    });
  });

  describe('of persons', () => {
    const persons = unfilteredContent('persons');

    it('is the latest version of each distinct id in the interval, with the columns of the contract', async () => {
      await storeLines(identify('ada', 'anon'), identify('bob', 'other'));
      const start = await now();
      await storeLines(set('ada', { plan: 'free' }));
      await storeLines(set('ada', { plan: 'pro' }));
      const slice = await sliceOf(persons, start);
      await storeLines(set('ada', { plan: 'later' }));

      const rows = await read(slice);
      assert.deepEqual(new Set(rows.map(({ distinct_id }) => distinct_id)), new Set(['ada', 'anon']));
      for (const row of rows) {
        const { created_at, _inserted_at, person_id, _sluice_row, ...facts } = row;
        assert.deepEqual(facts, {
          team_id: projectId,
          distinct_id: row['distinct_id'],
          properties: { plan: 'pro' },
          person_distinct_id_version: 3,
          person_version: 3,
          is_deleted: false,
        });
        assert.match(String(created_at), /Z$/);
        assert.ok(String(_inserted_at) >= start && String(_inserted_at) < slice.end);
        assert.equal(person_id, rows[0]!['person_id']);
        assert.match(String(_sluice_row), /^[\da-f-]{36}$/);
      }
    });

    it('is filtered by the properties of the latest version', async () => {
      await storeLines(
        identify('ada', 'anon'),
        identify('bob', 'other'),
        set('ada', { plan: 'Pro' }),
        set('bob', { plan: 'pro' }),
      );
      await storeLines(set('bob', { plan: 'free' }));
      const rows = await read(
        await sliceOf({ ...persons, filters: [{ key: 'plan', operator: 'exact', type: 'person', value: 'pro' }] }),
      );
      assert.deepEqual(new Set(rows.map(({ distinct_id }) => distinct_id)), new Set(['ada', 'anon']));
    });

    it('is divided into parts that hold each row once', async () => {
      await storeLines(...Array.from({ length: 40 }, (_, n) => identify(`user-${n}`, `anon-${n}`)));
      await storeLines(...Array.from({ length: 40 }, (_, n) => set(`user-${n}`, { n })));
      const slice = await sliceOf(persons);
      const { rows, parts } = await reader.measure(slice, { rows: 7, bytes: 2 ** 28 });
      assert.deepEqual({ rows, parts: parts.length }, { rows: 80, parts: 12 });
      const columns = columnsOf(persons, 'files').map(({ name, type }) => ({ name, type }));
      const seen: string[] = [];
      for (const part of parts) {
        const file = encodeFile(reader.copy({ ...slice, ...part }, columns), {
          columns,
          format: 'JSONLines',
          compression: null,
        });
        const lines = (await readAll(file.bytes)).toString().trimEnd().split('\n');
        assert.equal(lines.length, part.rows);
        seen.push(...lines.map((line) => (JSON.parse(line) as { distinct_id: string }).distinct_id));
      }
      assert.equal(new Set(seen).size, 80);
    });

    it('is what a query over persons makes of the latest versions', async () => {
      await storeLines(identify('ada', 'anon'), identify('bob', 'other'));
      await storeLines(set('ada', { email: 'ada@example.com' }));
      const query = `select distinct_id as id, properties.email as email from persons where properties.email is not null`;
      const rows = await read(await sliceOf({ query }));
      assert.deepEqual(
        new Map(rows.map(({ id, email }) => [id, email])),
        new Map(['ada', 'anon'].map((id) => [id, 'ada@example.com'])),
      );
    });

    it('contains deleted persons, marked as such', async () => {
      await storeLines(identify('ada', 'anon'));
      const start = await now();
      await pool.query('select delete_persons($1, array(select id from persons where project_id = $1))', [projectId]);
      const rows = await read(await sliceOf(persons, start));
      assert.deepEqual(
        new Map(rows.map(({ distinct_id, is_deleted, properties }) => [distinct_id, { is_deleted, properties }])),
        new Map(['ada', 'anon'].map((id) => [id, { is_deleted: true, properties: {} }])),
      );
    });
  });
});
