import assert from 'node:assert/strict';
import { contentOf } from '../../../src/exports/batch-exports/content.ts';
import { startExportsApi, type ExportsApi } from '../../support/api/exports-api.ts';

type Body = Record<string, unknown> & { id: string };

const wanted = (overrides: Record<string, unknown> = {}, config: Record<string, unknown> = {}) => ({
  name: 'Some of it',
  destination: { type: 'LocalFile', config: { directory: crypto.randomUUID(), ...config } },
  interval: 'hour',
  paused: true,
  ...overrides,
});

describe('the content of a batch export', () => {
  let exports: ExportsApi;
  before(async () => {
    exports = await startExportsApi();
  });
  after(() => exports.close());

  async function create(overrides: Record<string, unknown> = {}, config: Record<string, unknown> = {}): Promise<Body> {
    const { status, body } = await exports.request('POST', '/batch_exports/', wanted(overrides, config));
    assert.equal(status, 201, JSON.stringify(body));
    return body as Body;
  }
  const patch = async (id: string, change: object) => {
    const { status, body } = await exports.request('PATCH', `/batch_exports/${id}/`, change);
    assert.equal(status, 200, JSON.stringify(body));
    return body as Body;
  };
  const stored = async (id: string) => (await exports.world.engine.stores.batchExports.find(id))!;

  it('is chosen by names of events, in the configuration of any destination', async () => {
    const { id, destination } = await create({}, { include_events: ['a', 'b'], exclude_events: null });
    assert.deepEqual((destination as { config: object }).config, {
      ...(await stored(id)).destinationConfig,
      include_events: ['a', 'b'],
      exclude_events: null,
    });
    await patch(id, { destination: { type: 'LocalFile', config: { exclude_events: ['b'] } } });
    const { includeEvents, excludeEvents } = contentOf(await stored(id));
    assert.deepEqual({ includeEvents, excludeEvents }, { includeEvents: ['a', 'b'], excludeEvents: ['b'] });
  });

  it('is chosen by columns and transformations, which a PATCH replaces one by one', async () => {
    const content = {
      include_columns: ['uuid', 'team_id', 'properties'],
      exclude_columns: ['team_id'],
      transformations: [{ path: 'properties.$ip', action: 'drop' }],
    };
    const { id, ...created } = await create(content);
    assert.partialDeepStrictEqual(created, content);
    assert.partialDeepStrictEqual(await patch(id, { exclude_columns: null }), { ...content, exclude_columns: [] });
    assert.partialDeepStrictEqual(await patch(id, { include_columns: null, transformations: null }), {
      include_columns: null,
      transformations: [],
    });
  });

  it('is chosen by filters, which a PATCH replaces or takes back', async () => {
    const filters = [{ key: 'plan', type: 'person', operator: 'min', value: 3 }];
    const stored = [{ key: 'plan', type: 'person', operator: 'gte', value: 3 }];
    const created = await create({ filters });
    assert.deepEqual(created['filters'], stored);
    assert.deepEqual((await patch(created.id, { name: 'Others stay' }))['filters'], stored);
    assert.equal((await patch(created.id, { filters: null }))['filters'], null);
  });

  it('is sessions, too, filtered by what they and their persons are', async () => {
    const filters = [
      { key: 'session_duration', type: 'event', operator: 'gt', value: 60 },
      { key: 'plan', type: 'person', operator: 'is_set' },
    ];
    const created = await create({ model: 'sessions', filters, include_columns: ['session_id', 'end_timestamp'] });
    assert.partialDeepStrictEqual(created, { model: 'sessions', filters });
  });

  it('is hashed with a key that comes in and never goes out, made by itself when none is given', async () => {
    const hashed = { transformations: [{ path: 'distinct_id', action: 'hash' }] };
    const { configs } = exports.world.engine;
    const keyOf = async (id: string) => {
      const row = await stored(id);
      return row.hashKey && configs.decryptSecret(row, 'hash_key', row.hashKey);
    };
    const given = await create({ ...hashed, hash_key: 'correct horse battery' });
    assert.ok(!JSON.stringify(given).includes('hash_key'));
    assert.equal(await keyOf(given.id), 'correct horse battery');
    const made = await create(hashed);
    const key = await keyOf(made.id);
    assert.match(key!, /^[\w-]{43}$/);
    await patch(made.id, { name: 'The same key', ...hashed });
    assert.equal(await keyOf(made.id), key);
    assert.equal(await keyOf((await create()).id), null, 'nothing to hash, no key');
  });

  it('is filtered, and queried with a schema that says its columns', async () => {
    const filters = [{ key: 'plan', operator: 'exact', type: 'event', value: ['pro'] }];
    const hogql_query = 'select event as name, timestamp, properties.n::int as n from events';
    const created = await create({ filters, hogql_query });
    assert.partialDeepStrictEqual(created, { filters, hogql_query });
    const { fields } = created['schema'] as { fields: object[] };
    assert.partialDeepStrictEqual(fields, [
      { alias: 'name', type: 'text' },
      { alias: 'timestamp', type: 'timestamptz' },
      { alias: 'n', type: 'int8' },
    ]);
    const { id } = created;
    assert.partialDeepStrictEqual(await patch(id, { hogql_query: null }), { filters, hogql_query: null, schema: null });
    assert.partialDeepStrictEqual(await patch(id, { filters: [] }), { filters: null });
    assert.partialDeepStrictEqual(await patch(id, { hogql_query }), { hogql_query });
    assert.partialDeepStrictEqual(await patch(id, { hogql_query: '' }), { hogql_query: null });
  });

  const refusals: [change: Record<string, unknown>, config: Record<string, unknown>, attr: string, detail: RegExp][] = [
    [
      { include_columns: ['uuid', 'nope', 'no'] },
      {},
      'include_columns',
      /^Unknown columns: 'nope', 'no'\. There are: /,
    ],
    [{ exclude_columns: ['nope'] }, {}, 'exclude_columns', /^Unknown columns: 'nope'\./],
    [{ include_columns: 'uuid' }, {}, 'include_columns', /./],
    [{ filters: {} }, {}, 'filters', /^'filters' should be an array of filters$/],
    [{ filters: ['a'] }, {}, 'filters', /^Each filter must be an object$/],
    [
      { filters: [{ key: 'a' }] },
      {},
      'filters',
      /^Each filter must have a 'type' of one of: 'event', 'hogql', 'person'$/,
    ],
    [{ filters: [{ key: 'a', type: 'event', operator: 'in' }] }, {}, 'filters', /^Filter 1: "in" is not an operator/],
    [{ filters: [{ key: 'nope(', type: 'hogql' }] }, {}, 'filters', /^Filter 1: /],
    [
      { model: 'persons', filters: [{ key: 'a', type: 'event', value: 'b' }] },
      {},
      'filters',
      /^Filters of type 'event' are not supported for the 'persons' model$/,
    ],
    [
      { model: 'sessions', filters: [{ key: 'true', type: 'hogql' }] },
      {},
      'filters',
      /Filters of type 'hogql' are not supported for the 'sessions' model$/,
    ],
    [
      { model: 'sessions' },
      { exclude_events: ['a'] },
      'exclude_events',
      /^'exclude_events' is only supported for 'events' not 'sessions' model$/,
    ],
    [{ include_columns: [] }, {}, 'exclude_columns', /^No column is left to export\.$/],
    [{ transformations: [{ path: 'nope.a', action: 'drop' }] }, {}, 'transformations', /^Unknown column: 'nope'\.$/],
    [{ transformations: [{ path: 'event.a', action: 'hash' }] }, {}, 'transformations', /^'event' has no properties/],
    [{ transformations: [{ path: 'properties..a', action: 'hash' }] }, {}, 'transformations', /has an empty step/],
    [{ transformations: [{ path: 'event', action: 'shout' }] }, {}, 'transformations__0__action', /./],
    [{ hash_key: 'short' }, {}, 'hash_key', /./],
    [{}, { include_events: 'a' }, 'destination__config__include_events', /include_events/],
    [{}, { exclude_events: [1] }, 'destination__config__exclude_events', /exclude_events/],
    [
      { model: 'persons' },
      { include_events: ['a'] },
      'include_events',
      /^'include_events' is only supported for 'events' not 'persons' model$/,
    ],
    [
      { model: 'persons', hogql_query: 'select distinct_id from persons' },
      {},
      'hogql_query',
      /^'hogql_query' is only supported for 'events' not 'persons' model$/,
    ],
    [{ model: 'persons' }, { prefix: 'a/{event}' }, 'destination__config__prefix', /exports of events, not of persons/],
    [
      { transformations: [{ path: 'event', action: 'drop' }] },
      { prefix: '{event}' },
      'destination__config__prefix',
      /would show the event, which a transformation of 'event' hides/,
    ],
    [{ hogql_query: 'select event from events, persons' }, {}, 'hogql_query', /./],
    [{ hogql_query: 'select event from events', include_columns: ['uuid'] }, {}, 'include_columns', /'uuid'.*event/],
    [{ filters: 'plan' }, {}, 'filters', /^'filters' should be an array of filters$/],
    [{ model: 'persons', filters: [{ key: 'a', type: 'event', value: 1 }] }, {}, 'filters', /'persons' model/],
    [{ model: 'persons', include_columns: ['event'] }, {}, 'include_columns', /^Unknown columns: 'event'\./],
  ];
  for (const [change, config, attr, detail] of refusals) {
    it(`is refused: ${JSON.stringify({ ...change, ...config })}`, async () => {
      const { status, body } = await exports.request('POST', '/batch_exports/', wanted(change, config));
      assert.partialDeepStrictEqual({ status, body }, { status: 400, body: { type: 'validation_error', attr } });
      assert.match((body as { detail: string }).detail, detail);
    });
  }

  it('has no column in a table that every table of Postgres has already', async () => {
    const { hostname, port } = new URL(exports.world.options.databaseUrl);
    const config = { host: hostname, port: Number(port), user: 'u', password: 'p', database: 'd' };
    const table = { type: 'Postgres', config };
    const create = async (alias: string, destination: object) =>
      exports.request('POST', '/batch_exports/', {
        ...wanted({ hogql_query: `select uuid, event as ${alias} from events` }),
        destination,
      });
    for (const alias of ['ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid']) {
      const { status, body } = await create(alias, table);
      const detail = `A table cannot have the column '${alias}': Postgres has its own.`;
      assert.partialDeepStrictEqual({ status, body }, { status: 400, body: { detail, attr: 'hogql_query' } });
    }
    assert.equal((await create('CTID', table)).status, 201);
    assert.equal((await create('ctid', wanted().destination)).status, 201);
  });
});
