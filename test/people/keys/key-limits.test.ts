import assert from 'node:assert/strict';
import { createKnex, type Knex } from '../../../src/platform/db/connection.ts';
import { json, route } from '../../../src/platform/http/route.ts';
import { createGatekeeper } from '../../../src/people/access/gatekeeper.ts';
import { keyStore, type KeyOwner, type NewKey } from '../../../src/people/keys/keys.store.ts';
import { projectRoutes } from '../../../src/people/projects/projects.routes.ts';
import { createSessions } from '../../../src/people/accounts/sessions.ts';
import { identityStores } from '../../../src/people/stores.ts';
import { PUBLIC_URL, startApi, type Api } from '../../support/api/api.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import {
  buildPersonalKey,
  buildProjectSecretKey,
  buildSession,
  buildTenant,
  promote,
  type Tenant,
} from '../../support/api/identity.ts';

const answers = { 200: null };
const handle = async () => json(200, {});
const probes = [
  route({ method: 'get', path: '/things/', access: { scope: 'thing:read' }, answers, summary: 'In a project', handle }),
  route({
    method: 'get',
    path: '/',
    access: { organization: 'organization:read' },
    answers,
    summary: 'In one',
    handle,
  }),
  route({
    method: 'patch',
    path: '/',
    access: { organization: 'organization:write', role: 'admin' },
    answers,
    summary: 'For admins',
    handle,
  }),
  route({
    method: 'get',
    path: '/api/me/',
    access: { authenticated: true, needs: 'user:read', limitedKeys: true },
    answers,
    summary: 'About oneself',
    handle,
  }),
];

const SCOPED = 'API keys with scoped projects are only supported on project-based endpoints.';
const NOT_THIS_PROJECT = (id: number) => `API key does not have access to the requested project: ID ${id}.`;
const NOT_THIS_ORGANIZATION = (id: string) => `API key does not have access to the requested organization: ID ${id}.`;

const things = ({ projectId }: Tenant) => `/api/projects/${projectId}/things/`;
const project = ({ projectId }: Tenant) => `/api/projects/${projectId}/`;
const organization = ({ organizationId }: Tenant) => `/api/organizations/${organizationId}/`;

describe('a limited key', () => {
  let database: TestDatabase;
  let db: Knex;
  let api: Api;
  let ours: Tenant;
  /** The same user is in it too. */
  let second: Tenant;
  let theirs: Tenant;

  before(async () => {
    database = await createTestDatabase();
    db = createKnex({ url: database.url, applicationName: 'test' });
    const identity = identityStores(db);
    const { callerOf } = createSessions({ ...identity, publicUrl: PUBLIC_URL });
    const gatekeeper = createGatekeeper({ ...identity, callerOf });
    api = await startApi({
      routes: [...projectRoutes, ...probes],
      collaborators: { identity, gatekeeper },
      gatekeeper,
    });
    ours = await buildTenant(db, { name: 'Ours' });
    second = { ...(await buildTenant(db, { name: 'Second' })), userId: ours.userId };
    theirs = await buildTenant(db, { name: 'Theirs' });
    await db('organization_memberships').insert({
      organization_id: second.organizationId,
      user_id: ours.userId,
      role: 'member',
    });
  });
  after(async () => {
    await api.stop();
    await db.destroy();
    await database.drop();
  });

  const keyWith = async (settings: Partial<NewKey>, owner: KeyOwner = { userId: ours.userId }) =>
    (await keyStore(db).create(owner, { label: 'test', scopes: ['*'], ...settings })).key;

  /** @returns what a key gets: the status, or what it is refused with */
  async function gets(path: string, key: string, method = 'GET'): Promise<unknown> {
    const { status, body } = await api.request(method, path, { key });
    return status < 400 ? status : `${status} ${(body as { detail: string }).detail}`;
  }

  it('reaches no project but its own', async () => {
    const key = await keyWith({ onlyProjects: [ours.projectId] });
    assert.equal(await gets(things(ours), key), 200);
    assert.equal(await gets(project(ours), key), 200);
    for (const other of [second, theirs]) {
      assert.equal(await gets(things(other), key), `403 ${NOT_THIS_PROJECT(other.projectId)}`);
      assert.equal(await gets(project(other), key), '404 Not found.');
    }
    assert.equal(await gets('/api/projects/', key), `403 ${SCOPED}`);
    assert.equal(await gets(organization(ours), key), `403 ${SCOPED}`);
    assert.equal(await gets('/api/me/', key), 200);
    assert.equal(await gets('/api/projects/@current/things/', key), 200);
  });

  it('reaches no organization but its own', async () => {
    const key = await keyWith({ onlyOrganizations: [ours.organizationId] });
    assert.deepEqual([await gets(things(ours), key), await gets(organization(ours), key)], [200, 200]);
    const refusal = `403 ${NOT_THIS_ORGANIZATION(second.organizationId)}`;
    assert.deepEqual([await gets(things(second), key), await gets(organization(second), key)], [refusal, refusal]);
    assert.equal(await gets(project(second), key), '404 Not found.');
    const { body } = await api.request('GET', '/api/projects/', { key });
    assert.deepEqual(
      (body as { results: { id: number }[] }).results.map(({ id }) => id),
      [ours.projectId],
    );
    assert.equal(await gets('/api/me/', key), 200);
  });

  it('of a project reaches nothing outside of that project', async () => {
    const key = await buildProjectSecretKey(db, ours, '*');
    assert.equal(await gets(things(ours), key), 200);
    assert.equal(await gets(things(second), key), `403 ${NOT_THIS_PROJECT(second.projectId)}`);
    const refusal = '403 Project secret API keys are only supported on project-based endpoints.';
    assert.equal(await gets(organization(ours), key), refusal);
  });

  it('does nothing that its scopes do not name', async () => {
    const key = await buildPersonalKey(db, ours, 'thing:write');
    assert.equal(await gets(things(ours), key), 200);
    assert.equal(await gets(organization(ours), key), "403 API key missing required scope 'organization:read'");
    assert.equal(await gets('/api/me/', key), "403 API key missing required scope 'user:read'");
  });

  it('reaches no organization that its user is not in, or too low in', async () => {
    const key = await buildPersonalKey(db, ours, '*');
    assert.equal(await gets(organization(ours), key), 200);
    for (const path of [organization(theirs), '/api/organizations/x/', '/api/organizations/@current/']) {
      assert.equal(await gets(path, key), '404 Organization not found.');
    }
    await db('users').where({ id: ours.userId }).update({ current_project_id: second.projectId });
    assert.equal(await gets('/api/organizations/@current/', key), 200);
    await db('users').where({ id: ours.userId }).update({ current_project_id: null });
    assert.equal(await gets(organization(ours), key, 'PATCH'), '403 Your organization access level is insufficient.');
    await promote(db, ours, 'admin');
    assert.equal(await gets(organization(ours), key, 'PATCH'), 200);
    await promote(db, ours, 'member');
  });

  it('reaches no organization that wants no keys of plain members', async () => {
    const setting = (allowed: boolean) =>
      db('organizations').where({ id: ours.organizationId }).update({ members_can_use_personal_api_keys: allowed });
    const key = await buildPersonalKey(db, ours, '*');
    await setting(false);
    const refusal =
      "403 Organization 'Ours' does not allow using personal API keys. " +
      'Contact an admin to enable personal API keys for this organization.';
    assert.deepEqual([await gets(things(ours), key), await gets(organization(ours), key)], [refusal, refusal]);
    assert.equal(await gets(project(ours), key), '404 Not found.');
    assert.equal(await gets(things(second), key), 200);
    const session = await buildSession(db, ours);
    assert.equal((await api.request('GET', things(ours), { headers: session })).status, 200);
    assert.equal((await api.request('GET', project(ours), { headers: session })).status, 200);
    assert.equal(await gets(things(ours), await buildProjectSecretKey(db, ours, '*')), 200);
    await promote(db, ours, 'admin');
    assert.deepEqual([await gets(things(ours), key), await gets(project(ours), key)], [200, 200]);
    await promote(db, ours, 'member');
    await setting(true);
  });
});
