import assert from 'node:assert/strict';
import { createSessions } from '../../../src/people/accounts/sessions.ts';
import { buildPersonalKey, buildProjectSecretKey, buildTenant, type Tenant } from '../../support/api/identity.ts';
import { buildPerson, startPeopleApi, type PeopleWorld, type Person } from '../../support/api/people-api.ts';

type Body = Record<string, unknown> & { results: Record<string, unknown>[] };

const asKey = (key: string) => ({ headers: { Authorization: `Bearer ${key}` } });

describe('an account', () => {
  let world: PeopleWorld;
  let ours: Tenant;
  let theirs: Tenant;
  let member: Person;
  let admin: Person;

  before(async () => {
    world = await startPeopleApi();
    ours = await buildTenant(world.db, { name: 'Ours' });
    theirs = await buildTenant(world.db, { name: 'Theirs' });
    member = await buildPerson(world, ours.organizationId);
    admin = await buildPerson(world, ours.organizationId, 'admin');
  });
  after(() => world.close());

  const ask = async ({ headers }: Pick<Person, 'headers'>, method: string, path: string, body?: unknown) => {
    const answer = await world.api.request(method, path, { headers, ...(body !== undefined && { body }) });
    return { status: answer.status, body: answer.body as Body };
  };
  const ME = '/api/users/@me/';

  it('is shown to its user, and to keys that may read users', async () => {
    const cases: [key: string, method: string, status: number][] = [
      [await buildProjectSecretKey(world.db, ours, '*'), 'GET', 403],
      [await buildPersonalKey(world.db, ours, 'event:write'), 'GET', 403],
      [await buildPersonalKey(world.db, ours, 'user:read'), 'PATCH', 403],
      [await buildPersonalKey(world.db, ours, 'user:read'), 'GET', 200],
    ];
    for (const [key, method, status] of cases) assert.equal((await ask(asKey(key), method, ME)).status, status);
    assert.equal((await world.api.request('GET', ME)).status, 401);
    const { body } = await ask(member, 'GET', ME);
    assert.partialDeepStrictEqual(body, {
      uuid: member.uuid,
      hedgehog_config: {},
      role_at_organization: '',
      is_staff: false,
      events_column_config: { active: 'DEFAULT' },
      team: { id: ours.projectId, project_id: ours.projectId, name: 'Ours' },
      organization: { id: ours.organizationId, membership_level: 1, teams: [{ id: ours.projectId }] },
      organizations: [{ id: ours.organizationId, is_active: true }],
      pending_invites: [],
    });
    assert.ok(Date.parse(String(body['sensitive_session_expires_at'])) > Date.now());
  });

  it('is changed by its user', async () => {
    const cases: [body: object, status: number, shown: object][] = [
      [{ first_name: '' }, 400, { attr: 'first_name', code: 'blank' }],
      [{ role_at_organization: 'wizard' }, 400, { attr: 'role_at_organization', code: 'invalid_choice' }],
      [{ theme_mode: 'pink' }, 400, { attr: 'theme_mode' }],
      [{ hedgehog_config: 'blue' }, 400, {}],
      [{ set_current_team: theirs.projectId }, 400, { attr: 'set_current_team', code: 'does_not_exist' }],
      [{ set_current_organization: theirs.organizationId }, 400, { code: 'does_not_exist' }],
      [{ first_name: 'Ann', last_name: 'Lee', is_staff: true }, 200, { first_name: 'Ann', is_staff: false }],
      [{ role_at_organization: 'data', theme_mode: 'dark' }, 200, { role_at_organization: 'data', theme_mode: 'dark' }],
      [{ hedgehog_config: { color: 'blue' } }, 200, { hedgehog_config: { color: 'blue' }, first_name: 'Ann' }],
      [{ hedgehog_config: null, role_at_organization: null }, 200, { hedgehog_config: {}, role_at_organization: '' }],
    ];
    for (const [given, status, shown] of cases) {
      const answer = await ask(member, 'PATCH', ME, given);
      assert.equal(answer.status, status, JSON.stringify(given));
      assert.partialDeepStrictEqual(answer.body, shown, JSON.stringify(given));
    }
  });

  it('says which project is the current one', async () => {
    const other = await buildTenant(world.db, { name: 'Other' });
    const { organizationId, projectId } = other;
    await world.identity.members.add(organizationId, member.id, 'member');
    const current = async () => (await ask(member, 'GET', '/api/projects/@current/')).body['id'];
    assert.equal((await ask(member, 'GET', '/api/projects/@current/')).status, 404);
    await ask(member, 'PATCH', ME, { set_current_team: projectId });
    assert.equal(await current(), projectId);
    assert.equal((await ask(member, 'GET', '/api/organizations/@current/')).body['id'], organizationId);
    await ask(member, 'PATCH', ME, { set_current_organization: ours.organizationId });
    assert.equal(await current(), ours.projectId);
    const { uuid } = await world.identity.accounts.get(member.id);
    await world.identity.members.remove(await world.identity.members.get(organizationId, uuid));
    assert.equal(await current(), ours.projectId);
  });

  it('shows the current project among more than a thousand, too', async () => {
    const { id, headers } = await buildPerson(world, theirs.organizationId);
    const { rows } = await world.db.raw<{ rows: { id: number }[] }>(
      `insert into projects (organization_id, name, api_token)
         select ?, 'Many', 'phc_many_' || n from generate_series(1, 1000) n returning id`,
      [theirs.organizationId],
    );
    const last = Math.max(...rows.map((row) => row.id));
    await ask({ headers }, 'PATCH', ME, { set_current_team: last });
    const { body } = await ask({ headers }, 'GET', ME);
    assert.partialDeepStrictEqual(body, { team: { id: last }, organization: { id: theirs.organizationId } });
    const listed = body['projects'] as { id: number }[];
    assert.equal(listed.length, 1000);
    assert.ok(listed.some((project) => project.id === last));
    await world.db('users').where({ id }).update({ current_project_id: null });
    await world.db('projects').where('api_token', 'like', 'phc_many_%').delete();
  });

  it('makes projects as an admin, and changes them as a member', async () => {
    const secret = await buildProjectSecretKey(world.db, ours, '*');
    const reader = await buildPersonalKey(world.db, ours, 'project:read');
    const cases: [who: Pick<Person, 'headers'>, body: object, status: number, detail?: RegExp][] = [
      [asKey(secret), { name: 'New' }, 403],
      [asKey(reader), { name: 'New' }, 403, /project:write/],
      [member, { name: 'New' }, 403, /^You need to be an organization admin or above to create new projects\.$/],
      [admin, { name: '' }, 400],
      [admin, { timezone: 'Nowhere' }, 400],
    ];
    for (const [who, body, status, detail] of cases) {
      const answer = await ask(who, 'POST', '/api/projects/', body);
      assert.equal(answer.status, status, JSON.stringify(body));
      if (detail) assert.match(String(answer.body['detail']), detail);
    }
    const made = await ask(admin, 'POST', '/api/projects/', { name: 'Shop', timezone: 'Europe/Berlin' });
    assert.equal(made.status, 201);
    assert.partialDeepStrictEqual(made.body, {
      organization: ours.organizationId,
      name: 'Shop',
      timezone: 'Europe/Berlin',
    });
    assert.match(String(made.body['api_token']), /^phc_/);
    const found = (await ask(member, 'GET', '/api/projects/?search=SHO')).body;
    assert.deepEqual(
      found.results.map(({ id }) => id),
      [made.body['id']],
    );
    const path = `/api/projects/${String(made.body['id'])}/`;
    assert.equal((await ask(member, 'PATCH', path, { name: 'Café' })).body['name'], 'Café');
    assert.equal((await ask(member, 'PATCH', `${path}reset_token/`)).status, 403);
    const reset = await ask(admin, 'PATCH', `${path}reset_token/`);
    assert.match(String(reset.body['api_token']), /^phc_/);
    assert.notEqual(reset.body['api_token'], made.body['api_token']);
    const { results } = (await ask(admin, 'GET', `${path}activity_log/?scope=Project`)).body;
    assert.deepEqual(
      results.map(({ activity }) => activity),
      ['updated', 'updated', 'created'],
    );
    assert.ok(!JSON.stringify(results).includes(String(reset.body['api_token'])));
  });

  it('does not show projects that rules close', async () => {
    const made = await ask(admin, 'POST', `/api/organizations/${ours.organizationId}/projects/`, { name: 'Secret' });
    const id = Number(made.body['id']);
    const rule = { project_id: id, resource: 'project', resource_id: String(id), access_level: 'none' };
    await world.db('access_controls').insert({ ...rule, id: member.uuid });
    const shown = async (who: Person) => (await ask(who, 'GET', '/api/projects/?search=secret')).body.results;
    assert.deepEqual([(await shown(member)).length, (await shown(admin)).length], [0, 1]);
    assert.equal((await shown(admin))[0]?.['access_control'], true);
    const lets = { ...rule, id: admin.uuid, membership_id: member.membershipId, access_level: 'member' };
    await world.db('access_controls').insert(lets);
    assert.equal((await shown(member)).length, 1);
  });

  it('asks for the password again before sensitive actions', async () => {
    await world
      .db('sessions')
      .where({ user_id: admin.id })
      .update({ authenticated_at: new Date(0).toISOString() });
    const path = `/api/projects/${ours.projectId}/`;
    for (const answer of [
      await ask(admin, 'PATCH', `${path}reset_token/`),
      await ask(admin, 'PATCH', path, { event_retention_days: 7 }),
    ]) {
      assert.equal(answer.status, 403);
      assert.partialDeepStrictEqual(answer.body, { code: 'sensitive_action_required_reauth' });
    }
    assert.equal((await ask(admin, 'PATCH', path, { event_retention_days: null })).status, 200);
  });

  it('has cookies that travel in the open only where the service does', async () => {
    const { sessions } = world.identity;
    const cookies = await createSessions({ sessions, publicUrl: 'http://127.0.0.1:8000' }).begin(sessions, member.id, {
      headers: {},
      address: '',
    });
    assert.ok(cookies.every((cookie) => !cookie.includes('Secure')));
  });
});
