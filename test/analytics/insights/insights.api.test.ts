/** `/insights/`: who may, what is refused, and what is done. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Person } from '../../support/api/dashboards-api.ts';
import { countOf, numberIn, startInsightsApi, type Insight, type InsightsApi } from '../../support/api/insights-api.ts';

type Page = { count: number; next: string | null; results: Insight[] };
type Told = { detail: { changes: { before: unknown; after: unknown }[] } };

describe('insights', () => {
  let api: InsightsApi;
  let made: Insight;

  before(async () => {
    api = await startInsightsApi();
    made = await api.create({ name: 'Visits', query: countOf('visited') });
  });
  after(() => api.stop());

  async function rule(level: string, resource: string, resourceId: number | null, person?: Person): Promise<void> {
    await api.dashboards.sluice.db('access_controls').insert({
      id: randomUUID(),
      project_id: api.dashboards.ours.projectId,
      resource,
      resource_id: resourceId === null ? null : String(resourceId),
      access_level: level,
      ...(person && { membership_id: person.membershipId }),
    });
  }

  describe('are for', () => {
    const ROUTES = [
      { method: 'GET', path: '', scope: 'insight:read' },
      { method: 'POST', path: '', scope: 'insight:write' },
      { method: 'GET', path: ':id/', scope: 'insight:read' },
      { method: 'PATCH', path: ':id/', scope: 'insight:write' },
      { method: 'DELETE', path: ':id/', scope: 'insight:write' },
      { method: 'GET', path: ':id/access_controls/', scope: 'access_control:read' },
    ];
    for (const { method, path, scope } of ROUTES) {
      it(`no key without ${scope}: ${method} ${path}`, async () => {
        const at = path.replace(':id', String(made.id));
        await api.refused(401, method, at, undefined, { key: '' });
        const key = await api.dashboards.keyWith('dashboard:write', 'query:read');
        const { detail } = await api.refused(403, method, at, undefined, { key });
        assert.equal(detail, `API key missing required scope '${scope}'`);
      });
    }

    it('members whose level is high enough, of lists too', async () => {
      const person = await api.dashboards.join();
      const secret = await api.create({ name: 'Secret', query: countOf('visited') });
      const asPerson = { key: person.key };
      await rule('none', 'insight', secret.id, person);
      await rule('viewer', 'insight', made.id, person);
      await api.refused(403, 'GET', `${secret.id}/`, undefined, asPerson);
      await api.refused(403, 'GET', `${secret.short_id}/`, undefined, asPerson);
      const listed = await api.done<Page>('GET', '?limit=1000', undefined, asPerson);
      assert.ok(!listed.results.some(({ id }) => id === secret.id));
      const shown = await api.done('GET', `${made.id}/`, undefined, asPerson);
      assert.equal(shown['user_access_level'], 'viewer');
      const { detail } = await api.refused(403, 'PATCH', `${made.id}/`, { name: 5 }, asPerson);
      assert.equal(detail, 'You do not have editor access to this resource.');
    });

    it('their own project: insights of another one are not there', async () => {
      const theirs = `/api/projects/${api.dashboards.theirs.projectId}/insights/${made.id}/`;
      await api.refused(403, 'GET', theirs);
      const { userId } = api.dashboards.theirs;
      const db = api.dashboards.sluice.db;
      const [strange] = (await db('insights')
        .insert({ short_id: 'stranger', project_id: api.dashboards.theirs.projectId, created_by: userId })
        .returning('id')) as [{ id: number }];
      await api.refused(404, 'GET', `${strange.id}/`);
      await api.refused(404, 'PATCH', 'stranger/', { name: 'ours' });
    });

    it('people who may edit their dashboards, where those are restricted, whatever other dashboard they are on', async () => {
      const person = await api.dashboards.join();
      const board = await api.dashboards.create({ restriction_level: 37 });
      const insight = await api.create({ dashboards: [board.id] });
      const before = await api.done('GET', `${insight.id}/`, undefined, { key: person.key });
      assert.deepEqual([before['effective_restriction_level'], before['effective_privilege_level']], [37, 21]);
      const { detail } = await api.refused(403, 'PATCH', `${insight.id}/`, { name: 'x' }, { key: person.key });
      assert.equal(detail, "You don't have edit permissions for this insight.");
      await api.dashboards.create({ tiles: [{ insight: insight.id }] }, { key: person.key });
      await api.refused(403, 'PATCH', `${insight.id}/`, { name: 'x' }, { key: person.key });
      await api.done('POST', `/api/projects/${api.dashboards.ours.projectId}/dashboards/${board.id}/collaborators/`, {
        user_uuid: person.uuid,
        level: 37,
      });
      await api.done('PATCH', `${insight.id}/`, { name: 'x' }, { key: person.key });
    });
  });

  describe('are refused', () => {
    const BAD = [
      { body: { query: 'select 1' }, attr: 'query', detail: 'Query must be a valid JSON object' },
      { body: { query: [] }, attr: 'query', detail: 'Query must be a valid JSON object' },
      { body: { query: { kind: 'PathsQuery' } }, attr: 'query', detail: /not a supported kind/ },
      { body: { query: countOf('x', { interval: 'year' }) }, attr: 'query', detail: /interval/ },
      { body: { filters: { insight: 'PATHS' } }, attr: 'filters', detail: /^insight: There is no "PATHS"/ },
      { body: { filters: { events: [{ id: 'x', math: 'p90' }] } }, attr: 'filters', detail: /^As a query: .*math/ },
      { body: { filters: 'x' }, attr: 'filters', detail: 'Must be a JSON object.' },
      { body: { name: 'x'.repeat(401) }, attr: 'name', detail: 'Ensure this field has no more than 400 characters.' },
      { body: { tags: 'x' }, attr: 'tags', detail: 'Expected a list of items but got type "str".' },
      { body: { saved: 'maybe' }, attr: 'saved', detail: 'Must be a valid boolean.' },
      { body: { dashboards: [2147483647] }, attr: 'dashboards', detail: 'Dashboard not found' },
      { body: { dashboards: ['x'] }, attr: 'dashboards__0', detail: 'A valid integer is required.' },
    ];
    for (const { body, attr, detail } of BAD) {
      it(`with ${JSON.stringify(body).slice(0, 60)}`, async () => {
        const { count } = await api.done<Page>('GET', '?limit=1');
        for (const [method, path] of [
          ['POST', ''],
          ['PATCH', `${made.id}/`],
        ] as const) {
          const refusal = await api.refused(400, method, path, body);
          assert.equal(refusal.attr, attr);
          if (typeof detail === 'string') assert.equal(refusal.detail, detail);
          else assert.match(refusal.detail, detail);
        }
        assert.equal((await api.done<Page>('GET', '?limit=1')).count, count);
      });
    }

    const ADDRESSES = ['0/', '99999999999/', '2147483647/', 'nosuchid/', '%00/'];
    for (const path of ADDRESSES) it(`at ${path}`, () => api.refused(404, 'GET', path));

    it('on DELETE, without a body', async () => {
      const { status, body } = await api.request('DELETE', `${made.id}/`);
      assert.deepEqual([status, body], [405, '']);
    });
  });

  it('are made of next to nothing', async () => {
    const { status, body, headers } = await api.request('POST', '', {});
    const insight = body as Insight;
    assert.equal(status, 201);
    assert.equal(headers.get('etag'), '"1"');
    assert.match(headers.get('location') ?? '', new RegExp(`/insights/${insight.id}/$`));
    assert.match(insight.short_id, /^[0-9A-Za-z_-]{8}$/);
    const { name, query, filters, result, tags, saved, favorited, deleted, dashboards, user_access_level } = insight;
    assert.deepEqual(
      { name, query, filters, result, tags, saved, favorited, deleted, dashboards, user_access_level },
      {
        name: null,
        query: null,
        filters: {},
        result: null,
        tags: [],
        saved: false,
        favorited: false,
        deleted: false,
        dashboards: [],
        user_access_level: 'manager',
      },
    );
  });

  it('are found by id and by short id, and show what was captured', async () => {
    const insight = await api.create({ query: { kind: 'InsightVizNode', source: countOf('bought') } });
    assert.equal(numberIn(insight), 0);
    await api.capture('bought', 'ann', 'ben');
    assert.equal(numberIn(await api.done('GET', `${insight.id}/`)), 0);
    const fresh = await api.done('GET', `${insight.short_id}/?refresh=true`);
    assert.deepEqual([fresh.id, numberIn(fresh), fresh['is_cached']], [insight.id, 2, false]);
    assert.equal(numberIn(await api.done('GET', `${insight.id}/?refresh=false`)), 2);
    const past = encodeURIComponent('{"date_from":"2020-01-01","date_to":"2020-01-02"}');
    assert.equal(numberIn(await api.done('GET', `${insight.id}/?filters_override=${past}`)), 0);
    assert.equal((await api.refused(400, 'GET', `${insight.id}/?filters_override=x`)).attr, 'filters_override');
  });

  it('keep what legacy filters say, as a query', async () => {
    const filters = { insight: 'FUNNELS', events: [{ id: 'a' }, { id: 'b' }] };
    const { query, filters: shown } = await api.create({ filters, query: null });
    assert.deepEqual(shown, {});
    assert.equal((query as { source: { kind: string } }).source.kind, 'FunnelsQuery');
  });

  it('are changed in the given fields, and log the change', async () => {
    const insight = await api.create({ name: 'Before', tags: [' B ', 'a', 'A'], description: 'why' });
    assert.deepEqual(insight['tags'], ['b', 'a']);
    const after = await api.done('PATCH', `${insight.short_id}/`, { name: 'After', favorited: true, unknown: 1 });
    const { name, favorited, description, tags } = after;
    assert.deepEqual(
      { name, favorited, description, tags },
      { name: 'After', favorited: true, description: 'why', tags: ['b', 'a'] },
    );
    await api.done('PATCH', `${insight.id}/`, { name: 'After' });
    const entries = await api.activity(insight.id);
    assert.deepEqual(
      entries.map(({ activity, detail }) => [activity, detail['type'], detail.changes.map(({ field }) => field)]),
      [
        ['created', 'insight', []],
        ['updated', 'insight', ['name', 'favorited']],
      ],
    );
  });

  it('are changed only as they were read, where the caller insists', async () => {
    const insight = await api.create();
    const stale = { headers: { 'If-Match': '"1"' } };
    await api.done('PATCH', `${insight.id}/`, { name: 'first' }, stale);
    await api.refused(412, 'PATCH', `${insight.id}/`, { name: 'second' }, stale);
  });

  it('are deleted and restored by a change', async () => {
    const board = await api.dashboards.create();
    const insight = await api.create({ dashboards: [board.id] });
    const tiles = async () => (await api.dashboards.expectSuccess('GET', `${board.id}/`)).tiles.length;
    assert.equal(await tiles(), 1);
    await api.done('PATCH', `${insight.id}/`, { deleted: true });
    await api.refused(404, 'GET', `${insight.id}/`);
    await api.refused(404, 'PATCH', `${insight.id}/`, { name: 'x' });
    assert.equal((await api.done<Page>('GET', `?short_id=${insight.short_id}`)).count, 0);
    assert.equal(await tiles(), 0);
    await api.done('PATCH', `${insight.id}/`, { deleted: false });
    assert.equal(await tiles(), 1);
    assert.deepEqual(
      (await api.activity(insight.id)).map(({ activity }) => activity),
      ['created', 'deleted', 'restored'],
    );
  });

  it('are put on dashboards and taken off, and lie where they lay', async () => {
    const [one, two] = [await api.dashboards.create(), await api.dashboards.create()];
    const insight = await api.create({ dashboards: [one.id, one.id] });
    assert.deepEqual(insight.dashboards, [one.id]);
    const [tile] = insight['dashboard_tiles'] as { id: number }[];
    const layouts = { sm: { x: 6, y: 0, w: 6, h: 5 } };
    await api.dashboards.expectSuccess('PATCH', `${one.id}/`, { tiles: [{ id: tile!.id, layouts }] });
    const moved = await api.done('PATCH', `${insight.id}/`, { dashboards: [two.id] });
    assert.deepEqual(moved.dashboards, [two.id]);
    assert.deepEqual((await api.dashboards.expectSuccess('GET', `${one.id}/`)).tiles, []);
    await api.done('PATCH', `${insight.id}/`, { dashboards: [two.id, one.id] });
    const [back] = (await api.dashboards.expectSuccess('GET', `${one.id}/`)).tiles;
    assert.deepEqual([back!['id'], back!['layouts']], [tile!.id, layouts]);
    await api.done('PATCH', `${insight.id}/`, { dashboards: [] });
    assert.deepEqual((await api.done('GET', `${insight.id}/`)).dashboards, []);
  });

  it('are put on, and taken off, only dashboards that the caller may edit', async () => {
    const person = await api.dashboards.join();
    const [restricted, seen] = [await api.dashboards.create({ restriction_level: 37 }), await api.dashboards.create()];
    await rule('viewer', 'dashboard', seen.id, person);
    const insight = await api.create({ dashboards: [seen.id] });
    const asPerson = { key: person.key };
    for (const { id } of [restricted, seen]) {
      const { detail } = await api.refused(403, 'POST', '', { dashboards: [id] }, asPerson);
      assert.equal(detail, `You don't have permission to add insights to dashboard: ${id}`);
    }
    const { detail } = await api.refused(403, 'PATCH', `${insight.id}/`, { dashboards: [] }, asPerson);
    assert.equal(detail, `You don't have permission to remove insights from dashboard: ${seen.id}`);
  });

  it('reveal nothing of dashboards that are hidden from the caller, and stay there', async () => {
    const person = await api.dashboards.join();
    const [hidden, open] = [await api.dashboards.create(), await api.dashboards.create()];
    await rule('none', 'dashboard', hidden.id, person);
    const { id } = await api.create({ dashboards: [hidden.id, open.id] });
    const asPerson = { key: person.key };
    const seen = await api.done('GET', `${id}/`, undefined, asPerson);
    const tiles = seen['dashboard_tiles'] as { dashboard_id: number }[];
    assert.deepEqual([seen['dashboards'], tiles.map((tile) => tile.dashboard_id)], [[open.id], [open.id]]);
    const shown = await api.dashboards.expectSuccess('GET', `${open.id}/`, undefined, asPerson);
    assert.deepEqual((shown.tiles[0]!['insight'] as Insight)['dashboards'], [open.id]);
    const countOn = async (dashboard: number, options = {}) =>
      (await api.done<Page>('GET', `?dashboard=${dashboard}`, undefined, options)).count;
    assert.deepEqual([await countOn(hidden.id, asPerson), await countOn(open.id, asPerson)], [0, 1]);
    assert.equal(await countOn(hidden.id), 1);
    await api.done('PATCH', `${id}/`, { dashboards: [] }, asPerson);
    assert.deepEqual((await api.done('GET', `${id}/`))['dashboards'], [hidden.id]);
    await api.done('PATCH', `${id}/`, { dashboards: [] });
    const loggedValues = async (options = {}) => {
      const log = `/api/projects/${api.dashboards.ours.projectId}/activity_log/?scope=Insight&item_id=${id}`;
      const { results } = await api.dashboards.expectSuccess<{ results: Told[] }>('GET', log, undefined, options);
      return results.flatMap(({ detail }) => detail.changes.map(({ before, after }) => [before, after]));
    };
    assert.deepEqual(await loggedValues(asPerson), [[[open.id], []]]);
    assert.deepEqual(await loggedValues(), [
      [[hidden.id], []],
      [[hidden.id, open.id], [hidden.id]],
    ]);
  });

  describe('are listed', () => {
    let one: Insight;
    before(async () => {
      one = await api.create({ name: 'Needle', tags: ['tagged'], saved: true, favorited: true });
    });

    const QUERIES = [
      'search=needl',
      'search=TAGGED',
      'tags=tagged',
      'saved=true&favorited=true',
      'user=true&search=needle',
      'search=needle&order=name',
    ];
    for (const query of QUERIES) {
      it(`by ${query}`, async () => {
        const { results } = await api.done<Page>('GET', `?${query}`);
        assert.deepEqual(
          results.map(({ id }) => id),
          [one.id],
        );
      });
    }

    it('by short id and dashboard, and without results if that is wished', async () => {
      assert.deepEqual((await api.done<Page>('GET', `?short_id=${one.short_id}&basic=true`)).results[0]!.id, one.id);
      const board = await api.dashboards.create();
      await api.done('PATCH', `${one.id}/`, { dashboards: [board.id] });
      const { results } = await api.done<Page>('GET', `?dashboard=${board.id}&basic=true`);
      assert.deepEqual(
        results.map(({ id, result }) => [id, result]),
        [[one.id, undefined]],
      );
    });

    it('in pages, those that changed last first', async () => {
      await api.done('PATCH', `${made.id}/`, { description: 'now' });
      const { results, next, count } = await api.done<Page>('GET', '?limit=1');
      assert.equal(results[0]!.id, made.id);
      assert.match(next ?? '', /limit=1&offset=1$/);
      assert.ok(count > 1);
      assert.equal((await api.refused(400, 'GET', '?order=secret')).attr, 'order');
    });

    it('with the results that there are: nothing is computed', async () => {
      const insight = await api.create({ name: 'Uncomputed', query: countOf('never') }, {});
      await api.dashboards.sluice.db('insight_results').delete();
      const [listed] = (await api.done<Page>('GET', `?short_id=${insight.short_id}`)).results;
      assert.equal(listed!.result, null);
      const [computed] = (await api.done<Page>('GET', `?short_id=${insight.short_id}&refresh=blocking`)).results;
      assert.equal(numberIn(computed!), 0);
    });
  });

  describe('of a dashboard', () => {
    it('are run as it shows them: its filters, or those of the tile in their place', async () => {
      await api.capture('ran', 'ann');
      const [plain, overridden] = [
        await api.create({ query: countOf('ran') }),
        await api.create({ query: countOf('ran') }),
      ];
      const board = await api.dashboards.create({
        filters: { date_from: '2020-01-01', date_to: '2020-01-02' },
        tiles: [{ insight: plain.id }, { insight: overridden.id }, { text: { body: 'no insight' } }],
      });
      const tile = board.tiles.find((one) => (one['insight'] as Insight | null)?.id === overridden.id)!;
      const filters_overrides = { date_from: '-1d' };
      await api.dashboards.expectSuccess('PATCH', `${board.id}/`, { tiles: [{ id: tile['id'], filters_overrides }] });

      type Runs = { results: (Insight & { insight: { id: number } })[] };
      const path = `/api/projects/${api.dashboards.ours.projectId}/dashboards/${board.id}/run_insights/`;
      const { results } = await api.done<Runs>('GET', path);
      assert.deepEqual(
        results.map((run) => [run.insight.id, numberIn(run)]),
        [
          [plain.id, 0],
          [overridden.id, 1],
        ],
      );
      const { detail } = await api.refused(403, 'GET', path, undefined, {
        key: await api.dashboards.keyWith('dashboard:read', 'insight:read'),
      });
      assert.equal(detail, "API key missing required scope 'query:read'");

      assert.equal(numberIn(await api.done('GET', `${plain.id}/?from_dashboard=${board.id}`)), 0);
      assert.equal(numberIn(await api.done('GET', `${overridden.id}/?from_dashboard=${board.id}`)), 1);
      await api.refused(404, 'GET', `${plain.id}/?from_dashboard=2147483647`);
    });

    it('are sent tile by tile to people, as each result is ready', async () => {
      const insight = await api.create({ query: countOf('streamed') });
      await api.capture('streamed', 'ann');
      await api.dashboards.sluice.db('insight_results').delete();
      const tiles = [{ text: { body: 'hello' } }, { insight: insight.id }, { text: { body: 'bye' } }];
      const board = await api.dashboards.create({ name: 'Board', tiles });
      const path = `/api/projects/${api.dashboards.ours.projectId}/dashboards/${board.id}/stream_tiles/`;
      const { detail } = await api.refused(403, 'GET', path);
      assert.equal(detail, 'This action does not support personal API key access');
      const { headers } = await api.dashboards.login();
      const answer = await fetch(api.dashboards.sluice.url + path, { headers: headers! });
      assert.equal(answer.headers.get('content-type'), 'text/event-stream');

      type Event = { type: string; tile?: { id: number; insight: Insight | null }; dashboard?: typeof board };
      const events = (await answer.text())
        .split('\n\n')
        .filter(Boolean)
        .map((text) => JSON.parse(text.replace(/^data: /, '')) as Event);
      assert.deepEqual(
        events.map(({ type }) => type),
        ['metadata', 'tile', 'tile', 'tile', 'complete'],
      );
      const [metadata] = events;
      assert.deepEqual([metadata!.dashboard!.name, metadata!.dashboard!.tiles.length], ['Board', 2]);
      const streamed = events.map(({ tile }) => tile?.insight).find(Boolean);
      assert.deepEqual([streamed!.id, numberIn(streamed!)], [insight.id, 1]);
      assert.deepEqual(new Set(events.flatMap(({ tile }) => tile?.id ?? [])), new Set(board.tiles.map(({ id }) => id)));
    });

    it('say so when their query cannot be run: the others are shown', async () => {
      const [good, bad] = [await api.create({ query: countOf('ran') }), await api.create({ query: countOf('ran') })];
      const board = await api.dashboards.create({ tiles: [{ insight: good.id }, { insight: bad.id }] });
      await api.dashboards.sluice
        .db('insights')
        .where({ id: bad.id })
        .update({ query: { kind: 'OlderQuery' } });
      const { tiles } = await api.dashboards.expectSuccess('GET', `${board.id}/`);
      assert.equal(tiles[0]!['error'], undefined);
      assert.equal((tiles[1]!['error'] as { type: string }).type, 'validation_error');
    });
  });

  it('have rules of who may do what with them', async () => {
    const person = await api.dashboards.join();
    const insight = await api.create();
    const body = { access_level: 'none', organization_member: person.membershipId };
    await api.done('PUT', `${insight.id}/access_controls/`, body);
    await api.refused(403, 'GET', `${insight.id}/`, undefined, { key: person.key });
    await api.done('PUT', `${insight.short_id}/access_controls/`, { ...body, access_level: 'viewer' });
    assert.equal(
      (await api.done('GET', `${insight.id}/`, undefined, { key: person.key }))['user_access_level'],
      'viewer',
    );
  });
});
