import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { buildPersonalKey } from '../../support/api/identity.ts';
import { startDashboardsApi, type Body, type DashboardsApi, type Person } from '../../support/api/dashboards-api.ts';

const LEVEL_37 = { restriction_level: 37 };

describe('collaborators of a dashboard', () => {
  let api: DashboardsApi;
  let friend: Person;

  before(async () => {
    api = await startDashboardsApi();
    friend = await api.join();
  });
  after(() => api.stop());

  const add = (id: number, user_uuid: string, level: unknown = 37) =>
    api.expectSuccess<Body>('POST', `${id}/collaborators/`, { user_uuid, level });
  const list = (id: number) => api.expectSuccess<Body[]>('GET', `${id}/collaborators/`);

  for (const [method, path, good] of [
    ['GET', 'collaborators/', 200],
    ['POST', 'collaborators/', 201],
    ['DELETE', 'collaborators/:user/', 204],
  ] as const) {
    it(`are for those who may edit it: ${method} ${path}`, async () => {
      const { id } = await api.create(LEVEL_37);
      const isRead = method === 'GET';
      if (method === 'DELETE') await add(id, friend.uuid);
      const at = `${id}/${path.replace(':user', friend.uuid)}`;
      const body = method === 'POST' ? { user_uuid: friend.uuid, level: 37 } : undefined;
      const status = async (key: string, project = api.ours.projectId) =>
        (await api.request(method, `/api/projects/${project}/dashboards/${at}`, body, { key })).status;
      const stranger = await buildPersonalKey(api.sluice.db, api.theirs, '*');
      assert.equal(await status(''), 401);
      assert.equal(await status(stranger), 403);
      assert.equal(await status(stranger, api.theirs.projectId), 404);
      assert.equal(await status(await api.keyWith('dashboard:read')), isRead ? 200 : 403);
      assert.equal(await status((await api.join()).key), isRead ? 200 : 403, 'somebody whom it is restricted from');
      assert.equal(await status(await api.keyWith('dashboard:write')), good);
    });
  }

  it('are refused with the reason, the first of several', async () => {
    const { id } = await api.create(LEVEL_37);
    const open = await api.create();
    const [member, admin, gone] = [await api.join(), await api.join('admin'), await api.join()];
    await add(id, member.uuid);
    await api.sluice.db('users').where({ id: gone.userId }).update({ is_active: false });
    const [{ uuid: mine }] = await api.sluice.db('users').where({ id: api.ours.userId }).select('uuid');
    const [{ uuid: theirs }] = await api.sluice.db('users').where({ id: api.theirs.userId }).select('uuid');
    for (const [dashboard, body, attr, detail] of [
      [id, {}, 'user_uuid', /required/],
      [id, { user_uuid: 'x', level: 5 }, 'user_uuid', /Must be a valid UUID/],
      [id, { user_uuid: friend.uuid }, 'level', /required/],
      [id, { user_uuid: friend.uuid, level: 5 }, 'level', /"5" is not a valid choice/],
      [open.id, { user_uuid: friend.uuid, level: 21 }, null, /^Cannot add .* on the lowest restriction level\.$/],
      [id, { user_uuid: randomUUID(), level: 21 }, null, /^Only edit access can be explicitly specified currently\.$/],
      [id, { user_uuid: randomUUID(), level: 37 }, null, /^User does not exist\.$/],
      [id, { user_uuid: gone.uuid, level: 37 }, null, /^User does not exist\.$/],
      [id, { user_uuid: theirs, level: 37 }, null, /that have no access to the project\.$/],
      [id, { user_uuid: mine, level: 37 }, null, /already have inherent access/],
      [id, { user_uuid: admin.uuid, level: 37 }, null, /already have inherent access/],
      [id, { user_uuid: member.uuid, level: 37 }, null, /^User already is a collaborator\.$/],
    ] as const) {
      const refusal = await api.expectRefusal(400, 'POST', `${dashboard}/collaborators/`, body);
      assert.equal(refusal.attr, attr, JSON.stringify(body));
      assert.match(refusal.detail, detail);
    }
    const one = (user: string) => `${id}/collaborators/${user}/`;
    assert.equal((await api.expectRefusal(404, 'DELETE', one(friend.uuid))).detail, 'Not found.');
    await api.expectRefusal(404, 'DELETE', one('x'));
    const lowest = await api.expectRefusal(400, 'DELETE', `${open.id}/collaborators/${friend.uuid}/`);
    assert.match(lowest.detail, /^Cannot remove .* on the lowest restriction level\.$/);
    for (const method of ['GET', 'POST'] as const) {
      const missing = await api.expectRefusal(
        404,
        method,
        '2000000000/collaborators/',
        method === 'GET' ? undefined : {},
      );
      assert.equal(missing.detail, 'Dashboard not found.');
    }
    for (const method of ['PATCH', 'PUT']) assert.equal((await api.request(method, one(friend.uuid), {})).status, 405);
  });

  it('come and go, in the order in which they came, and in the activity log', async () => {
    const { id } = await api.create({ ...LEVEL_37, name: 'Ours' });
    const [first, second] = [await api.join(), await api.join()];
    const added = await add(id, first.uuid);
    await add(id, second.uuid);
    const [listed, other] = await list(id);
    assert.deepEqual(listed, added);
    assert.deepEqual([listed!['level'], listed!['dashboard_id'], listed!['user_uuid']], [37, id, first.uuid]);
    assert.equal((other!['user'] as Body)['id'], second.userId);

    const removed = await api.request('DELETE', `${id}/collaborators/${first.uuid}/`);
    assert.deepEqual([removed.status, removed.body], [204, '']);
    assert.deepEqual(await list(id), [other]);
    await api.expectRefusal(403, 'PATCH', `${id}/`, { pinned: true }, first);
    await api.expectSuccess('PATCH', `${id}/`, { pinned: true }, second);

    const loggedChanges = (await api.activity(id)).flatMap(({ detail }) => detail['changes'] as Body[]);
    const collaboratorChanges = loggedChanges.filter(({ field }) => field === 'collaborators');
    assert.deepEqual(
      collaboratorChanges.map(({ action, before, after }) => [action, ((before ?? after) as Body)['user_uuid']]),
      [
        ['created', first.uuid],
        ['created', second.uuid],
        ['deleted', first.uuid],
      ],
    );
  });

  it('are not shown when they cannot act any more', async () => {
    const { id } = await api.create(LEVEL_37);
    const leaver = await api.join();
    await add(id, leaver.uuid);
    await api.sluice.db('users').where({ id: leaver.userId }).update({ is_active: false });
    assert.deepEqual(await list(id), []);
  });
});
