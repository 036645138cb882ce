import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKnex, type Knex } from '../../../src/platform/db/connection.ts';
import { apiKeys } from '../../../src/people/keys/api-keys.ts';
import { createGatekeeper } from '../../../src/people/access/gatekeeper.ts';
import { hashOf } from '../../../src/people/keys/keys.ts';
import { keyStore } from '../../../src/people/keys/keys.store.ts';
import { projectKeyRoutes } from '../../../src/people/keys/project-keys.routes.ts';
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
  promote,
  type Tenant,
} from '../../support/api/identity.ts';

type Key = { id: string; value: string | null } & Record<string, unknown>;

const NEW = { label: 'importer', scopes: ['event:write'] };

const pathOf = ({ projectId }: Tenant, rest = '') => `/api/projects/${projectId}/project_secret_api_keys/${rest}`;
const endpoints = (id: string) =>
  [
    ['GET', '', undefined],
    ['POST', '', NEW],
    ['GET', `${id}/`, undefined],
    ['PATCH', `${id}/`, {}],
    ['DELETE', `${id}/`, undefined],
    ['POST', `${id}/roll/`, undefined],
  ] as const;

describe('keys of a project', () => {
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
      routes: projectKeyRoutes,
      collaborators: { apiKeys: apiKeys(identity), users: identity.users },
      gatekeeper: createGatekeeper({ ...identity, callerOf }),
    });
    [ours, theirs] = [await buildTenant(db), await buildTenant(db)];
    for (const tenant of [ours, theirs]) await promote(db, tenant, 'admin');
    session = await buildSession(db, ours);
  });
  beforeEach(() => db('api_keys').delete());
  after(async () => {
    await api.stop();
    await db.destroy();
    await database.drop();
  });

  /** As an admin of ours. */
  async function sendRequest(method: string, path: string, body?: unknown, request: ApiRequest = { headers: session }) {
    const answer = await api.request(method, path, { ...request, ...(body !== undefined && { body }) });
    answerCheck(projectKeyRoutes)(method, path, answer);
    return answer;
  }

  const make = async (settings: object = {}) =>
    (await sendRequest('POST', pathOf(ours), { ...NEW, ...settings })).body as Key & { value: string };

  it('are managed only by admins who are logged in', async () => {
    const { id } = await make();
    const personal = 'This action does not support personal API key access';
    const insufficient = "You don't have sufficient permissions in the project.";
    const callers: [request: ApiRequest, status: number, detail: string][] = [
      [{}, 401, 'Authentication credentials were not provided.'],
      [{ key: await buildPersonalKey(db, ours, '*') }, 403, personal],
      [{ key: await buildProjectSecretKey(db, ours, '*') }, 403, personal.replace('personal', 'project secret')],
      [{ headers: await buildSession(db, theirs) }, 403, "You don't have access to the project."],
    ];
    for (const [request, status, detail] of callers) {
      for (const [method, rest, body] of endpoints(id)) {
        const answer = await sendRequest(method, pathOf(ours, rest), body, request);
        assert.deepEqual([answer.status, (answer.body as Key)['detail']], [status, detail], `${method} ${rest}`);
      }
    }
    await promote(db, ours, 'member');
    for (const [method, rest, body] of endpoints(id)) {
      const answer = await sendRequest(method, pathOf(ours, rest), body);
      assert.deepEqual([answer.status, (answer.body as Key)['detail']], [403, insufficient], `${method} ${rest}`);
    }
    await promote(db, ours, 'admin');
  });

  it('are managed also by a member whom an access rule makes an admin of the project', async () => {
    await promote(db, ours, 'member');
    const { id } = (await db('organization_memberships').where({ user_id: ours.userId }).first('id')) as { id: string };
    const rule = { id: randomUUID(), project_id: ours.projectId, resource: 'project' };
    const everybody = { ...rule, id: randomUUID(), access_level: 'none' };
    await db('access_controls').insert([{ ...rule, membership_id: id, access_level: 'admin' }, everybody]);
    assert.equal((await sendRequest('POST', pathOf(ours), NEW)).status, 201);
    await db('access_controls').delete();
    await promote(db, ours, 'admin');
  });

  it('are found in their own project only', async () => {
    const { id } = await make();
    const headers = await buildSession(db, theirs);
    for (const [method, rest, body] of endpoints(id).slice(2)) {
      assert.equal(
        (await sendRequest(method, pathOf(theirs, rest), body, { headers })).status,
        404,
        `${method} ${rest}`,
      );
    }
    assert.deepEqual((await sendRequest('GET', pathOf(theirs), undefined, { headers })).body, []);
  });

  for (const [what, change, attr, code] of [
    ['no label', { label: undefined }, 'label', 'required'],
    ['an unknown scope', { scopes: ['all'] }, 'scopes', 'invalid_input'],
    ['no scope', { scopes: [] }, 'scopes', 'empty'],
    ['an expiry in the past', { expires_at: '2020-01-01' }, 'expires_at', 'invalid_input'],
  ] as const) {
    it(`are not created with ${what}`, async () => {
      const { status, body } = await sendRequest('POST', pathOf(ours), { ...NEW, ...change });
      const error = body as Key;
      assert.deepEqual([status, error['attr'], error['code']], [400, attr, code]);
    });
  }

  it('act as the project, are shown in full once, and name their creator', async () => {
    const { value, ...made } = await make();
    assert.match(value, /^phs_/);
    assert.deepEqual(made, {
      id: made.id,
      label: 'importer',
      description: null,
      mask_value: `phs_...${value.slice(-4)}`,
      created_at: made['created_at'],
      last_used_at: null,
      last_rolled_at: null,
      expires_at: null,
      scopes: ['event:write'],
      created_by: made['created_by'],
    });
    assert.equal((made['created_by'] as { id: number }).id, ours.userId);
    const caller = await keyStore(db).findCaller(hashOf(value));
    assert.partialDeepStrictEqual(caller, { projectId: ours.projectId, userId: null, scopes: ['event:write'] });
    const { body: listed } = await sendRequest('GET', pathOf(ours));
    assert.partialDeepStrictEqual(listed, [{ id: made.id, value: null }]);
    assert.equal(((await sendRequest('GET', pathOf(ours, `${made.id}/`))).body as Key).value, null);
  });

  it('can be changed, rolled with and without a grace period, and deleted', async () => {
    const { id, value } = await make();
    const path = pathOf(ours, `${id}/`);
    const opens = async (key: string) => (await keyStore(db).findCaller(hashOf(key))) !== undefined;
    assert.equal(((await sendRequest('PATCH', path, { label: 'new' })).body as Key)['label'], 'new');
    const second = (await sendRequest('POST', `${path}roll/`, { grace_seconds: 60 })).body as { value: string };
    assert.deepEqual([await opens(value), await opens(second.value)], [true, true]);
    const third = (await sendRequest('POST', `${path}roll/`)).body as { value: string };
    assert.deepEqual(await Promise.all([value, second.value, third.value].map(opens)), [false, false, true]);
    assert.equal((await sendRequest('DELETE', path)).status, 204);
    assert.equal(await opens(third.value), false);
    const { rows } = await db.raw<{ rows: { activity: string; project_id: number }[] }>(
      `select activity, project_id from activity_log where scope = 'ProjectSecretAPIKey' and item_id = ? order by created_at`,
      [id],
    );
    assert.deepEqual(
      rows.map((row) => row.activity),
      ['created', 'updated', 'updated', 'updated', 'deleted'],
    );
    assert.ok(rows.every((row) => row.project_id === ours.projectId));
  });

  it('are logged with the values that a concurrent change left', async () => {
    const { id } = await make();
    const first = await db.transaction();
    await first('api_keys').where({ id }).update({ label: 'first' });
    const second = sendRequest('PATCH', pathOf(ours, `${id}/`), { label: 'second' });
    const waits = async () =>
      (await db('pg_stat_activity').where({ wait_event_type: 'Lock' }).whereRaw('datname = current_database()')).length;
    while ((await waits()) === 0) await sleep(5);
    await first.commit();
    assert.equal((await second).status, 200);
    const { rows } = await db.raw<{ rows: { detail: { changes: Record<string, unknown>[] } }[] }>(
      `select detail from activity_log where item_id = ? and activity = 'updated'`,
      [id],
    );
    assert.partialDeepStrictEqual(rows, [
      { detail: { changes: [{ field: 'label', before: 'first', after: 'second' }] } },
    ]);
  });
});
