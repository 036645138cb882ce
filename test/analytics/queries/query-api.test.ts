import assert from 'node:assert/strict';
import { createAnswerQuery } from '../../../src/analytics/queries/answering.ts';
import { queryRoutes } from '../../../src/analytics/queries/queries.routes.ts';
import { createGatekeeper } from '../../../src/people/access/gatekeeper.ts';
import { identityStores } from '../../../src/people/stores.ts';
import { startApi, type Api } from '../../support/api/api.ts';
import { answerCheck } from '../../support/api/documented.ts';
import { buildPersonalKey } from '../../support/api/identity.ts';
import { startInsightWorld, type InsightWorld } from '../../support/analytics/insight-world.ts';

const checkAnswer = answerCheck(queryRoutes);
const query = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'paid' }] };

describe('POST /query/', () => {
  let world: InsightWorld;
  let api: Api;
  let keys: Record<'reads' | 'writes' | 'lacks' | 'theirs', string>;

  async function postQuery(body: unknown, key: string | undefined = keys.reads, prefix = 'environments') {
    const address = `/api/${prefix}/${world.ours.projectId}/query/`;
    const answer = await api.request('POST', address, { ...(key !== '' && { key }), body });
    checkAnswer('POST', address, answer);
    return { status: answer.status, body: answer.body as Record<string, unknown> };
  }

  before(async () => {
    world = await startInsightWorld();
    api = await startApi({
      routes: queryRoutes,
      collaborators: { answerQuery: createAnswerQuery(world.pool) },
      gatekeeper: createGatekeeper(identityStores(world.db)),
    });
    keys = {
      reads: await buildPersonalKey(world.db, world.ours, 'query:read'),
      writes: await buildPersonalKey(world.db, world.ours, '*'),
      lacks: await buildPersonalKey(world.db, world.ours, 'insight:write'),
      theirs: await buildPersonalKey(world.db, world.theirs, '*'),
    };
    const timestamp = '2024-06-02T10:00:00Z';
    await world.send([{ event: 'paid', distinct_id: 'anna', timestamp, properties: { plan: 'free' } }]);
    await world.send([{ event: 'paid', distinct_id: 'bert', timestamp, properties: { plan: 'more' } }]);
  });
  after(async () => {
    await api.stop();
    await world.close();
  });

  it('is for those who may read queries of the project', async () => {
    assert.equal((await postQuery({ query }, '')).status, 401);
    assert.equal((await postQuery({ query }, keys.theirs)).status, 403);
    const { status, body } = await postQuery({ query }, keys.lacks);
    assert.deepEqual([status, body['detail']], [403, "API key missing required scope 'query:read'"]);
    assert.equal((await postQuery({ query }, keys.writes)).status, 200);
  });

  for (const [name, body, attr, detail] of [
    ['without a query', {}, 'query', /required/],
    ['for what is no query', { query: 'select 1' }, 'query', /must be a valid JSON object/],
    ['for what is not computed', { query: { kind: 'PathsQuery' } }, 'query', /^kind: "PathsQuery" is not a supported/],
    [
      'for a range that ends before it begins',
      { query: { ...query, dateRange: { date_from: '2024-02-01', date_to: '2024-01-01' } } },
      'query',
      /ends before it begins/,
    ],
    [
      'for a column twice',
      { query: { kind: 'EventsQuery', select: ['*', 'event', '* -- All'] } },
      'query',
      /^select\[2\]: /,
    ],
    ['with a member that is none', { query: { ...query, daterange: {} } }, 'query', /^daterange: .*`dateRange`/],
    [
      'with a filter that is misspelt',
      { query, filters_override: { properties: [], search: null, date_frm: '-1d' } },
      'filters_override__date_frm',
      /^There is no such field\. The nearest is `date_from`\.$/,
    ],
    ['with filters of another name', { query, filter_override: {} }, 'filter_override', /`filters_override`\.$/],
    ['with filters that are none', { query, filters_override: 7 }, 'filters_override__non_field_errors', /dictionary/],
  ] as const) {
    it(`is refused ${name}`, async () => {
      const answer = await postQuery(body);
      assert.equal(answer.status, 400);
      assert.deepEqual([answer.body['type'], answer.body['attr']], ['validation_error', attr]);
      assert.match(String(answer.body['detail']), detail);
    });
  }

  it('answers what was asked, under filters that are laid over it', async () => {
    const filters_override = {
      date_from: '2024-06-01',
      date_to: '2024-06-03',
      properties: [{ key: 'plan', type: 'event', operator: 'exact', value: 'free' }],
    };
    const source = { kind: 'InsightVizNode', source: query };
    for (const prefix of ['environments', 'projects']) {
      const { status, body } = await postQuery(
        { query: source, filters_override, refresh: 'blocking' },
        keys.reads,
        prefix,
      );
      assert.equal(status, 200);
      assert.deepEqual(
        [body['timezone'], body['is_cached'], body['hasMore'], body['resolved_date_range']],
        ['UTC', false, false, { date_from: '2024-06-01T00:00:00.000000Z', date_to: '2024-06-03T23:59:59.999999Z' }],
      );
      assert.deepEqual(body['results'], [
        {
          label: 'paid',
          count: 1,
          data: [0, 1, 0],
          days: ['2024-06-01', '2024-06-02', '2024-06-03'],
          labels: ['1-Jun-2024', '2-Jun-2024', '3-Jun-2024'],
          action: {
            id: 'paid',
            type: 'events',
            order: 0,
            name: 'paid',
            custom_name: null,
            math: 'total',
            math_property: null,
          },
        },
      ]);
    }
  });

  it('answers a table with its columns', async () => {
    const source = { kind: 'EventsQuery', select: ['distinct_id', 'properties.plan'], after: 'all', limit: 1 };
    const { body } = await postQuery({ query: { kind: 'DataTableNode', source } });
    const { results, columns, types, hasMore, limit, offset } = body;
    assert.deepEqual([columns, types, limit, offset], [['distinct_id', 'properties.plan'], ['String', 'JSON'], 1, 0]);
    assert.deepEqual([(results as unknown[]).length, hasMore], [1, true]);
  });

  /** A table's pages, each from where the one before ended. */
  async function pages(select: string[]) {
    const shown: { rows: unknown[][]; bytes: number }[] = [];
    for (let hasMore = true, offset = 0; hasMore; offset += shown.at(-1)!.rows.length) {
      const { body } = await postQuery({
        query: { kind: 'EventsQuery', select, event: 'large', after: 'all', limit: 6, offset },
      });
      shown.push({ rows: body['results'] as unknown[][], bytes: JSON.stringify(body).length });
      hasMore = body['hasMore'] as boolean;
    }
    return shown;
  }

  it('answers large events a few at a time, with where to continue', async () => {
    const properties = { large: 'x'.repeat(900_000), small: 1 };
    const events = Array.from({ length: 6 }, (_, n) => {
      return { event: 'large', distinct_id: `l${n}`, timestamp: '2024-06-02T10:00:00Z', properties };
    });
    await world.send(events);
    const whole = await pages(['distinct_id', '*', 'properties']);
    assert(Math.max(...whole.map(({ bytes }) => bytes)) < 6_000_000, 'four megabytes, and the end of the last row');
    const ids = whole.flatMap(({ rows }) => rows.map(([id]) => id));
    assert.equal(ids.length, events.length);
    assert.deepEqual(new Set(ids), new Set(events.map((event) => event.distinct_id)));
    assert.equal((await pages(['distinct_id', 'properties.small'])).length, 1, 'small columns of them are one page');
  });
});
