import assert from 'node:assert/strict';
import { createKnex, type Knex } from '../../../src/platform/db/connection.ts';
import { apiKeys } from '../../../src/people/keys/api-keys.ts';
import { createGatekeeper } from '../../../src/people/access/gatekeeper.ts';
import { personalKeyRoutes } from '../../../src/people/keys/personal-keys.routes.ts';
import { createSessions } from '../../../src/people/accounts/sessions.ts';
import { identityStores } from '../../../src/people/stores.ts';
import { PUBLIC_URL, startApi, type Api, type ApiRequest } from '../../support/api/api.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { answerCheck } from '../../support/api/documented.ts';
import {
  buildPersonalKey,
  buildProjectSecretKey,
  buildSession,
  buildTenant,
  type Tenant,
} from '../../support/api/identity.ts';

type Key = { id: string; value: string | null; mask_value: string; scopes: string[] } & Record<string, unknown>;

const PATH = '/api/personal_api_keys/';
const HOUR_MS = 3_600_000;
const NOBODY = '00000000-0000-4000-8000-000000000000';
const NEW = { label: 'script', scopes: ['event:read'], scoped_teams: [], scoped_organizations: [] };

const invalid = (where: string) => `Personal API key found in request ${where} is invalid.`;
const inBody = (key: unknown) => ({ body: { personal_api_key: key } });

describe('personal API keys', () => {
  let database: TestDatabase;
  let db: Knex;
  let api: Api;
  let ours: Tenant;
  let theirs: Tenant;
  let session: Record<string, string>;

  before(async () => {
    database = await createTestDatabase();
    db = createKnex({ url: database.url, applicationName: 'test' });
    const identity = identityStores(db);
    const { callerOf } = createSessions({ ...identity, publicUrl: PUBLIC_URL });
    api = await startApi({
      routes: personalKeyRoutes,
      collaborators: { apiKeys: apiKeys(identity) },
      gatekeeper: createGatekeeper({ ...identity, callerOf }),
    });
    ours = await buildTenant(db, { name: 'Ours' });
    theirs = await buildTenant(db, { name: 'Theirs' });
    session = await buildSession(db, ours);
  });
  beforeEach(() => db('api_keys').delete());
  after(async () => {
    await api.stop();
    await db.destroy();
    await database.drop();
  });

  /** As our user, from our own pages. */
  async function sendRequest(method: string, path: string, body?: unknown, request: ApiRequest = { headers: session }) {
    const answer = await api.request(method, path, { ...request, ...(body !== undefined && { body }) });
    answerCheck(personalKeyRoutes)(method, path, answer);
    return answer;
  }

  async function make(settings: object = {}): Promise<Key & { value: string }> {
    const { status, body } = await sendRequest('POST', PATH, { ...NEW, ...settings });
    assert.equal(status, 201, JSON.stringify(body));
    return body as Key & { value: string };
  }

  const current = (key: string) => sendRequest('GET', `${PATH}@current/`, undefined, { key });

  it('are visible only to their user', async () => {
    const { id } = await make();
    const other = { headers: await buildSession(db, theirs) };
    assert.deepEqual((await sendRequest('GET', PATH, undefined, other)).body, []);
    for (const [method, path, body] of [
      ['GET', PATH, undefined],
      ['POST', PATH, NEW],
      ['GET', `${PATH}${id}/`, undefined],
      ['PATCH', `${PATH}${id}/`, {}],
      ['DELETE', `${PATH}${id}/`, undefined],
      ['POST', `${PATH}${id}/roll/`, undefined],
    ] as const) {
      assert.equal((await sendRequest(method, path, body, {})).status, 401, `${method} ${path} without anything`);
      if (path === PATH) continue;
      assert.equal((await sendRequest(method, path, body, other)).status, 404, `${method} ${path} as somebody else`);
      assert.equal((await sendRequest(method, path.replace(id, NOBODY), body)).status, 404);
      assert.equal((await sendRequest(method, path.replace(id, 'x'), body)).status, 404);
    }
  });

  it('can read themselves, and nothing else of these routes', async () => {
    const { id, value } = await make({ scopes: ['*'], scoped_teams: [ours.projectId] });
    const other = await make({ scopes: ['*'] });
    for (const path of [`${PATH}@current/`, `${PATH}${id}/`]) {
      const { status, body } = await sendRequest('GET', path, undefined, { key: value });
      assert.deepEqual([status, (body as Key).id, (body as Key).value], [200, id, null]);
    }
    for (const [method, path] of [
      ['GET', PATH],
      ['POST', PATH],
      ['GET', `${PATH}${other.id}/`],
      ['PATCH', `${PATH}${id}/`],
      ['DELETE', `${PATH}${id}/`],
      ['POST', `${PATH}${id}/roll/`],
    ] as const) {
      const { status, body } = await sendRequest(method, path, method === 'GET' ? undefined : NEW, { key: value });
      assert.equal(status, 403, `${method} ${path}`);
      assert.equal((body as Key)['detail'], 'This action does not support personal API key access');
    }
    const ofProject = await buildProjectSecretKey(db, ours, 'event:read');
    assert.partialDeepStrictEqual((await current(ofProject)).body, { user_id: null, scoped_teams: [ours.projectId] });
    assert.equal((await sendRequest('GET', `${PATH}@current/`)).status, 404);
  });

  it('are changed only shortly after a login, and from our own pages', async () => {
    const { id } = await make();
    const aged = await buildSession(db, ours);
    await db('sessions')
      .whereIn('id', db('sessions').where({ user_id: ours.userId }).orderBy('created_at', 'desc').limit(1).select('id'))
      .update({ authenticated_at: new Date(Date.now() - 2.1 * HOUR_MS) });
    const { status, body } = await sendRequest('POST', PATH, NEW, { headers: aged });
    assert.equal(status, 403);
    assert.deepEqual(body, {
      type: 'authentication_error',
      code: 'sensitive_action_required_reauth',
      detail: 'This action requires you to be recently authenticated.',
      attr: null,
    });
    for (const [method, path] of [
      ['PATCH', `${PATH}${id}/`],
      ['DELETE', `${PATH}${id}/`],
      ['POST', `${PATH}${id}/roll/`],
    ] as const) {
      assert.equal((await sendRequest(method, path, {}, { headers: aged })).status, 403);
    }
    assert.equal((await sendRequest('GET', PATH, undefined, { headers: aged })).status, 200);
    const foreign = await sendRequest('POST', PATH, NEW, { headers: { Cookie: session['Cookie']! } });
    assert.equal(foreign.status, 403);
    assert.match((foreign.body as Key)['detail'] as string, /^CSRF Failed: /);
  });

  for (const [what, change, attr, code, detail] of [
    ['no label', { label: undefined }, 'label', 'required', 'This field is required.'],
    ['an empty label', { label: '' }, 'label', 'blank', 'This field may not be blank.'],
    ['a long label', { label: 'x'.repeat(41) }, 'label', 'max_length', /no more than 40 characters/],
    ['no scopes', { scopes: undefined }, 'scopes', 'required', 'This field is required.'],
    ['an empty list of scopes', { scopes: [] }, 'scopes', 'empty', 'This list may not be empty.'],
    ['an unknown scope', { scopes: ['dashboard:all'] }, 'scopes', 'invalid_input', 'Invalid scope: dashboard:all'],
    ['scopes that are no list', { scopes: '*' }, 'scopes', 'not_a_list', /got type "str"/],
    ['a scope that is no text', { scopes: [1] }, 'scopes__0', 'invalid_input', 'Not a valid string.'],
    ['no projects', { scoped_teams: undefined }, 'scoped_teams', 'required', 'This field is required.'],
    ['an unknown project', { scoped_teams: [999_999] }, 'scoped_teams', 'invalid_input', /member of all teams/],
    ['no organizations', { scoped_organizations: undefined }, 'scoped_organizations', 'required', /required/],
    [
      'an organization that is none',
      { scoped_organizations: ['x'] },
      'scoped_organizations',
      'invalid_input',
      'Invalid organization UUID',
    ],
    [
      'an unknown organization',
      { scoped_organizations: [NOBODY] },
      'scoped_organizations',
      'invalid_input',
      'You must be a member of all organizations that you are scoping the key to.',
    ],
    ['an end that is over', { expires_at: '2020-01-01T00:00:00Z' }, 'expires_at', 'invalid_input', /still to come/],
    ['an end that is none', { expires_at: 'soon' }, 'expires_at', 'invalid_input', /wrong format/],
  ] as const) {
    it(`are not created with ${what}`, async () => {
      const { status, body } = await sendRequest('POST', PATH, { ...NEW, ...change });
      const error = body as Record<string, string>;
      assert.deepEqual([status, error['attr'], error['code']], [400, attr, code], error['detail']);
      if (typeof detail === 'string') assert.equal(error['detail'], detail);
      else assert.match(error['detail']!, detail);
    });
  }

  it('are refused an unknown field, and accept a body as it was read', async () => {
    const { id, value, ...read } = await make();
    for (const [method, path, body, attr, nearest] of [
      ['POST', PATH, { ...NEW, expire_at: '2099-01-01T00:00:00Z' }, 'expire_at', 'expires_at'],
      ['PATCH', `${PATH}${id}/`, { expires: '2099-01-01T00:00:00Z' }, 'expires', 'expires_at'],
      ['POST', `${PATH}${id}/roll/`, { grace: 60 }, 'grace', 'grace_seconds'],
    ] as const) {
      const { status, body: error } = await sendRequest(method, path, body);
      const detail = `There is no such field. The nearest is \`${nearest}\`.`;
      assert.deepEqual([status, error], [400, { type: 'validation_error', code: 'invalid_input', detail, attr }]);
    }
    assert.equal((await sendRequest('PATCH', `${PATH}${id}/`, { ...read, id, label: 'renamed' })).status, 200);
    assert.equal((await current(value)).status, 200);
  });

  it('cannot be limited to projects or organizations that their user is not in', async () => {
    for (const limit of [{ scoped_teams: [theirs.projectId] }, { scoped_organizations: [theirs.organizationId] }]) {
      assert.equal((await sendRequest('POST', PATH, { ...NEW, ...limit })).status, 400);
      const { id } = await make();
      assert.equal((await sendRequest('PATCH', `${PATH}${id}/`, limit)).status, 400);
    }
  });

  it('are shown in full once, and masked from then on', async () => {
    const expires = new Date(Date.now() + HOUR_MS).toISOString();
    const made = await make({
      description: 'of the nightly job',
      scoped_teams: [ours.projectId],
      scoped_organizations: [ours.organizationId],
      expires_at: expires,
    });
    const { value, ...rest } = made;
    assert.match(value, /^phx_/);
    assert.deepEqual(rest, {
      id: made.id,
      label: 'script',
      description: 'of the nightly job',
      mask_value: `phx_...${value.slice(-4)}`,
      created_at: made['created_at'],
      last_used_at: null,
      last_rolled_at: null,
      expires_at: expires.replace('Z', '000Z'),
      scopes: ['event:read'],
      scoped_teams: [ours.projectId],
      scoped_organizations: [ours.organizationId],
      user_id: ours.userId,
    });
    const second = await make({ label: 'second' });
    const { body } = await sendRequest('GET', PATH);
    assert.deepEqual(body, [
      { ...second, value: null },
      { ...rest, value: null },
    ]);
    assert.deepEqual((await sendRequest('GET', `${PATH}${made.id}/`)).body, { ...rest, value: null });
  });

  it('are limited to ten for a user', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => sendRequest('POST', PATH, NEW)));
    assert.equal(answers.filter(({ status }) => status === 201).length, 10);
    assert.deepEqual(answers.find(({ status }) => status === 400)?.body, {
      type: 'validation_error',
      code: 'invalid_input',
      detail: 'You can only have 10 personal API keys. Remove an existing key before creating a new one.',
      attr: null,
    });
  });

  it('are changed in the given fields only', async () => {
    const { value, ...made } = await make({ scoped_teams: [ours.projectId] });
    const path = `${PATH}${made.id}/`;
    const { body } = await sendRequest('PATCH', path, { label: 'new', user_id: theirs.userId, mask_value: 'x' });
    assert.deepEqual(body, { ...made, label: 'new', value: null });
    assert.deepEqual((await sendRequest('PATCH', path, { scoped_teams: [], scopes: ['*'] })).body, {
      ...made,
      label: 'new',
      value: null,
      scoped_teams: [],
      scopes: ['*'],
    });
    assert.equal((await current(value)).status, 200);
  });

  it('get a new value, and the old one is void at once', async () => {
    const { value, ...made } = await make();
    const { status, body } = await sendRequest('POST', `${PATH}${made.id}/roll/`);
    const rolled = body as Key & { value: string };
    assert.equal(status, 200);
    assert.notEqual(rolled.value, value);
    assert.equal(rolled.mask_value, `phx_...${rolled.value.slice(-4)}`);
    assert.ok(rolled['last_rolled_at']);
    assert.deepEqual([rolled.id, rolled.scopes], [made.id, made.scopes]);
    assert.deepEqual([(await current(value)).status, (await current(rolled.value)).status], [401, 200]);
  });

  it('keep the old value for as long as was requested', async () => {
    const { id, value } = await make();
    assert.equal((await sendRequest('POST', `${PATH}${id}/roll/`, { grace_seconds: -1 })).status, 400);
    assert.equal((await sendRequest('POST', `${PATH}${id}/roll/`, { grace_seconds: 604_801 })).status, 400);
    const { body } = await sendRequest('POST', `${PATH}${id}/roll/`, { grace_seconds: 60 });
    const opens = async () => [
      (await current(value)).status,
      (await current((body as { value: string }).value)).status,
    ];
    assert.deepEqual(await opens(), [200, 200]);
    await db('api_keys')
      .where({ id })
      .update({ former_hash_until: db.raw('now()') });
    assert.deepEqual(await opens(), [401, 200]);
  });

  it('open nothing once they expire, are deleted, or their user may no longer act', async () => {
    const { id, value } = await make({ expires_at: new Date(Date.now() + HOUR_MS).toISOString() });
    assert.equal((await current(value)).status, 200);
    await db('api_keys')
      .where({ id })
      .update({ expires_at: db.raw('now()') });
    assert.equal((await current(value)).status, 401);
    assert.equal((await sendRequest('PATCH', `${PATH}${id}/`, { expires_at: null })).status, 200);
    assert.equal((await current(value)).status, 200);
    await db('users').where({ id: ours.userId }).update({ is_active: false });
    assert.equal((await current(value)).status, 401);
    await db('users').where({ id: ours.userId }).update({ is_active: true });
    assert.equal((await sendRequest('DELETE', `${PATH}${id}/`)).status, 204);
    assert.equal((await current(value)).status, 401);
    assert.equal((await sendRequest('DELETE', `${PATH}${id}/`)).status, 404);
  });

  it('are in the audit log of the organizations concerned, without their values', async () => {
    const { id, value } = await make();
    await sendRequest('PATCH', `${PATH}${id}/`, { scopes: ['*'] });
    await sendRequest('PATCH', `${PATH}${id}/`, { scopes: ['*'] });
    const { body: rolled } = await sendRequest('POST', `${PATH}${id}/roll/`);
    await sendRequest('DELETE', `${PATH}${id}/`);
    const { rows } = await db.raw<{ rows: { activity: string; detail: { changes: { field: string }[] } }[] }>(
      `select activity, detail from activity_log
         where scope = 'PersonalAPIKey' and item_id = ? and organization_id = ? and user_id = ? order by created_at`,
      [id, ours.organizationId, ours.userId],
    );
    assert.deepEqual(
      rows.map(({ activity, detail }) => [activity, ...detail.changes.map(({ field }) => field)]),
      [['created'], ['updated', 'scopes'], ['updated', 'mask_value', 'last_rolled_at'], ['deleted']],
    );
    for (const secret of [value, (rolled as { value: string }).value]) {
      assert.ok(!JSON.stringify(rows).includes(secret.slice(4, 40)));
    }
  });

  it('are found in the header, then the body, then the query', async () => {
    const [header, body, query] = [await make(), await make(), await make()];
    const wrong = `${header.value.slice(0, -1)}!`;
    const at = (key: string) => `${PATH}${query.id}/?personal_api_key=${key}`;
    const says = async (path: string, request: ApiRequest) =>
      (await sendRequest('PATCH', path, undefined, request)).body as Key;
    const notAllowed = 'This action does not support personal API key access';
    for (const [path, request, detail] of [
      [at(wrong), { ...inBody(wrong), key: wrong }, invalid('Authorization header')],
      [at(query.value), { ...inBody(wrong), headers: { Authorization: `Bearer   ${header.value}  ` } }, notAllowed],
      [at(wrong), inBody(body.value), notAllowed],
      [at(query.value), inBody(wrong), invalid('body')],
      [at(query.value), { ...inBody(body.value), headers: { Authorization: 'Basic eA==' } }, notAllowed],
      [at(query.value), inBody(7), notAllowed],
      [at(query.value), { body: '{' }, notAllowed],
      [at(wrong), {}, invalid('query string')],
      [at(''), inBody(''), 'Authentication credentials were not provided.'],
    ] as const) {
      assert.equal((await says(path, request))['detail'], detail, JSON.stringify([path, request]));
    }
    const self = await sendRequest('GET', at(query.value), undefined, {});
    assert.deepEqual([self.status, (self.body as Key).id], [200, query.id]);
  });

  it('take precedence over a session', async () => {
    const wrong = await sendRequest('GET', PATH, undefined, { headers: session, key: 'phx_x' });
    assert.equal(wrong.status, 401);
    const key = await buildPersonalKey(db, theirs, '*');
    const { body } = await sendRequest('GET', `${PATH}@current/`, undefined, { headers: session, key });
    assert.equal((body as Key)['user_id'], theirs.userId);
  });
});
