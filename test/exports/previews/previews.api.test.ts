import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { buildEvent, microseconds } from '../../support/events/events.ts';
import { buildPersonalKey } from '../../support/api/identity.ts';
import { startExportsApi, type ExportsApi } from '../../support/api/exports-api.ts';

type Preview = {
  data_interval_start: string;
  data_interval_end: string;
  records_total_count: number;
  columns: { name: string; type: string }[];
  rows: Record<string, unknown>[];
  names: string[];
};

const wanted = (overrides: Record<string, unknown> = {}) => ({
  name: 'Not saved',
  destination: { type: 'LocalFile', config: { directory: 'previewed', prefix: '{year}' } },
  interval: 'hour',
  ...overrides,
});

describe('a preview', () => {
  let exports: ExportsApi;
  before(async () => {
    exports = await startExportsApi();
    await store('2015-05-17T10', 30);
    await store('2015-05-17T12', 3);
  });
  after(() => exports.close());

  async function store(hour: string, count: number): Promise<void> {
    await exports.world.store(
      Array.from({ length: count }, (_, n) =>
        buildEvent({
          uuid: randomUUID(),
          event: n % 2 === 0 ? 'even' : 'odd',
          timestamp: microseconds(`${hour}:${String(n).padStart(2, '0')}:30Z`),
          properties: JSON.stringify({ n }),
        }),
      ),
    );
  }

  async function preview(body: object, path = '/batch_exports/preview/'): Promise<Preview> {
    const answer = await exports.request('POST', path, body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body as Preview;
  }
  const counted = async () => {
    const { body } = await exports.request('GET', '/batch_exports/');
    return (body as { count: number }).count;
  };

  it('shows the newest interval that holds rows, and stores nothing', async () => {
    const { rows, columns, ...shown } = await preview(wanted());
    assert.deepEqual(shown, {
      data_interval_start: '2015-05-17T12:00:00.000000Z',
      data_interval_end: '2015-05-17T13:00:00.000000Z',
      records_total_count: 3,
      names: [
        `${exports.world.projectId}/previewed/2015/20150517T120000Z-20150517T130000Z-<run id>.jsonl`,
        `${exports.world.projectId}/previewed/2015/20150517T120000Z-20150517T130000Z_manifest.json`,
      ],
    });
    assert.deepEqual(
      rows.map(({ properties }) => properties),
      [{ n: 0 }, { n: 1 }, { n: 2 }],
    );
    assert.deepEqual(
      columns.map(({ name }) => name),
      Object.keys(rows[0]!),
    );
    assert.deepEqual(columns[0], { name: 'uuid', type: 'uuid' });
    const hive = { type: 'LocalFile', config: { directory: 'previewed', path_style: 'hive' } };
    assert.equal(
      (await preview(wanted({ destination: hive }))).names.at(-1),
      `${exports.world.projectId}/previewed/date=2015-05-17/hour=12/_SUCCESS`,
    );
    assert.equal(await counted(), 0);
  });

  it('names a file for each event where the prefix contains it', async () => {
    const destination = { type: 'LocalFile', config: { directory: 'previewed', prefix: '{event}' } };
    const { names } = await preview(wanted({ destination }));
    const interval = '20150517T120000Z-20150517T130000Z';
    assert.deepEqual(
      names,
      [
        `even/${interval}-<run id>.jsonl`,
        `odd/${interval}-<run id>.jsonl`,
        `__manifests__/${interval}_manifest.json`,
      ].map((name) => `${exports.world.projectId}/previewed/${name}`),
    );
  });

  it('shows the first twenty rows of the requested interval', async () => {
    const interval = { data_interval_start: '2015-05-17T10:00:00Z', data_interval_end: '2015-05-17T11:00:00Z' };
    const shown = await preview(wanted(interval));
    assert.deepEqual([shown.rows.length, shown.records_total_count], [20, 30]);
  });

  it('shows rows as they would leave: chosen, filtered, hashed', async () => {
    const config = { directory: 'previewed', include_events: ['odd'] };
    const { rows, columns } = await preview(
      wanted({
        destination: { type: 'LocalFile', config },
        include_columns: ['event', 'properties'],
        filters: [{ key: 'n', operator: 'gte', type: 'event', value: 1 }],
        transformations: [{ path: 'event', action: 'hash' }],
        hash_key: 'correct horse battery',
      }),
    );
    const event = createHmac('sha256', 'correct horse battery').update('odd').digest('hex');
    assert.deepEqual(rows, [{ event, properties: { n: 1 } }]);
    assert.deepEqual(columns, [
      { name: 'event', type: 'text' },
      { name: 'properties', type: 'jsonb' },
    ]);
  });

  it('shows what a query selects', async () => {
    const hogql_query = `select event as name, toInt(properties.n) as n from events where properties.n = 1`;
    const { rows, columns } = await preview(wanted({ hogql_query }));
    assert.deepEqual(rows, [{ name: 'odd', n: 1 }]);
    assert.deepEqual(
      columns.map(({ name }) => name),
      ['name', 'n'],
    );
  });

  it('shows an export that is stored, and a change of it', async () => {
    const { body } = await exports.request('POST', '/batch_exports/', { ...wanted(), paused: true });
    const { id } = body as { id: string };
    const path = `/batch_exports/${id}/preview/`;
    assert.equal((await preview({}, path)).rows.length, 3);
    const change = { exclude_columns: ['properties'], interval: 'hour' };
    assert.ok(!('properties' in (await preview(change, path)).rows[0]!));
    assert.ok('properties' in (await preview({}, path)).rows[0]!);
    await exports.request('DELETE', `/batch_exports/${id}/`);
  });

  it('shows an interval without rows where there are none', async () => {
    const { rows, records_total_count, names } = await preview(wanted({ model: 'persons' }));
    assert.deepEqual(
      { rows, records_total_count, files: names.length },
      { rows: [], records_total_count: 0, files: 1 },
    );
  });

  const refusals: [body: Record<string, unknown>, attr: string][] = [
    [{ interval: 'fortnight' }, 'interval'],
    [{ include_columns: ['nope'] }, 'include_columns'],
    [{ data_interval_start: '2015-05-17T10:00:00Z' }, 'data_interval_end'],
    [{ data_interval_start: 'then', data_interval_end: '2015-05-17T10:00:00Z' }, 'data_interval_start'],
    [{ data_interval_start: '2015-05-17T11:00:00Z', data_interval_end: '2015-05-17T10:00:00Z' }, 'data_interval_start'],
    [{ data_interval_start: '2015-05-17T11:00:00Z', data_interval_end: '2999-05-17T10:00:00Z' }, 'data_interval_end'],
  ];
  for (const [body, attr] of refusals) {
    it(`is refused: ${JSON.stringify(body)}`, async () => {
      const answer = await exports.request('POST', '/batch_exports/preview/', wanted(body));
      assert.partialDeepStrictEqual(answer, { status: 400, body: { type: 'validation_error', attr } });
    });
  }

  it('is restricted', async () => {
    const { world, db, theirs } = exports;
    const reader = await buildPersonalKey(db, theirs, 'batch_export:read');
    const own = `/api/environments/${theirs.projectId}/batch_exports/preview/`;
    const other = `/api/environments/${world.projectId}/batch_exports/preview/`;
    const statusOf = async (path: string, key?: string) =>
      (await exports.api.request('POST', path, { ...(key && { key }), body: wanted() })).status;
    assert.equal(await statusOf(own), 401);
    assert.equal(await statusOf(own, reader), 403);
    assert.equal(await statusOf(other, reader), 403);
    const unknown = await exports.request('POST', `/batch_exports/${randomUUID()}/preview/`, {});
    assert.equal(unknown.status, 404);
  });
});
