import assert from 'node:assert/strict';
import { keyStore } from '../../../src/people/keys/keys.store.ts';
import { identityStores } from '../../../src/people/stores.ts';
import { buildPersonalKey, buildProjectSecretKey } from '../../support/api/identity.ts';
import {
  startOrganization,
  type Body,
  type OrganizationWorld,
  type PersonName,
} from '../../support/api/organization.ts';
import { buildPerson } from '../../support/api/people-api.ts';

describe('an organization', () => {
  let world: OrganizationWorld;

  before(async () => {
    world = await startOrganization();
  });
  after(() => world.close());

  const buildOrganization = async (name: string) => (await identityStores(world.db).organizations.create(name)).id;

  it('is open to its members, its settings to its admins', async () => {
    const cases: [who: PersonName, method: string, path: string, body: object | undefined, status: number][] = [
      ['stranger', 'GET', world.at('/'), undefined, 404],
      ['stranger', 'PATCH', world.at('/'), { name: 'Taken' }, 404],
      ['member', 'PATCH', world.at('/'), { name: 7 }, 403],
      ['admin', 'PATCH', world.at('/'), { name: '' }, 400],
      ['admin', 'PATCH', world.at('/'), { members_can_invite: 'no' }, 400],
      ['member', 'GET', world.at('/'), undefined, 200],
      ['member', 'GET', '/api/organizations/@current/', undefined, 200],
      ['admin', 'PATCH', world.at('/'), { name: 'Renamed' }, 200],
      ['member', 'GET', world.at('/activity_log/'), undefined, 403],
      ['admin', 'GET', world.at('/activity_log/'), undefined, 200],
      ['admin', 'GET', world.at('/activity_log/?item_id=1'), undefined, 400],
    ];
    for (const [who, method, path, body, status] of cases) {
      assert.equal((await world.ask(who, method, path, body)).status, status, `${who} ${method} ${path}`);
    }
    const shown = (await world.ask('owner', 'GET', world.at('/'))).body;
    assert.partialDeepStrictEqual(shown, {
      id: world.ours.organizationId,
      name: 'Renamed',
      slug: 'renamed',
      membership_level: 15,
    });
    const { results } = (await world.ask('admin', 'GET', world.at('/activity_log/?scope=Organization'))).body;
    assert.partialDeepStrictEqual(results[0], {
      activity: 'updated',
      team_id: null,
      user: { id: world.people.admin.id },
      detail: { changes: [{ field: 'name', before: 'Ours', after: 'Renamed' }] },
    });
  });

  it('is logged only when a request changes something, and so are its projects, members and roles', async () => {
    const { ask, at, people, ours } = world;
    const role = (await ask('admin', 'POST', at('/roles/'), { name: 'Finance' })).body;
    const { name } = (await ask('admin', 'GET', at('/'))).body;
    const project = `/api/projects/${ours.projectId}/`;
    const changes: [scope: string, path: string, same: object, other: object][] = [
      ['Organization', at('/'), { name, members_can_invite: true }, { members_can_invite: false }],
      ['Organization', at('/'), {}, { name: 'Other' }],
      ['OrganizationMembership', at(`/members/${people.member.uuid}/`), { level: 1 }, { level: 8 }],
      ['Role', at(`/roles/${String(role['id'])}/`), { name: 'Finance' }, { name: 'Money' }],
      ['Project', project, { name: 'Ours', anonymize_ips: false }, { anonymize_ips: true }],
      ['Project', project, {}, { name: 'Other' }],
      ['Project', project, { event_retention_days: null }, { event_retention_days: 30 }],
    ];
    for (const [scope, path, same, other] of changes) {
      const countLogEntries = async () => {
        const entries = world.db('activity_log').where({ scope, activity: 'updated' });
        return Number((await entries.count({ count: '*' }))[0]!.count);
      };
      const before = await countLogEntries();
      assert.equal((await ask('admin', 'PATCH', path, same)).status, 200);
      assert.equal(await countLogEntries(), before, `${scope} ${JSON.stringify(same)}`);
      assert.equal((await ask('admin', 'PATCH', path, other)).status, 200);
      assert.equal(await countLogEntries(), before + 1, `${scope} ${JSON.stringify(other)}`);
    }
    await ask('admin', 'PATCH', at('/'), { name });
    await ask('owner', 'PATCH', at(`/members/${people.member.uuid}/`), { level: 1 });
  });

  it('is created by users who are logged in, and owned by its creator', async () => {
    const key = await buildPersonalKey(world.db, world.ours, '*');
    const byKey = await world.api.request('POST', '/api/organizations/', { key, body: { name: 'New' } });
    assert.equal(byKey.status, 403);
    const secret = await buildProjectSecretKey(world.db, world.ours, '*');
    assert.equal((await world.api.request('GET', '/api/organizations/', { key: secret })).status, 403);
    const maker = await world.build();
    const made = await world.ask(maker, 'POST', '/api/organizations/', { name: 'New' });
    assert.deepEqual([made.status, made.body['membership_level']], [201, 15]);
    const { results } = (await world.ask(maker, 'GET', '/api/organizations/')).body;
    assert.deepEqual(
      results.map(({ name, membership_level: level }) => [name, level]),
      [
        ['Renamed', 1],
        ['New', 15],
      ],
    );
    const personal = await buildPersonalKey(world.db, { ...world.ours, userId: maker.id }, '*');
    for (const headers of [maker.headers, { Authorization: `Bearer ${personal}` }]) {
      const get = async (path: string) => (await world.api.request('GET', path, { headers })).body as Body;
      assert.equal(
        (await get('/api/organizations/@current/'))['id'],
        world.ours.organizationId,
        'the organization of their only project',
      );
      assert.partialDeepStrictEqual(await get('/api/users/@me/'), { organization: { id: world.ours.organizationId } });
    }
  });

  it('is the current one of a member without any project; of several, the oldest is', async () => {
    const [first, second] = [await buildOrganization('Empty'), await buildOrganization('Empty too')];
    const nobody = await buildPerson(world, first, 'member');
    await world.db('organization_memberships').insert({ organization_id: second, user_id: nobody.id, role: 'member' });
    assert.equal((await world.ask(nobody, 'GET', '/api/organizations/@current/')).body['id'], first);
    const limited = await keyStore(world.db).create(
      { userId: nobody.id },
      { label: 'one', scopes: ['*'], onlyOrganizations: [second] },
    );
    const byKey = await world.api.request('GET', '/api/organizations/@current/', { key: limited.key });
    assert.equal((byKey.body as Body)['id'], second, 'the only one that the key opens');
  });
});
