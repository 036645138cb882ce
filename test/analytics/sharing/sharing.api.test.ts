/** The right to share a dashboard, and what its link does over time. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { buildPersonalKey } from '../../support/api/identity.ts';
import { startSharedWorld, type Json, type SharedWorld } from '../../support/servers/shared-world.ts';

type Configuration = {
  created_at: string;
  enabled: boolean;
  access_token: string;
  settings: Json | null;
  password_required: boolean;
  share_passwords: Json[];
};

describe('sharing a dashboard', () => {
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

  const configuration = async (method: string, end = '', body?: unknown): Promise<Configuration> => {
    const answer = await world.request(method, path + end, body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body as Configuration;
  };
  const opens = async (token: string) => {
    const { rows } = await world.sluice.db.raw<{ rows: { expires_at: string | null; enabled: boolean }[] }>(
      'select expires_at, enabled from sharing_configurations where access_token = ?',
      [token],
    );
    return rows[0] && (rows[0].expires_at === null ? rows[0].enabled : 'for a while');
  };
  /** @returns the key of another member */
  const join = async () => {
    const { db } = world.sluice;
    const uuid = randomUUID();
    const [{ id: userId }] = (await db('users')
      .insert({ uuid, distinct_id: uuid, email: `${uuid}@example.com` })
      .returning('id')) as [{ id: number }];
    const { organizationId } = world.ours;
    await db('organization_memberships').insert({ organization_id: organizationId, user_id: userId, role: 'member' });
    return buildPersonalKey(db, { ...world.ours, userId }, '*');
  };
  const logged = async () => {
    const rows = await world.sluice
      .db('activity_log')
      .where({ scope: 'Dashboard', item_id: String(id) })
      .orderBy('created_at');
    return rows.map(({ activity }: { activity: string }) => activity);
  };

  describe('refuses', () => {
    const refused: [string, string, string, unknown, number, string][] = [
      ['no key', 'GET', '', undefined, 401, 'Authentication credentials were not provided.'],
      [
        'a key to read',
        'PATCH',
        '',
        { enabled: true },
        403,
        "API key missing required scope 'sharing_configuration:write'",
      ],
      ['a key to read', 'POST', 'refresh/', {}, 403, "API key missing required scope 'sharing_configuration:write'"],
      ['another scope', 'GET', '', undefined, 403, "API key missing required scope 'sharing_configuration:read'"],
    ];
    for (const [who, method, end, body, status, detail] of refused) {
      it(`${who} at ${method} ${end}`, async () => {
        const scopes = { 'a key to read': 'sharing_configuration:read', 'another scope': 'dashboard:write' }[who];
        const key = scopes ? await buildPersonalKey(world.sluice.db, world.ours, scopes) : '';
        const answer = await world.request(method, path + end, body, { key });
        assert.equal(answer.status, status);
        assert.equal((answer.body as Json)['detail'], detail);
      });
    }

    it('dashboards that are not there, not ours, or deleted', async () => {
      const theirs = await world.buildDashboard({}, world.theirs);
      const deleted = await world.buildDashboard({ deleted: true });
      for (const missing of [theirs, deleted, 2_000_000_000, 'x']) {
        const answer = await world.request('GET', `/dashboards/${missing}/sharing/`);
        assert.equal(answer.status, 404);
        assert.equal((answer.body as Json)['detail'], 'Dashboard not found.');
      }
    });

    const DENIED = "You don't have edit permissions for this dashboard.";
    it('members who may only see it, and members who may not edit one that is restricted', async () => {
      const { db } = world.sluice;
      const key = await join();
      const restricted = await world.buildDashboard({ restriction_level: 37 });
      await db('access_controls').insert({
        id: db.raw('gen_random_uuid()'),
        project_id: world.ours.projectId,
        resource: 'dashboard',
        resource_id: String(id),
        access_level: 'viewer',
      });
      for (const one of [id, restricted]) {
        const answer = await world.request('PATCH', `/dashboards/${one}/sharing/`, { enabled: 'no' }, { key });
        assert.equal(answer.status, 403);
        assert.equal((answer.body as Json)['detail'], DENIED);
        assert.equal((await world.request('GET', `/dashboards/${one}/sharing/`, undefined, { key })).status, 200);
      }
    });

    it('members who may not see all that it shows: to open it, or to bring it back open', async () => {
      const { db } = world.sluice;
      const insight = await world.buildInsight();
      await world.buildTile(id, { insight_id: insight });
      await db('access_controls').insert({
        id: db.raw('gen_random_uuid()'),
        project_id: world.ours.projectId,
        resource: 'insight',
        resource_id: String(insight),
        access_level: 'none',
      });
      const key = await join();
      const board = `/dashboards/${id}/`;
      const statusOf = async (...request: [string, string, unknown]) =>
        (await world.request(...request, { key })).status;
      const answer = await world.request('PATCH', path, { enabled: true }, { key });
      assert.equal(answer.status, 403);
      const { detail } = answer.body as Json;
      assert.equal(detail, "You don't have permission to share an insight on this dashboard.");
      assert.equal((await configuration('GET')).enabled, false);
      await configuration('PATCH', '', { enabled: true });
      assert.equal(await statusOf('PATCH', path, { enabled: true }), 200, 'it is open already');
      await world.request('PATCH', board, { deleted: true });
      assert.equal(await statusOf('PATCH', board, { deleted: false }), 403);
      assert.equal((await world.request('PATCH', board, { deleted: false })).status, 200);
    });

    const theme = '"pink" is not a valid choice. There are: light, dark, system.';
    for (const [body, attr, detail, code = 'invalid_input'] of [
      [{ enabled: 'perhaps' }, 'enabled', 'Must be a valid boolean.'],
      [{ settings: [] }, 'settings', 'Invalid settings format'],
      [{ settings: 'dark' }, 'settings', 'Invalid settings format'],
      [{ settings: { theme: 'pink' } }, 'settings__theme', theme, 'invalid_choice'],
      [{ settings: { legend: 'yes' } }, 'settings__legend', 'Must be a valid boolean.'],
    ] as const) {
      it(JSON.stringify(body), async () => {
        const answer = await world.request('PATCH', path, body);
        assert.deepEqual(answer.body, { type: 'validation_error', code, detail, attr });
      });
    }

    for (const [method, end, misspelt, attr] of [
      ['PATCH', '', { enable: true }, 'enable'],
      ['POST', 'refresh/', { grace_seconds: 0 }, 'grace_seconds'],
      ['POST', 'passwords/', { password: 'my own password' }, 'password'],
    ] as const) {
      it(`unknown fields: ${JSON.stringify(misspelt)}`, async () => {
        await configuration('PATCH', '', { enabled: true, password_required: true });
        const { status, body } = await world.request(method, path + end, misspelt);
        assert.deepEqual([status, (body as Json)['attr']], [400, attr]);
        assert.deepEqual((await configuration('GET')).share_passwords, []);
      });
    }

    it('to open a link where the organization shares nothing', async () => {
      const { db } = world.sluice;
      const where = { id: world.ours.organizationId };
      await db('organizations').where(where).update({ allow_publicly_shared_resources: false });
      const answer = await world.request('PATCH', path, { enabled: true });
      await db('organizations').where(where).update({ allow_publicly_shared_resources: true });
      assert.equal(answer.status, 403);
      assert.equal((answer.body as Json)['detail'], 'Public sharing is disabled for this organization.');
    });
  });

  it('returns a token that stays, and that opens nothing yet', async () => {
    const first = await configuration('GET');
    assert.match(first.access_token, /^[\w-]{30}$/);
    assert.deepEqual(
      { ...first, access_token: '', created_at: '' },
      {
        created_at: '',
        enabled: false,
        access_token: '',
        settings: null,
        password_required: false,
        expires_at: null,
        share_passwords: [],
        user_access_level: 'editor',
      },
    );
    assert.match(first.created_at, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    assert.deepEqual(await configuration('GET'), first);
    assert.equal((await configuration('PATCH', '', { enabled: true })).access_token, first.access_token);
    assert.equal((await configuration('PATCH', '', { enabled: true })).access_token, first.access_token);
    assert.deepEqual(await logged(), ['sharing enabled']);
  });

  it('makes one token, however many ask for the first at once', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => configuration('GET')));
    assert.equal(new Set(answers.map((one) => one.access_token)).size, 1);
  });

  it('keeps the settings it knows, replaces them as a whole, and clears them', async () => {
    const settings = { theme: 'dark', legend: true, noHeader: null, drawer: 1 };
    assert.deepEqual((await configuration('PATCH', '', { settings })).settings, { theme: 'dark', legend: true });
    assert.deepEqual((await configuration('PATCH', '', { enabled: true })).settings, { theme: 'dark', legend: true });
    assert.deepEqual((await configuration('PATCH', '', { settings: { detailed: true } })).settings, { detailed: true });
    assert.deepEqual((await configuration('PATCH', '', { settings: {} })).settings, {});
    assert.equal((await configuration('PATCH', '', { settings: null })).settings, null);
  });

  it('kills all links when it ends, and has another when it begins again', async () => {
    const first = (await configuration('PATCH', '', { enabled: true })).access_token;
    const second = (await configuration('POST', 'refresh/')).access_token;
    assert.equal(await opens(first), 'for a while');
    assert.equal(await opens(second), true);
    await configuration('PATCH', '', { enabled: false });
    const third = (await configuration('PATCH', '', { enabled: true })).access_token;
    assert.deepEqual([await opens(first), await opens(second), await opens(third)], [undefined, undefined, true]);
    assert.deepEqual(await logged(), [
      'sharing enabled',
      'access token refreshed',
      'sharing disabled',
      'sharing enabled',
    ]);
  });

  it('has one link after it was switched many times at once', async () => {
    await Promise.all(Array.from({ length: 12 }, (_, n) => configuration('PATCH', '', { enabled: n % 2 === 0 })));
    const rows = await world.sluice.db('sharing_configurations').where({ dashboard_id: id });
    assert.equal(rows.length, 1);
  });

  it('takes passwords only where they are required, and shows each of them once', async () => {
    const early = await world.request('POST', `${path}passwords/`, {});
    assert.equal(early.status, 400);
    assert.deepEqual(early.body, { error: 'Password protection must be enabled before creating passwords' });
    await configuration('PATCH', '', { password_required: true });

    const short = await world.request('POST', `${path}passwords/`, { raw_password: '1234567' });
    assert.equal((short.body as Json)['detail'], 'Password must be at least 8 characters long.');
    const made = await world.request('POST', `${path}passwords/`, { note: 'for Ada' });
    assert.equal(made.status, 201);
    const { id: passwordId, password, note } = made.body as { id: number; password: string; note: string };
    assert.match(password, /^[\w-]{22}$/);
    assert.equal(note, 'for Ada');

    const { share_passwords: listed } = await configuration('GET');
    assert.equal(listed.length, 1);
    assert(!JSON.stringify(listed).includes(password));
    assert.deepEqual(Object.keys(listed[0]!).sort(), ['created_at', 'created_by_email', 'id', 'is_active', 'note']);

    const gone = await world.request('DELETE', `${path}passwords/${passwordId}/`);
    assert.equal(gone.status, 204);
    const again = await world.request('DELETE', `${path}passwords/${passwordId}/`);
    assert.deepEqual([again.status, again.body], [404, { error: 'Password not found' }]);
    assert.deepEqual((await configuration('GET')).share_passwords, []);
    assert.deepEqual(await logged(), ['updated', 'updated', 'updated']);
  });
});
