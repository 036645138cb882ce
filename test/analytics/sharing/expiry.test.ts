/** Links that stop working at a time: who may set it, and that nothing is shown after it. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { buildPersonalKey } from '../../support/api/identity.ts';
import { startSharedWorld, type Json, type SharedWorld } from '../../support/servers/shared-world.ts';

const LATER = '2999-12-31T18:00:00+01:00';
const LATER_IN_UTC = '2999-12-31T17:00:00.000000Z';
const PASSWORD = 'correct horse';

describe('the expiry of a shared link', () => {
  let world: SharedWorld;
  let id: number;
  let path: string;

  before(async () => {
    world = await startSharedWorld();
  });
  after(() => world.stop());
  beforeEach(async () => {
    id = await world.buildDashboard();
    path = `/dashboards/${id}/sharing/`;
  });

  const patch = async (body: Json, at = path, key = world.key) => {
    const answer = await world.request('PATCH', at, body, { key });
    return { status: answer.status, body: answer.body as Json };
  };
  const row = (where: Json = { dashboard_id: id }) => world.sluice.db('sharing_configurations').where(where);
  /** Lets the time pass. */
  const expire = (where?: Json) => row(where).update({ shared_until: world.sluice.db.fn.now() });
  const visit = async (address: string, init: RequestInit = {}) => {
    const answer = await fetch(world.sluice.url + address, { redirect: 'manual', ...init });
    const headers = [...answer.headers].filter(([name]) => name !== 'date');
    return { status: answer.status, headers, text: await answer.text() };
  };
  const unlock = (token: string) =>
    visit(`/shared/${token}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ password: PASSWORD }),
    });

  it('is null until it is set, stays when something else changes, and is cleared by null', async () => {
    assert.equal((await patch({ enabled: true })).body['expires_at'], null);
    assert.equal((await patch({ expires_at: LATER })).body['expires_at'], LATER_IN_UTC);
    assert.equal((await patch({ password_required: true })).body['expires_at'], LATER_IN_UTC);
    const refreshed = await world.request('POST', `${path}refresh/`, {});
    assert.equal((refreshed.body as Json)['expires_at'], LATER_IN_UTC);
    assert.equal((await patch({ expires_at: null })).body['expires_at'], null);
  });

  it('is in the activity log, before and after', async () => {
    await patch({ enabled: true });
    await patch({ expires_at: LATER });
    const { detail, activity } = await world.sluice
      .db('activity_log')
      .where({ scope: 'Dashboard', item_id: String(id) })
      .orderBy('created_at', 'desc')
      .first<{ activity: string; detail: { changes: Json[] } }>();
    assert.equal(activity, 'updated');
    assert.deepEqual(
      detail.changes.map(({ field, before, after }) => [field, before, after]),
      [['sharing_expires_at', null, LATER_IN_UTC]],
    );
  });

  for (const [expires_at, detail] of [
    ['tomorrow', /^Datetime has wrong format/],
    ['2999-12-31', /^Give the time with its zone/],
    ['2999-12-31T18:00:00', /^Give the time with its zone/],
    ['2001-01-01T00:00:00Z', /^Must be in the future/],
    [{}, /^Not a valid string/],
  ] as const) {
    it(`is refused as ${JSON.stringify(expires_at)}, and nothing is shared`, async () => {
      const { status, body } = await patch({ enabled: true, expires_at });
      assert.deepEqual([status, body['attr']], [400, 'expires_at']);
      assert.match(String(body['detail']), detail);
      const { body: known } = await world.request('GET', path);
      assert.deepEqual([(known as Json)['enabled'], (known as Json)['expires_at']], [false, null]);
    });
  }

  it('ends the link as disabling does: on every route, behind a password, for a logged-in visitor, and for a former link', async () => {
    const disabled = await world.share(await world.buildDashboard());
    await row({ access_token: disabled }).update({ enabled: false });
    const former = await world.share(id, { password_required: true, expires_at: LATER });
    await world.request('POST', `${path}passwords/`, { raw_password: PASSWORD });
    const refreshed = await world.request('POST', `${path}refresh/`, {});
    const { access_token: token } = refreshed.body as { access_token: string };
    const { shareToken } = JSON.parse((await unlock(token)).text) as { shareToken: string };
    const visitor = { headers: { Authorization: `Bearer ${shareToken}` } };
    const open = await visit(`/shared/${token}.json`, visitor);
    assert.match(open.text, /"type":"scene"/);

    await expire();
    // The page was drawn a moment ago, and may still be kept for others.
    for (const door of ['shared', 'embedded', 'shared_dashboard']) {
      for (const end of ['', '.json']) {
        const ended = await visit(`/${door}/${disabled}${end}`);
        assert.equal(ended.status, 404);
        for (const one of [token, former]) {
          assert.deepEqual(await visit(`/${door}/${one}${end}`), ended);
          assert.deepEqual(await visit(`/${door}/${one}${end}`, visitor), ended);
        }
      }
    }
    assert.deepEqual(await unlock(token), await unlock(disabled));
    assert.equal((await unlock(token)).status, 404);
  });

  it('forbids caching while the link works', async () => {
    const token = await world.share(id, { expires_at: LATER });
    for (const end of ['', '.json']) {
      const headers = new Headers((await visit(`/shared/${token}${end}`)).headers as [string, string][]);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.deepEqual(['etag', 'expires', 'last-modified'].map((name) => headers.get(name)), [null, null, null]); // prettier-ignore
    }
  });

  it('is not taken for sharing by the list of dashboards, and can be moved: then the same link works again', async () => {
    const token = await world.share(id, { expires_at: LATER });
    const isShared = async () => ((await world.request('GET', `/dashboards/${id}/`)).body as Json)['is_shared'];
    assert.equal(await isShared(), true);
    await expire();
    assert.equal(await isShared(), false);
    const { body } = await world.request('GET', path);
    assert.equal((body as Json)['enabled'], true, 'it was not disabled');
    assert.equal((await patch({ settings: { legend: true } })).status, 200, 'other settings can be changed');
    assert.equal(
      (await patch({ expires_at: (body as Json)['expires_at'] })).status,
      200,
      'and be sent back as they are',
    );
    assert.equal((await visit(`/shared/${token}`)).status, 404);
    await patch({ expires_at: LATER });
    assert.equal((await visit(`/shared/${token}`)).status, 200);
  });

  it('that has passed keeps sharing from being enabled again without another', async () => {
    await patch({ enabled: true, expires_at: LATER });
    await expire();
    await patch({ enabled: false });
    const { status, body } = await patch({ enabled: true });
    assert.deepEqual([status, body['attr']], [400, 'expires_at']);
    assert.match(String(body['detail']), /^The link expired at .*Z\. To share again, send a later time, or null/);
    const again = await patch({ enabled: true, expires_at: null });
    assert.equal((await visit(`/shared/${String(again.body['access_token'])}`)).status, 200);
  });

  it('is moved, once it has passed, only by who could begin to share it', async () => {
    const { db } = world.sluice;
    const insight = await world.buildInsight();
    await world.buildTile(id, { insight_id: insight });
    const rule = {
      project_id: world.ours.projectId,
      resource: 'insight',
      resource_id: String(insight),
      access_level: 'none',
    };
    await db('access_controls').insert({ id: db.raw('gen_random_uuid()'), ...rule });
    const uuid = randomUUID();
    const [{ id: userId }] = (await db('users')
      .insert({ uuid, distinct_id: uuid, email: `${uuid}@example.com` })
      .returning('id')) as [{ id: number }];
    const { organizationId } = world.ours;
    await db('organization_memberships').insert({ organization_id: organizationId, user_id: userId, role: 'member' });
    const member = await buildPersonalKey(db, { ...world.ours, userId }, '*');
    const token = await world.share(id, { expires_at: LATER });
    assert.equal((await patch({ expires_at: '2998-01-01T00:00:00Z' }, path, member)).status, 200, 'it is open already');
    await expire();
    assert.equal((await patch({ expires_at: LATER }, path, member)).status, 403);
    await db('organizations').where({ id: organizationId }).update({ allow_publicly_shared_resources: false });
    assert.equal((await patch({ expires_at: LATER })).status, 403);
    await db('organizations').where({ id: organizationId }).update({ allow_publicly_shared_resources: true });
    assert.equal((await visit(`/shared/${token}`)).status, 404);
    assert.equal((await patch({ expires_at: LATER })).status, 200);
  });

  it('ends the link of a single insight, too', async () => {
    const insight = await world.buildInsight();
    const { body } = await patch({ enabled: true, expires_at: LATER }, `/insights/${insight}/sharing/`);
    const address = `/shared/${String(body['access_token'])}`;
    assert.equal((await visit(address)).status, 200);
    await expire({ insight_id: insight });
    assert.equal((await visit(address)).status, 404);
  });
});
