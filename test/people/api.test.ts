import assert from 'node:assert/strict';
import { createKnex, type Knex } from '../../src/platform/db/connection.ts';
import { json, route } from '../../src/platform/http/route.ts';
import { createGatekeeper } from '../../src/people/access/gatekeeper.ts';
import { identityStores } from '../../src/people/stores.ts';
import { keyStore } from '../../src/people/keys/keys.store.ts';
import { generateKey } from '../../src/people/keys/keys.ts';
import type { ProjectBody } from '../../src/people/projects/project-body.ts';
import { projectRoutes } from '../../src/people/projects/projects.routes.ts';
import { projectStore } from '../../src/people/projects/projects.store.ts';
import { startApi, type Api } from '../support/api/api.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { buildPersonalKey, buildProjectSecretKey, buildTenant, promote, type Tenant } from '../support/api/identity.ts';

const probe = (method: 'get' | 'post', scope: 'thing:read' | 'thing:write') =>
  route({
    method,
    path: '/things/',
    access: { scope },
    answers: { 200: null },
    summary: 'Says who is there',
    handle: async ({ project, caller }) => json(200, { project: project.id, user: caller.userId }),
  });

const things = ({ projectId }: Tenant) => `/api/environments/${projectId}/things/`;

const ofCurrent = (token?: string) => `/api/projects/@current/things/${token === undefined ? '' : `?token=${token}`}`;

describe('identity', () => {
  let database: TestDatabase;
  let db: Knex;
  let api: Api;
  let ours: Tenant;
  let theirs: Tenant;

  before(async () => {
    database = await createTestDatabase();
    db = createKnex({ url: database.url, applicationName: 'test' });
    const identity = identityStores(db);
    const gatekeeper = createGatekeeper(identity);
    api = await startApi({
      routes: [...projectRoutes, probe('get', 'thing:read'), probe('post', 'thing:write')],
      collaborators: { identity, gatekeeper },
      gatekeeper,
    });
    ours = await buildTenant(db, { name: 'Ours' });
    theirs = await buildTenant(db, { name: 'Theirs' });
  });

  after(async () => {
    await api.stop();
    await db.destroy();
    await database.drop();
  });

  it('refuses requests without a valid key', async () => {
    const key = await buildPersonalKey(db, ours, '*');
    const none = 'Authentication credentials were not provided.';
    const invalid = 'Personal API key found in request Authorization header is invalid.';
    const refused: [header: string | undefined, code: string, detail: string][] = [
      [undefined, 'not_authenticated', none],
      ['Bearer', 'not_authenticated', none],
      ['Bearer ', 'not_authenticated', none],
      [key, 'not_authenticated', 'Give the key as "Authorization: Bearer <key>".'],
      [`Basic ${key}`, 'not_authenticated', none],
      [`Bearer ${key}x`, 'authentication_failed', invalid],
      [`Bearer ${key} ${key}`, 'authentication_failed', invalid],
      [`Bearer ${generateKey('phx')}`, 'authentication_failed', invalid],
      [`Bearer ${generateKey('phs')}`, 'authentication_failed', invalid.replace('Personal', 'Project secret')],
      [`Bearer ${ours.apiToken}`, 'authentication_failed', invalid],
      ['Bearer \u00e9\u00ff', 'authentication_failed', invalid],
      [`Bearer ${'x'.repeat(10_000)}`, 'authentication_failed', invalid],
    ];
    for (const [header, code, detail] of refused) {
      const headers: Record<string, string> = header === undefined ? {} : { Authorization: header };
      const answer = await api.request('GET', things(ours), { headers });
      assert.equal(answer.status, 401, header);
      assert.deepEqual(answer.body, { type: 'authentication_error', code, detail, attr: null }, header);
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
    }
  });

  it('refuses a mistyped key without asking the database', async () => {
    const lookedUp: unknown[] = [];
    const gatekeeper = createGatekeeper({
      ...identityStores(db),
      keys: { ...keyStore(db), findCaller: async (hash) => void lookedUp.push(hash) },
    });
    const local = await startApi({
      routes: projectRoutes,
      collaborators: { identity: identityStores(db), gatekeeper },
      gatekeeper,
    });
    const key = generateKey('phx');
    assert.equal((await local.request('GET', '/api/projects/', { key: `${key.slice(0, -1)}!` })).status, 401);
    assert.equal((await local.request('GET', '/api/projects/', { key: key.replace('phx', 'phs') })).status, 401);
    assert.equal(lookedUp.length, 0);
    assert.equal((await local.request('GET', '/api/projects/', { key })).status, 401);
    assert.equal(lookedUp.length, 1);
    await local.stop();
  });

  it('opens a project to its members only: 404 for none, 403 for a foreign one', async () => {
    for (const key of [await buildPersonalKey(db, ours, '*'), await buildProjectSecretKey(db, ours, '*')]) {
      assert.equal((await api.request('GET', things(theirs), { key })).status, 403);
      assert.equal((await api.request('GET', '/api/environments/999999/things/', { key })).status, 404);
      assert.equal((await api.request('GET', things(ours), { key })).status, 200);
      assert.equal((await api.request('GET', things(ours).replace('environments', 'projects'), { key })).status, 200);
    }
  });

  it('knows which project is the current one', async () => {
    const personal = await buildPersonalKey(db, ours, '*');
    const inProject = await buildProjectSecretKey(db, ours, '*');
    assert.equal((await api.request('GET', ofCurrent())).status, 401);
    for (const key of [personal, inProject]) {
      assert.equal((await api.request('GET', ofCurrent(theirs.apiToken), { key })).status, 403);
      assert.equal((await api.request('GET', ofCurrent('phc_other'), { key })).status, 404);
      for (const at of [ofCurrent(), ofCurrent(ours.apiToken)]) {
        const { status, body } = await api.request('GET', at, { key });
        assert.deepEqual([status, (body as { project: number }).project], [200, ours.projectId]);
      }
    }
    const second = await buildTenant(db, { name: 'Second' });
    await db('organization_memberships').insert({
      organization_id: second.organizationId,
      user_id: ours.userId,
      role: 'member',
    });
    const several = await api.request('GET', ofCurrent(), { key: personal });
    assert.equal(several.status, 404);
    assert.match((several.body as { detail: string }).detail, /opens several projects/);
    const one = await api.request('GET', ofCurrent(second.apiToken), { key: personal });
    assert.deepEqual(one.body, { project: second.projectId, user: ours.userId });
    await db('organization_memberships')
      .where({ organization_id: second.organizationId, user_id: ours.userId })
      .delete();
  });

  it('names the scope that a key lacks', async () => {
    const reader = await buildPersonalKey(db, ours, 'thing:read');
    assert.equal((await api.request('GET', things(ours), { key: reader })).status, 200);
    const refused = await api.request('POST', things(ours), { key: reader });
    assert.equal(refused.status, 403);
    assert.deepEqual(refused.body, {
      type: 'authentication_error',
      code: 'permission_denied',
      detail: "API key missing required scope 'thing:write'",
      attr: null,
    });
    const writer = await buildPersonalKey(db, ours, 'thing:write');
    assert.equal((await api.request('GET', things(ours), { key: writer })).status, 200);
  });

  it('forgets a key at once when it is deleted', async () => {
    const owner = { userId: ours.userId };
    const { id, key } = await keyStore(db).create(owner, { label: 'x', scopes: ['*'] });
    assert.equal((await api.request('GET', things(ours), { key })).status, 200);
    await keyStore(db).delete(owner, id);
    assert.equal((await api.request('GET', things(ours), { key })).status, 401);
  });

  it('lists the projects that a key opens, without those of others', async () => {
    assert.equal((await api.request('GET', '/api/projects/')).status, 401);
    // A key may read the projects whatever its scopes are.
    const key = await buildPersonalKey(db, ours, 'dashboard:read');
    const { status, body } = await api.request('GET', '/api/projects/', { key });
    assert.equal(status, 200);
    const { count, next, previous, results } = body as { results: Record<string, unknown>[] } & Record<string, unknown>;
    assert.deepEqual([count, next, previous], [1, null, null]);
    assert.match(String(results[0]?.['created_at']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    assert.deepEqual(
      { ...results[0], uuid: '', created_at: '' },
      {
        id: ours.projectId,
        uuid: '',
        organization: ours.organizationId,
        project_id: ours.projectId,
        api_token: ours.apiToken,
        name: 'Ours',
        completed_snippet_onboarding: true,
        has_completed_onboarding_for: {},
        ingested_event: false,
        is_demo: false,
        access_control: false,
        anonymize_ips: false,
        event_retention_days: null,
        cookieless_server_hash_mode: 0,
        historical_from_project_key: false,
        timezone: 'UTC',
        property_matching_version: 1,
        flag_requests_per_month: null,
        created_at: '',
      },
    );
  });

  it('retrieves an own project and does not find a foreign one', async () => {
    const key = await buildProjectSecretKey(db, ours);
    for (const prefix of ['/api/projects', '/api/environments']) {
      assert.equal((await api.request('GET', `${prefix}/${ours.projectId}/`)).status, 401);
      assert.equal((await api.request('GET', `${prefix}/${theirs.projectId}/`, { key })).status, 404);
      const own = await api.request('GET', `${prefix}/${ours.projectId}/`, { key });
      assert.equal(own.status, 200);
      assert.deepEqual((await api.request('GET', `${prefix}/@current/`, { key })).body, own.body);
      assert.equal((await api.request('GET', `${prefix}/@current/?token=${theirs.apiToken}`, { key })).status, 404);
      assert.equal((await api.request('GET', `${prefix}/9999999999/`, { key })).status, 404);
    }
  });

  it('changes the settings of a project, for keys with project:write', async () => {
    const path = `/api/projects/${ours.projectId}/`;
    const change = async (body: object) =>
      api.request('PATCH', path, { key: await buildPersonalKey(db, ours, 'project:write'), body });
    const settings = ({ body }: Awaited<ReturnType<typeof change>>) => {
      const { anonymize_ips: anonymize, historical_from_project_key: historical } = body as Record<string, unknown>;
      return [anonymize, historical];
    };
    assert.deepEqual(settings(await change({ anonymize_ips: true })), [true, false]);
    assert.deepEqual(settings(await change({ historical_from_project_key: true })), [true, true]);
    assert.deepEqual(settings(await change({ anonymize_ips: false, id: theirs.projectId })), [false, true]);
    const unchanged = await change({});
    assert.deepEqual([unchanged.status, ...settings(unchanged)], [200, false, true]);
    assert.equal((unchanged.body as { name: string }).name, 'Ours');
    assert.equal((await change({ anonymize_ips: 'yes' })).status, 400);
    for (const key of [await buildPersonalKey(db, ours, 'event:write'), await buildPersonalKey(db, theirs, '*')]) {
      assert.equal((await api.request('PATCH', path, { key, body: {} })).status, 403);
    }
    const foreign = await projectStore(db).findByToken(theirs.apiToken);
    assert.deepEqual([foreign?.anonymizeIps, foreign?.historicalFromProjectKey], [false, false]);
  });

  it('changes for how long events are kept, for admins of the project only', async () => {
    const path = `/api/projects/${ours.projectId}/`;
    const key = await buildPersonalKey(db, ours, 'project:write');
    const keep = async (days: number | null, by = key) =>
      api.request('PATCH', path, { key: by, body: { event_retention_days: days } });
    const ofProject = await buildProjectSecretKey(db, ours, 'project:write');
    for (const other of [key, ofProject]) {
      assert.equal((await keep(30, other)).status, 403);
      assert.equal((await keep(null, other)).status, 200, 'nothing changes');
    }
    await promote(db, ours, 'admin');
    try {
      for (const days of [30, 0, null])
        assert.equal(((await keep(days)).body as ProjectBody).event_retention_days, days);
      const { attr, detail } = (await keep(6)).body as { attr: string; detail: string };
      assert.equal(attr, 'event_retention_days');
      assert.equal(detail, 'Events are kept for 7 days at least; 0 keeps them for ever.');
    } finally {
      await promote(db, ours, 'member');
    }
  });

  it('allows visitors without cookies, by the mode of upstream that forgets them', async () => {
    const path = `/api/projects/${ours.projectId}/`;
    const key = await buildPersonalKey(db, ours, 'project:write');
    const change = (mode: unknown) => api.request('PATCH', path, { key, body: { cookieless_server_hash_mode: mode } });
    for (const mode of [2, -1, '1', true, null]) {
      const { status, body } = await change(mode);
      assert.deepEqual([status, (body as { attr: string }).attr], [400, 'cookieless_server_hash_mode'], String(mode));
    }
    for (const mode of [1, 0]) {
      const { body } = await change(mode);
      assert.equal((body as Record<string, unknown>)['cookieless_server_hash_mode'], mode);
    }
    const entry = await db('activity_log')
      .where({ project_id: ours.projectId, scope: 'Project' })
      .orderBy('created_at', 'desc')
      .first<{ detail: { changes: { field: string; before: unknown; after: unknown }[] } }>();
    const [{ field, before, after } = {}] = entry.detail.changes;
    assert.deepEqual({ field, before, after }, { field: 'cookieless_server_hash_mode', before: 1, after: 0 });
  });

  it('changes what flags of a project are decided and counted by', async () => {
    const key = await buildProjectSecretKey(db, ours, 'project:write');
    const change = (body: object) => api.request('PATCH', `/api/projects/${ours.projectId}/`, { key, body });
    const cases: [change: object, status: number, shown: object][] = [
      [{ timezone: '+02:00' }, 400, { code: 'invalid_input', attr: 'timezone' }],
      [{ timezone: 'Europe/Atlantis' }, 400, { code: 'invalid_input', attr: 'timezone' }],
      [{ timezone: null }, 400, { attr: 'timezone' }],
      [{ property_matching_version: 3 }, 400, { attr: 'property_matching_version' }],
      [{ flag_requests_per_month: -1 }, 400, { attr: 'flag_requests_per_month' }],
      [{ timezone: 'Europe/Berlin' }, 200, { timezone: 'Europe/Berlin', flag_requests_per_month: null }],
      [{ property_matching_version: 2 }, 200, { timezone: 'Europe/Berlin', property_matching_version: 2 }],
      [{ flag_requests_per_month: 5e9 }, 200, { property_matching_version: 2, flag_requests_per_month: 5e9 }],
      [{}, 200, { flag_requests_per_month: 5e9 }],
      [{ flag_requests_per_month: null }, 200, { flag_requests_per_month: null }],
    ];
    for (const [given, status, shown] of cases) {
      const answer = await change(given);
      assert.equal(answer.status, status, JSON.stringify(given));
      assert.partialDeepStrictEqual(answer.body, shown, JSON.stringify(given));
    }
  });

  it('keeps no key in the database, and writes none to the log', async () => {
    const key = await buildPersonalKey(db, ours, '*');
    await api.request('GET', things(ours), { key });
    await api.request('GET', things(ours), { key: `${key}x` });
    const { rows } = await db.raw<{ rows: { row: string }[] }>('select to_jsonb(api_keys)::text as row from api_keys');
    assert.ok(rows.length > 0);
    const kept = rows.map(({ row }) => row).join('\n') + api.logText();
    assert.ok(!kept.includes(key.slice(4, 40)));
  });

  it('remembers when a key was last used', async () => {
    const key = await buildPersonalKey(db, ours, '*');
    await api.request('GET', things(ours), { key });
    const all = await keyStore(db).list({ userId: ours.userId });
    assert.ok(all.find(({ last4 }) => key.endsWith(last4))?.lastUsedAt);
  });
});
