import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { roleStore } from '../../../src/people/access/roles.store.ts';
import { startOrganization, type OrganizationWorld, type PersonName } from '../../support/api/organization.ts';

describe('an organization', () => {
  let world: OrganizationWorld;

  before(async () => {
    world = await startOrganization();
  });
  after(() => world.close());

  it('has roles that admins give and take', async () => {
    const { member } = world.people;
    assert.equal((await world.ask('member', 'POST', world.at('/roles/'), { name: 7 })).status, 403);
    assert.equal((await world.ask('admin', 'POST', world.at('/roles/'), {})).status, 400);
    const made = await world.ask('admin', 'POST', world.at('/roles/'), { name: 'Finance' });
    assert.deepEqual([made.status, made.body['members']], [201, []]);
    assert.partialDeepStrictEqual((await world.ask('admin', 'POST', world.at('/roles/'), { name: 'finance' })).body, {
      code: 'unique',
      attr: 'name',
    });
    const role = world.at(`/roles/${String(made.body['id'])}/`);
    const memberships = `${role}role_memberships/`;
    const cases: [who: PersonName, uuid: string, status: number][] = [
      ['stranger', member.uuid, 404],
      ['member', member.uuid, 403],
      ['admin', world.people.stranger.uuid, 400],
      ['admin', member.uuid, 201],
      ['admin', member.uuid, 400],
    ];
    for (const [who, user_uuid, status] of cases) {
      assert.equal((await world.ask(who, 'POST', memberships, { user_uuid })).status, status);
    }
    const [one] = (await world.ask('member', 'GET', memberships)).body.results;
    assert.partialDeepStrictEqual(one, { organization_member: member.membershipId, user: { uuid: member.uuid } });
    assert.equal((await world.ask('admin', 'PATCH', role, { name: 'Money' })).body['name'], 'Money');
    assert.partialDeepStrictEqual((await world.ask('member', 'GET', role)).body, {
      name: 'Money',
      members: [{ id: one!['id'] }],
    });
    assert.equal((await world.ask('admin', 'DELETE', `${memberships}${String(one!['id'])}/`)).status, 204);
    assert.equal((await world.ask('member', 'DELETE', role)).status, 403);
    assert.equal((await world.ask('admin', 'DELETE', role)).status, 204);
    assert.equal((await world.ask('admin', 'GET', role)).status, 404);
  });

  it('does not rename a role that was deleted meanwhile', async () => {
    await assert.rejects(roleStore(world.db).rename(randomUUID(), 'Money'), { name: 'NotFound' });
  });
});
