import assert from 'node:assert/strict';
import type { Letter } from '../../src/notify/mail.ts';
import { keyStore } from '../../src/identity/keys.store.ts';
import { identityStores } from '../../src/identity/stores.ts';
import { PUBLIC_URL } from '../support/api.ts';
import { buildPersonalKey, buildProjectSecretKey, buildTenant, type Tenant } from '../support/identity.ts';
import { buildPerson, startPeopleApi, type PeopleWorld, type Person } from '../support/people-api.ts';

type Body = Record<string, unknown> & { results: Record<string, unknown>[] };
type Who = 'stranger' | 'member' | 'admin' | 'owner';

describe('an organization', () => {
  let world: PeopleWorld;
  let ours: Tenant;
  let people: Record<Who, Person>;
  const letters: [to: readonly string[], letter: Letter][] = [];

  before(async () => {
    const mailer = {
      send: async (to: readonly string[], letter: Letter) => void letters.push([to, letter]),
      close: () => {},
    };
    world = await startPeopleApi({ mailer });
    ours = await buildTenant(world.db, { name: 'Ours' });
    const theirs = await buildTenant(world.db, { name: 'Theirs' });
    people = {
      stranger: await buildPerson(world, theirs.organizationId, 'owner'),
      member: await buildPerson(world, ours.organizationId, 'member'),
      admin: await buildPerson(world, ours.organizationId, 'admin'),
      owner: await buildPerson(world, ours.organizationId, 'owner'),
    };
  });
  after(() => world.close());

  const at = (path: string) => `/api/organizations/${ours.organizationId}${path}`;
  const ask = async (who: Who | Person, method: string, path: string, body?: unknown) => {
    const { headers } = typeof who === 'string' ? people[who] : who;
    const answer = await world.api.request(method, path, { headers, ...(body !== undefined && { body }) });
    return { status: answer.status, body: answer.body as Body };
  };
  const build = (role?: 'member' | 'admin' | 'owner') => buildPerson(world, ours.organizationId, role);

  const buildOrganization = async (name: string) => (await identityStores(world.db).organizations.create(name)).id;

  it('is open to its members, its settings to its admins', async () => {
    const cases: [who: Who, method: string, path: string, body: object | undefined, status: number][] = [
      ['stranger', 'GET', at('/'), undefined, 404],
      ['stranger', 'PATCH', at('/'), { name: 'Taken' }, 404],
      ['member', 'PATCH', at('/'), { name: 7 }, 403],
      ['admin', 'PATCH', at('/'), { name: '' }, 400],
      ['admin', 'PATCH', at('/'), { members_can_invite: 'no' }, 400],
      ['member', 'GET', at('/'), undefined, 200],
      ['member', 'GET', '/api/organizations/@current/', undefined, 200],
      ['admin', 'PATCH', at('/'), { name: 'Renamed' }, 200],
      ['member', 'GET', at('/activity_log/'), undefined, 403],
      ['admin', 'GET', at('/activity_log/'), undefined, 200],
      ['admin', 'GET', at('/activity_log/?item_id=1'), undefined, 400],
    ];
    for (const [who, method, path, body, status] of cases) {
      assert.equal((await ask(who, method, path, body)).status, status, `${who} ${method} ${path}`);
    }
    const shown = (await ask('owner', 'GET', at('/'))).body;
    assert.partialDeepStrictEqual(shown, {
      id: ours.organizationId,
      name: 'Renamed',
      slug: 'renamed',
      membership_level: 15,
    });
    const { results } = (await ask('admin', 'GET', at('/activity_log/?scope=Organization'))).body;
    assert.partialDeepStrictEqual(results[0], {
      activity: 'updated',
      team_id: null,
      user: { id: people.admin.id },
      detail: { changes: [{ field: 'name', before: 'Ours', after: 'Renamed' }] },
    });
  });

  it('is made by people who are logged in, and owned by them', async () => {
    const key = await buildPersonalKey(world.db, ours, '*');
    const byKey = await world.api.request('POST', '/api/organizations/', { key, body: { name: 'New' } });
    assert.equal(byKey.status, 403);
    const secret = await buildProjectSecretKey(world.db, ours, '*');
    assert.equal((await world.api.request('GET', '/api/organizations/', { key: secret })).status, 403);
    const maker = await build();
    const made = await ask(maker, 'POST', '/api/organizations/', { name: 'New' });
    assert.deepEqual([made.status, made.body['membership_level']], [201, 15]);
    const { results } = (await ask(maker, 'GET', '/api/organizations/')).body;
    assert.deepEqual(
      results.map(({ name, membership_level: level }) => [name, level]),
      [
        ['Renamed', 1],
        ['New', 15],
      ],
    );
    const personal = await buildPersonalKey(world.db, { ...ours, userId: maker.id }, '*');
    for (const headers of [maker.headers, { Authorization: `Bearer ${personal}` }]) {
      const of = async (path: string) => (await world.api.request('GET', path, { headers })).body as Body;
      assert.equal((await of('/api/organizations/@current/'))['id'], ours.organizationId, 'that of their only project');
      assert.partialDeepStrictEqual(await of('/api/users/@me/'), { organization: { id: ours.organizationId } });
    }
  });

  it('is the current one of who has no project anywhere, the oldest of several', async () => {
    const [first, second] = [await buildOrganization('Empty'), await buildOrganization('Empty too')];
    const nobody = await buildPerson(world, first, 'member');
    await world.db('organization_memberships').insert({ organization_id: second, user_id: nobody.id, role: 'member' });
    assert.equal((await ask(nobody, 'GET', '/api/organizations/@current/')).body['id'], first);
    const limited = await keyStore(world.db).create(
      { userId: nobody.id },
      { label: 'one', scopes: ['*'], onlyOrganizations: [second] },
    );
    const byKey = await world.api.request('GET', '/api/organizations/@current/', { key: limited.key });
    assert.equal((byKey.body as Body)['id'], second, 'of those that the key opens');
  });

  it('has members whom nobody raises above themselves', async () => {
    const { member, admin, owner } = people;
    const cases: [who: Who, whom: Person, level: unknown, status: number, message?: RegExp][] = [
      ['stranger', member, 8, 404],
      ['member', member, 8, 403, /insufficient/],
      ['admin', member, 2, 400, /not a valid choice/],
      ['admin', people.stranger, 8, 404],
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
      const answer = await ask(who, 'PATCH', at(`/members/${whom.uuid}/`), { level });
      assert.equal(answer.status, status, `${who} makes ${whom.email} ${String(level)}`);
      if (message) assert.match(String(answer.body['detail']), message);
      else if (status === 200) assert.deepEqual([answer.body['id'], answer.body['level']], [whom.membershipId, level]);
    }
  });

  it('has members who may leave, and always an owner', async () => {
    const [leaver, removed] = [await build(), await build()];
    const of = ({ uuid }: Person) => at(`/members/${uuid}/`);
    const cases: [who: Who | Person, whom: Person, status: number][] = [
      [leaver, removed, 403],
      ['stranger', removed, 404],
      ['admin', people.owner, 403],
      ['owner', people.owner, 409],
      [leaver, leaver, 204],
      [leaver, removed, 404],
      ['admin', removed, 204],
      ['admin', removed, 404],
    ];
    for (const [who, whom, status] of cases) assert.equal((await ask(who, 'DELETE', of(whom))).status, status);
    const { count, results } = (await ask('member', 'GET', at('/members/?limit=2'))).body;
    assert.deepEqual([count, results.length], [5, 2]);
    const user = results[1]?.['user'] as object;
    assert.deepEqual(Object.keys(user), USER_FIELDS);
  });

  it('has roles that admins give and take', async () => {
    const { member } = people;
    assert.equal((await ask('member', 'POST', at('/roles/'), { name: 7 })).status, 403);
    assert.equal((await ask('admin', 'POST', at('/roles/'), {})).status, 400);
    const made = await ask('admin', 'POST', at('/roles/'), { name: 'Finance' });
    assert.deepEqual([made.status, made.body['members']], [201, []]);
    assert.partialDeepStrictEqual((await ask('admin', 'POST', at('/roles/'), { name: 'finance' })).body, {
      code: 'unique',
      attr: 'name',
    });
    const role = at(`/roles/${String(made.body['id'])}/`);
    const memberships = `${role}role_memberships/`;
    const cases: [who: Who, uuid: string, status: number][] = [
      ['stranger', member.uuid, 404],
      ['member', member.uuid, 403],
      ['admin', people.stranger.uuid, 400],
      ['admin', member.uuid, 201],
      ['admin', member.uuid, 400],
    ];
    for (const [who, user_uuid, status] of cases) {
      assert.equal((await ask(who, 'POST', memberships, { user_uuid })).status, status);
    }
    const [one] = (await ask('member', 'GET', memberships)).body.results;
    assert.partialDeepStrictEqual(one, { organization_member: member.membershipId, user: { uuid: member.uuid } });
    assert.equal((await ask('admin', 'PATCH', role, { name: 'Money' })).body['name'], 'Money');
    assert.partialDeepStrictEqual((await ask('member', 'GET', role)).body, {
      name: 'Money',
      members: [{ id: one!['id'] }],
    });
    assert.equal((await ask('admin', 'DELETE', `${memberships}${String(one!['id'])}/`)).status, 204);
    assert.equal((await ask('member', 'DELETE', role)).status, 403);
    assert.equal((await ask('admin', 'DELETE', role)).status, 204);
    assert.equal((await ask('admin', 'GET', role)).status, 404);
  });

  it('invites people, none above who invites', async () => {
    const invites = at('/invites/');
    const cases: [who: Who, body: object, status: number][] = [
      ['stranger', { target_email: to('a') }, 404],
      ['member', { target_email: to('a'), level: 8 }, 403],
      ['admin', { target_email: to('a'), level: 15 }, 403],
      ['admin', { target_email: 'nobody' }, 400],
      ['admin', { target_email: people.member.email.toUpperCase() }, 400],
      ['member', { target_email: to('a') }, 201],
      ['owner', { target_email: to('b'), level: 15 }, 201],
    ];
    for (const [who, body, status] of cases) {
      assert.equal((await ask(who, 'POST', invites, body)).status, status, JSON.stringify(body));
    }
    const [addressee, letter] = letters[0]!;
    assert.deepEqual(addressee, [to('a')]);
    assert.match(letter.text, new RegExp(`${PUBLIC_URL}/api/signup/[\\w-]{43}/`));
    const bulk = [{ target_email: to('c') }, { target_email: people.member.email }];
    assert.equal((await ask('admin', 'POST', `${invites}bulk/`, bulk)).status, 400);
    const twice = [{ target_email: to('c') }, { target_email: to('C') }];
    const repeated = await ask('admin', 'POST', `${invites}bulk/`, twice);
    assert.deepEqual([repeated.status, repeated.body['attr']], [400, '1__target_email']);
    assert.equal((await ask('admin', 'POST', `${invites}bulk/`, [{ target_email: to('c') }])).status, 201);
    const { results } = (await ask('member', 'GET', invites)).body;
    assert.deepEqual(
      results.map(({ target_email: email, link, emailing_attempt_made: mailed }) => [email, link, mailed]),
      ['c', 'b', 'a'].map((name) => [to(name), null, true]),
    );
    const [newest] = results;
    assert.equal((await ask('member', 'DELETE', `${invites}${String(newest!['id'])}/`)).status, 403);
    assert.equal((await ask('admin', 'DELETE', `${invites}${String(newest!['id'])}/`)).status, 204);
    await ask('admin', 'PATCH', at('/'), { members_can_invite: false });
    assert.equal((await ask('member', 'POST', invites, { target_email: to('d') })).status, 403);
  });

  it('has no invites by keys, which could make themselves an account', async () => {
    const key = await buildPersonalKey(world.db, { ...ours, userId: people.admin.id }, 'organization_member:write');
    const one = { target_email: to('by-key') };
    for (const [path, body] of [
      ['/invites/', one],
      ['/invites/bulk/', [one]],
    ] as const) {
      assert.equal((await world.api.request('POST', at(path), { key, body })).status, 403);
    }
  });

  it('is joined by the link of an invite, once', async () => {
    const invited = await ask('admin', 'POST', at('/invites/'), { target_email: 'new@new.example', level: 8 });
    const link = String(invited.body['link']).replace(PUBLIC_URL, '');
    const sign = (body: object, headers = {}) => world.api.request('POST', link, { body, headers });
    assert.equal((await world.api.request('GET', `${link.slice(0, -2)}x/`)).status, 404);
    assert.partialDeepStrictEqual((await world.api.request('GET', link)).body, {
      target_email: 'n****@new.example',
      organization_name: 'Renamed',
    });
    const person = { first_name: 'New', password: 'long enough', role_at_organization: 'data' };
    const refused: [body: object, headers: Record<string, string>, code: string][] = [
      [{ password: person.password }, {}, 'required'],
      [{ ...person, password: 'short' }, {}, 'password_too_short'],
      [person, people.stranger.headers, 'invalid_recipient'],
    ];
    for (const [body, headers, code] of refused) {
      const answer = await sign(body, headers);
      assert.deepEqual([answer.status, (answer.body as Body)['code']], [400, code]);
    }
    const joined = await sign(person);
    assert.equal(joined.status, 201);
    assert.partialDeepStrictEqual(joined.body, {
      email: 'new@new.example',
      first_name: 'New',
      role_at_organization: 'data',
    });
    const Cookie = joined.headers
      .getSetCookie()
      .map((cookie) => cookie.split(';')[0])
      .join('; ');
    const me = (await world.api.request('GET', '/api/users/@me/', { headers: { Cookie } })).body as Body;
    assert.partialDeepStrictEqual(me, { team: { id: ours.projectId }, organization: { membership_level: 8 } });
    assert.equal((await sign(person)).status, 404);
  });

  it('is not entered by invites of who could not send them any more', async () => {
    const inviteFrom = async (sender: Person, level: number) => {
      const { body } = await ask(sender, 'POST', at('/invites/'), {
        target_email: to(`back-${sender.id}-${level}`),
        level,
      });
      return String(body['link']).replace(PUBLIC_URL, '');
    };
    const statusOf = async (link: string) => (await world.api.request('GET', link)).status;
    const [removed, lowered, asleep] = [await build('admin'), await build('admin'), await build('admin')];
    const links = {
      removed: [await inviteFrom(removed, 1), await inviteFrom(removed, 8)],
      lowered: [await inviteFrom(lowered, 1), await inviteFrom(lowered, 8)],
      asleep: [await inviteFrom(asleep, 1), await inviteFrom(asleep, 8)],
    };
    await ask('owner', 'DELETE', at(`/members/${removed.uuid}/`));
    await ask('owner', 'PATCH', at(`/members/${lowered.uuid}/`), { level: 1 });
    await world
      .db('users')
      .where({ id: asleep.id })
      .update({ is_active: false } as never);
    const statuses = async (all: readonly string[]) => Promise.all(all.map(statusOf));
    assert.deepEqual(await statuses(links.removed), [404, 404]);
    assert.deepEqual(await statuses(links.lowered), [200, 404]);
    assert.deepEqual(await statuses(links.asleep), [404, 404]);
    const body = { first_name: 'Back', password: 'long enough' };
    for (const link of [...links.removed, links.lowered[1]!, ...links.asleep]) {
      assert.equal((await world.api.request('POST', link, { body })).status, 404);
    }
    await world.identity.members.add(ours.organizationId, removed.id, 'admin');
    await ask('owner', 'PATCH', at(`/members/${lowered.uuid}/`), { level: 8 });
    assert.deepEqual(await statuses([...links.removed, links.lowered[1]!]), [404, 404, 404], 'nor later');
    const { results } = (await ask('admin', 'GET', at('/invites/'))).body;
    assert.ok(results.every(({ created_by: by }) => (by as { id: number }).id !== asleep.id));
  });

  it('is joined by who has an account when they are logged in', async () => {
    const { stranger } = people;
    const invited = await ask('admin', 'POST', at('/invites/'), { target_email: stranger.email });
    const pending = (await ask('stranger', 'GET', '/api/users/@me/')).body['pending_invites'];
    assert.partialDeepStrictEqual(pending, [{ organization_id: ours.organizationId, organization_name: 'Renamed' }]);
    const link = String(invited.body['link']).replace(PUBLIC_URL, '');
    const anonymous = await world.api.request('POST', link, { body: { first_name: 'X', password: 'long enough' } });
    assert.partialDeepStrictEqual(anonymous.body, { code: 'account_exists' });
    assert.equal((await ask('stranger', 'POST', link)).status, 201);
    assert.equal((await ask('stranger', 'GET', at('/'))).status, 200);
  });
});

const to = (name: string) => `${name}@new.example`;

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
