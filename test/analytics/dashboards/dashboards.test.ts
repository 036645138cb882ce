import assert from 'node:assert/strict';
import { buildPersonalKey } from '../../support/api/identity.ts';
import { startDashboardsApi, type Body, type Dashboard, type DashboardsApi } from '../../support/api/dashboards-api.ts';

const TREND = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: '$pageview' }] };
const LEVEL_37 = { restriction_level: 37 };
const NO_EDIT = "You don't have edit permissions for this dashboard.";

describe('dashboards', () => {
  let api: DashboardsApi;

  before(async () => {
    api = await startDashboardsApi();
  });
  after(() => api.stop());

  const patch = (id: number, body: Body, headers: Record<string, string> = {}) =>
    api.expectSuccess('PATCH', `${id}/`, body, { headers });
  const get = (id: number, query = '') => api.expectSuccess('GET', `${id}/${query}`);

  describe('are for those who may read and write them', () => {
    for (const [method, path, good] of [
      ['GET', '', 200],
      ['POST', '', 201],
      ['GET', ':id/', 200],
      ['PATCH', ':id/', 200],
      ['PUT', ':id/', 200],
      ['DELETE', ':id/', 405],
    ] as const) {
      it(`${method} ${path || '/'}`, async () => {
        const { id } = await api.create();
        const at = path.replace(':id', String(id));
        const body = method === 'GET' || method === 'DELETE' ? undefined : {};
        const status = async (key: string, project = api.ours.projectId) =>
          (await api.request(method, `/api/environments/${project}/dashboards/${at}`, body, { key })).status;
        const stranger = await buildPersonalKey(api.sluice.db, api.theirs, '*');
        const isRead = method === 'GET';
        assert.equal(await status(''), 401);
        assert.equal(await status(stranger), 403);
        assert.equal(await status(await api.keyWith('feature_flag:write')), 403);
        assert.equal(await status(await api.keyWith('dashboard:read')), isRead ? 200 : 403);
        assert.equal(await status(await api.keyWith('dashboard:write')), good);
        assert.equal(await status(await api.projectKey()), good);
        const across = path === '' || method === 'DELETE' ? good : 404;
        assert.equal(await status(stranger, api.theirs.projectId), across, 'by its id under a project of their own');
      });
    }

    it('as far as their level goes', async () => {
      const { id } = await api.create();
      const reader = await api.join();
      await api.rule(id, 'viewer', reader.membershipId);
      assert.equal((await api.expectSuccess('GET', `${id}/`, undefined, reader))['user_access_level'], 'viewer');
      const refusal = await api.expectRefusal(403, 'PATCH', `${id}/`, { pinned: 7 }, reader);
      assert.equal(refusal.detail, 'You do not have editor access to this resource.');
      const outsider = await api.join();
      await api.rule(id, 'none', outsider.membershipId);
      const unseen = await api.expectRefusal(403, 'GET', `${id}/`, undefined, outsider);
      assert.equal(unseen.detail, 'You do not have viewer access to this resource.');
      const copied = await api.expectRefusal(403, 'POST', '', { use_dashboard: id }, outsider);
      assert.equal(copied.detail, "You don't have permission to view the source dashboard.");
    });
  });

  describe('that are restricted', () => {
    it('are changed by their creator, admins and collaborators only', async () => {
      const { id } = await api.create(LEVEL_37);
      const [member, admin, collaborator] = [await api.join(), await api.join('admin'), await api.join()];
      await api.expectSuccess('POST', `${id}/collaborators/`, { user_uuid: collaborator.uuid, level: 37 });
      const levels = async (key: string) => {
        const seen = await api.expectSuccess('GET', `${id}/`, undefined, { key });
        return [seen['effective_restriction_level'], seen['effective_privilege_level'], seen['access_control_version']];
      };
      assert.deepEqual(await levels(member.key), [37, 21, 'v1']);
      for (const { key } of [api, admin, collaborator]) {
        assert.deepEqual(await levels(key), [37, 37, 'v1']);
        await api.expectSuccess('PATCH', `${id}/`, { description: key }, { key });
      }
      for (const body of [{ pinned: true }, {}, { pinned: 'wrong' }]) {
        assert.equal((await api.expectRefusal(403, 'PATCH', `${id}/`, body, member)).detail, NO_EDIT);
      }
    });

    it('are freed by who may restrict them; saying the same level again counts, too', async () => {
      const { id } = await api.create();
      const [member, admin] = [await api.join(), await api.join('admin')];
      const refusal = await api.expectRefusal(403, 'PATCH', `${id}/`, { restriction_level: 21 }, member);
      assert.match(refusal.detail, /^Only the dashboard owner and project admins have the restriction rights/);
      assert.equal((await api.expectSuccess('PATCH', `${id}/`, LEVEL_37, admin))['restriction_level'], 37);
      assert.equal((await patch(id, { restriction_level: 21 }))['access_control_version'], 'v2');
    });

    it('are not made by a key of the project, that could not change them any more', async () => {
      const key = await api.projectKey();
      await api.expectRefusal(403, 'POST', '', LEVEL_37, { key });
      assert.equal((await api.create({ restriction_level: 21 }, { key }))['created_by'], null);
    });
  });

  it('are refused with the field that is wrong', async () => {
    const { id } = await api.create();
    const deleted = await api.create();
    await patch(deleted.id, { deleted: true });
    for (const [body, attr, detail] of [
      [{ name: 'x'.repeat(401) }, 'name', /no more than 400 characters/],
      [{ name: 7 }, 'name', /Not a valid string/],
      [{ description: null }, 'description', /may not be null/],
      [{ pinned: 'yes' }, 'pinned', /Must be a valid boolean/],
      [{ tags: 'x' }, 'tags', /Expected a list of items but got type "str"/],
      [{ tags: ['x'.repeat(256)] }, 'tags__0', /no more than 255/],
      [{ filters: [1] }, null, /^Filters must be a dictionary$/],
      [{ filters: 'x' }, null, /^Filters must be a dictionary$/],
      [{ variables: 7 }, null, /^Variables must be a dictionary$/],
      [{ restriction_level: 22 }, 'restriction_level', /"22" is not a valid choice/],
      [{ quick_filter_ids: ['x'] }, 'quick_filter_ids', /^Invalid UUID: x$/],
      [{ last_accessed_at: 'today' }, 'last_accessed_at', /wrong format/],
      [{ tiles: {} }, 'tiles', /Expected a list/],
    ] as const) {
      for (const [method, path] of [
        ['POST', ''],
        ['PATCH', `${id}/`],
      ] as const) {
        const refusal = await api.expectRefusal(400, method, path, body);
        assert.equal(refusal.attr, attr, JSON.stringify(body));
        assert.match(refusal.detail, detail);
      }
    }
    for (const [body, attr, detail] of [
      [{ use_template: 'X', use_dashboard: id }, null, '`use_dashboard` and `use_template` cannot be used together'],
      [{ use_template: 'X' }, 'use_template', 'Invalid template provided: X'],
      [{ use_template: 'toString' }, 'use_template', 'Invalid template provided: toString'],
      [{ use_dashboard: '' }, 'use_dashboard', 'A valid integer is required.'],
      [{ use_dashboard: 2_000_000_000 }, 'use_dashboard', 'Invalid value provided'],
      [{ use_dashboard: deleted.id }, 'use_dashboard', 'Invalid value provided'],
    ] as const) {
      const refusal = await api.expectRefusal(400, 'POST', '', body);
      assert.deepEqual([refusal.attr, refusal.detail], [attr, detail]);
    }
    for (const unknown of ['2000000000', '99999999999', 'x', '0', '-1']) {
      assert.equal((await api.expectRefusal(404, 'GET', `${unknown}/`)).detail, 'Not found.');
      await api.expectRefusal(404, 'PATCH', `${unknown}/`, { pinned: 'wrong' });
    }
  });

  describe('are made', () => {
    it('out of nothing', async () => {
      const { status, headers, body } = await api.request('POST', '', {});
      const made = body as Dashboard;
      assert.equal(status, 201);
      assert.match(headers.get('location')!, new RegExp(`/dashboards/${made.id}/$`));
      const { id: _, created_at, created_by, ...rest } = made as Dashboard & { created_by: Body };
      assert.match(String(created_at), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      assert.equal(created_by['id'], api.ours.userId);
      assert.deepEqual(rest, {
        name: null,
        description: '',
        pinned: false,
        last_accessed_at: null,
        last_viewed_at: null,
        is_shared: false,
        deleted: false,
        creation_mode: 'default',
        tags: [],
        restriction_level: 21,
        effective_restriction_level: 21,
        effective_privilege_level: 37,
        user_access_level: 'manager',
        access_control_version: 'v2',
        last_refresh: null,
        team_id: api.ours.projectId,
        use_template: '',
        use_dashboard: null,
        delete_insights: false,
        filters: {},
        variables: {},
        breakdown_colors: [],
        data_color_theme_id: null,
        persisted_filters: null,
        persisted_variables: null,
        quick_filter_ids: [],
        tiles: [],
      });
    });

    it('with the given fields; fields that only the server sets are ignored', async () => {
      const givenFields = {
        name: 'Growth',
        description: 'Ours',
        pinned: true,
        filters: { date_from: '-7d' },
        variables: { v: { value: 1 } },
        breakdown_colors: [{ value: 'a', color: 'red' }],
        data_color_theme_id: 3,
        restriction_level: 37,
      };
      const ignored = {
        creation_mode: 'unlisted',
        is_shared: true,
        created_by: 1,
        effective_privilege_level: 21,
        x: 1,
      };
      const made = await api.create({ ...givenFields, ...ignored, tags: [' Sales ', 'sales', 'EU', ''] });
      const expected = { ...givenFields, tags: ['eu', 'sales'], creation_mode: 'default', is_shared: false };
      assert.deepEqual({ ...made, ...expected }, made);
      assert.deepEqual(made['persisted_filters'], { date_from: '-7d' });
    });

    it('with tiles and insights at once, or not at all', async () => {
      const tiles = [
        { text: { body: '# Hello' }, layouts: { sm: { x: 0, y: 0, w: 12, h: 2 } } },
        { insight: { name: 'Views', query: TREND }, layouts: { sm: { x: 0, y: 2, w: 6, h: 5 } } },
        { button_tile: { url: 'https://example.com', text: 'Docs' }, layouts: { sm: { x: 6, y: 2, w: 6, h: 1 } } },
      ];
      const made = await api.create({ name: 'Whole', tiles });
      assert.deepEqual(
        made.tiles.map(({ text, insight, button_tile: button }) => {
          return (text as Body)?.['body'] ?? (insight as Body)?.['name'] ?? (button as Body)['text'];
        }),
        ['# Hello', 'Views', 'Docs'],
      );
      const { count } = await api.expectSuccess<{ count: number }>('GET', '');
      const wrong = [...tiles, { insight: 2_000_000_000 }];
      assert.match((await api.expectRefusal(400, 'POST', '', { name: 'Half', tiles: wrong })).attr ?? '', /^tiles__3/);
      assert.equal((await api.expectSuccess<{ count: number }>('GET', '')).count, count);
      assert.equal((await api.sluice.db('insights').where({ name: 'Views' })).length, 1);
      await api.expectRefusal(403, 'POST', '', { tiles }, { key: await api.keyWith('dashboard:write') });
    });
  });

  describe('are changed', () => {
    it('in the given fields only', async () => {
      const made = await api.create({
        name: 'Before',
        tags: ['a'],
        filters: { date_from: '-7d' },
        variables: { v: {} },
      });
      const changed = await patch(made.id, { name: 'After', tags: null, filters: null, variables: [] });
      assert.deepEqual(changed, { ...made, name: 'After' });
      const cleared = await patch(made.id, { filters: {}, variables: {}, tags: [], name: null });
      const { filters, persisted_filters, variables, tags, name } = cleared;
      assert.deepEqual([filters, persisted_filters, variables, tags, name], [{}, null, {}, [], null]);
      assert.equal((await api.expectSuccess('PUT', `${made.id}/`, { pinned: true }))['pinned'], true);
      const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
      const formed = await api.expectSuccess(
        'PATCH',
        `${made.id}/`,
        'name=replaced+it&pinned=false&filters={"a":1}&data_color_theme_id=7',
        {
          headers: form,
        },
      );
      assert.deepEqual([formed.name, formed['pinned'], formed['filters']], ['replaced it', false, { a: 1 }]);
      assert.equal(formed['data_color_theme_id'], 7);
    });

    it('when they are as their reader saw them', async () => {
      const { id } = await api.create();
      const read = await api.request('GET', `${id}/`);
      const tag = read.headers.get('etag')!;
      const changed = await api.request('PATCH', `${id}/`, { name: 'First' }, { headers: { 'If-Match': tag } });
      assert.notEqual(changed.headers.get('etag'), tag);
      const stale = { headers: { 'If-Match': tag } };
      const refusal = await api.expectRefusal(412, 'PATCH', `${id}/`, { name: 'Second' }, stale);
      assert.equal(refusal.code, 'precondition_failed');
      const same = await api.request('PATCH', `${id}/`, { name: 'First' });
      assert.equal(same.headers.get('etag'), changed.headers.get('etag'), 'nothing changed');
      const withTile = await api.request('PATCH', `${id}/`, { tiles: [{ text: { body: 'new' } }] });
      assert.notEqual(withTile.headers.get('etag'), changed.headers.get('etag'));
    });

    it('with one entry in the activity log for each change', async () => {
      const { id } = await api.create({ name: 'Told' });
      await patch(id, { name: 'Retold', tiles: [{ text: { body: 'new' } }] });
      await patch(id, { name: 'Retold' });
      await api.expectSuccess('PUT', `${id}/access_controls/`, { access_level: 'viewer' });
      await patch(id, { deleted: true });
      await patch(id, { deleted: false });
      const entries = await api.activity(id);
      assert.deepEqual(
        entries.map(({ activity, user_id, detail }) => [activity, user_id, detail['type']]),
        ['created', 'updated', 'updated', 'deleted', 'restored'].map((verb) => [verb, api.ours.userId, 'dashboard']),
      );
      const [, { detail }] = entries as [unknown, { detail: { changes: Body[] } }];
      assert.deepEqual(
        detail.changes.map(({ field, before }) => [field, before]),
        [
          ['name', 'Told'],
          ['tiles', null],
        ],
      );
    });
  });

  describe('are deleted', () => {
    it('by a change: they are gone until they are restored with their tiles', async () => {
      const { id } = await api.create({ name: 'Gone', tiles: [{ text: { body: 'kept' } }] });
      const deleted = await patch(id, { deleted: true });
      assert.deepEqual([deleted['deleted'], deleted.tiles], [true, []]);
      for (const [method, path, body] of [
        ['GET', `${id}/`, undefined],
        ['PATCH', `${id}/`, { name: 'x' }],
        ['PATCH', `${id}/`, { deleted: true }],
        ['GET', `${id}/collaborators/`, undefined],
        ['GET', `${id}/access_controls/`, undefined],
      ] as const) {
        await api.expectRefusal(404, method, path, body);
      }
      const restored = await patch(id, { deleted: false });
      assert.deepEqual([restored['deleted'], restored.tiles.length], [false, 1]);
      assert.equal((await get(id)).name, 'Gone');
    });

    it('with insights that are nowhere else, if that is wished', async () => {
      const { id, tiles } = await api.create({
        tiles: ['Only here', 'Elsewhere, too'].map((name) => ({ insight: { name, query: TREND } })),
      });
      const [alone, shared] = tiles.map(({ insight }) => (insight as Body)['id'] as number);
      await api.create({ tiles: [{ insight: shared }] });
      const areDeleted = async () => {
        const rows = await api.sluice.db('insights').whereIn('id', [alone!, shared!]).orderBy('id');
        return rows.map(({ deleted }) => deleted as boolean);
      };
      await patch(id, { deleted: true });
      assert.deepEqual(await areDeleted(), [false, false]);
      await patch(id, { deleted: false });
      await patch(id, { deleted: true, delete_insights: true });
      assert.deepEqual(await areDeleted(), [true, false]);
      assert.equal((await patch(id, { deleted: false })).tiles.length, 2);
      assert.deepEqual(await areDeleted(), [false, false]);
    });

    it('never by DELETE, which looks nothing up', async () => {
      const { id } = await api.create();
      for (const path of [`${id}/`, '2000000000/', 'x/']) {
        const { status, body, headers } = await api.request('DELETE', path);
        assert.deepEqual([status, body, headers.get('allow')], [405, '', 'GET, PATCH, PUT']);
      }
      assert.equal((await get(id))['deleted'], false);
    });
  });

  describe('are looked at', () => {
    it('which they remember', async () => {
      const { id } = await api.create();
      const before = Date.now();
      const seen = Date.parse(String((await get(id))['last_accessed_at']));
      assert(seen >= before - 1000 && seen <= Date.now() + 1000);
    });

    it('with other filters and variables for this once', async () => {
      const { id } = await api.create({
        filters: { date_from: '-7d', properties: [] },
        variables: { a: { value: 1 } },
      });
      const filters = encodeURIComponent(JSON.stringify({ date_from: '-30d' }));
      const variables = encodeURIComponent(JSON.stringify({ b: { value: 2 } }));
      const seen = await get(id, `?filters_override=${filters}&variables_override=${variables}`);
      assert.deepEqual(seen['filters'], { date_from: '-30d', properties: [] });
      assert.deepEqual(seen['persisted_filters'], { date_from: '-7d', properties: [] });
      assert.deepEqual(seen['variables'], { a: { value: 1 }, b: { value: 2 } });
      assert.deepEqual((await get(id))['filters'], seen['persisted_filters']);
      for (const name of ['filters_override', 'variables_override', 'tile_filters_override']) {
        for (const wrong of ['{', '[]', '7']) {
          const refusal = await api.expectRefusal(400, 'GET', `${id}/?${name}=${wrong}`);
          assert.deepEqual([refusal.attr, refusal.detail], [name, `Invalid JSON passed in ${name} parameter`]);
        }
      }
    });

    it('with what their insights give', async () => {
      const { id } = await api.create({ tiles: [{ insight: { query: TREND } }] });
      const [tile] = (await get(id)).tiles as [{ insight: Body }];
      assert.equal((tile.insight['result'] as Body[])[0]!['count'], 0);
    });

    it('as shared only while their link that counts is open', async () => {
      const { id } = await api.create();
      const link = (fields: Body) => ({ project_id: api.ours.projectId, dashboard_id: id, enabled: true, ...fields });
      const links = api.sluice.db('sharing_configurations');
      await links.clone().insert(link({ access_token: `old-${id}`, expires_at: '2100-01-01' }));
      assert.equal((await get(id))['is_shared'], false);
      await links.clone().insert(link({ access_token: `new-${id}` }));
      assert.equal((await get(id))['is_shared'], true);
    });
  });
});
