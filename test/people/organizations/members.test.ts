import assert from 'node:assert/strict';
import { startOrganization, type OrganizationWorld, type PersonName } from '../../support/api/organization.ts';
import type { Person } from '../../support/api/people-api.ts';

describe('an organization', () => {
  let world: OrganizationWorld;

  before(async () => {
    world = await startOrganization();
  });
  after(() => world.close());

  it('lets no member raise another above their own level', async () => {
    const { member, admin, owner } = world.people;
    const cases: [who: PersonName, whom: Person, level: unknown, status: number, message?: RegExp][] = [
      ['stranger', member, 8, 404],
      ['member', member, 8, 403, /insufficient/],
      ['admin', member, 2, 400, /not a valid choice/],
      ['admin', world.people.stranger, 8, 404],
      ['admin', admin, 1, 403, /your own access level/],
      ['admin', member, 15, 403, /only make another member owner/],
      ['admin', owner, 1, 403, /level lower or equal/],
      ['owner', owner, 1, 403, /your own access level/],
      ['admin', member, 8, 200],
      ['admin', member, 1, 200],
      ['owner', member, 15, 200],
      ['owner', member, 1, 200],
    ];
    for (const [who, whom, level, status, message] of cases) {
      const answer = await world.ask(who, 'PATCH', world.at(`/members/${whom.uuid}/`), { level });
      assert.equal(answer.status, status, `${who} makes ${whom.email} ${String(level)}`);
      if (message) assert.match(String(answer.body['detail']), message);
      else if (status === 200) assert.deepEqual([answer.body['id'], answer.body['level']], [whom.membershipId, level]);
    }
  });

  it('has members who may leave, and always an owner', async () => {
    const [leaver, removed] = [await world.build(), await world.build()];
    const of = ({ uuid }: Person) => world.at(`/members/${uuid}/`);
    const cases: [who: PersonName | Person, whom: Person, status: number][] = [
      [leaver, removed, 403],
      ['stranger', removed, 404],
      ['admin', world.people.owner, 403],
      ['owner', world.people.owner, 409],
      [leaver, leaver, 204],
      [leaver, removed, 404],
      ['admin', removed, 204],
      ['admin', removed, 404],
    ];
    for (const [who, whom, status] of cases) assert.equal((await world.ask(who, 'DELETE', of(whom))).status, status);
    const { count, results } = (await world.ask('member', 'GET', world.at('/members/?limit=2'))).body;
    assert.deepEqual([count, results.length], [4, 2]);
    const user = results[1]?.['user'] as object;
    assert.deepEqual(Object.keys(user), USER_FIELDS);
  });
});

const USER_FIELDS = [
  'id',
  'uuid',
  'distinct_id',
  'first_name',
  'last_name',
  'email',
  'is_email_verified',
  'hedgehog_config',
  'role_at_organization',
];
