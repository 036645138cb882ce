import assert from 'node:assert/strict';
import { PUBLIC_URL } from '../../support/api/api.ts';
import { buildPersonalKey } from '../../support/api/identity.ts';
import {
  startOrganization,
  type Body,
  type OrganizationWorld,
  type PersonName,
} from '../../support/api/organization.ts';
import type { Person } from '../../support/api/people-api.ts';

describe('an organization', () => {
  let world: OrganizationWorld;

  before(async () => {
    world = await startOrganization();
  });
  after(() => world.close());

  /** Of the letter that was sent last. */
  const mailedLink = () => `/api/signup/${/\/signup\/([\w-]{43})\n/.exec(world.letters.at(-1)![1].text)![1]}/`;

  it('invites people, none above who invites', async () => {
    const invites = world.at('/invites/');
    const cases: [who: PersonName, body: object, status: number][] = [
      ['stranger', { target_email: to('a') }, 404],
      ['member', { target_email: to('a'), level: 8 }, 403],
      ['admin', { target_email: to('a'), level: 15 }, 403],
      ['admin', { target_email: 'nobody' }, 400],
      ['admin', { target_email: world.people.member.email.toUpperCase() }, 400],
      ['member', { target_email: to('a') }, 201],
      ['owner', { target_email: to('b'), level: 15 }, 201],
    ];
    for (const [who, body, status] of cases) {
      assert.equal((await world.ask(who, 'POST', invites, body)).status, status, JSON.stringify(body));
    }
    const [addressee, letter] = world.letters[0]!;
    assert.deepEqual(addressee, [to('a')]);
    assert.match(letter.text, new RegExp(`${PUBLIC_URL}/signup/[\\w-]{43}\n`));
    const bulk = [{ target_email: to('c') }, { target_email: world.people.member.email }];
    assert.equal((await world.ask('admin', 'POST', `${invites}bulk/`, bulk)).status, 400);
    const twice = [{ target_email: to('c') }, { target_email: to('C') }];
    const repeated = await world.ask('admin', 'POST', `${invites}bulk/`, twice);
    assert.deepEqual([repeated.status, repeated.body['attr']], [400, '1__target_email']);
    assert.equal((await world.ask('admin', 'POST', `${invites}bulk/`, [{ target_email: to('c') }])).status, 201);
    const { results } = (await world.ask('member', 'GET', invites)).body;
    assert.deepEqual(
      results.map(({ target_email: email, link, emailing_attempt_made: mailed }) => [email, link, mailed]),
      ['c', 'b', 'a'].map((name) => [to(name), null, true]),
    );
    const [newest] = results;
    assert.equal((await world.ask('member', 'DELETE', `${invites}${String(newest!['id'])}/`)).status, 403);
    assert.equal((await world.ask('admin', 'DELETE', `${invites}${String(newest!['id'])}/`)).status, 204);
    await world.ask('admin', 'PATCH', world.at('/'), { members_can_invite: false });
    assert.equal((await world.ask('member', 'POST', invites, { target_email: to('d') })).status, 403);
  });

  it('has no invites by keys, which could make themselves an account', async () => {
    const key = await buildPersonalKey(
      world.db,
      { ...world.ours, userId: world.people.admin.id },
      'organization_member:write',
    );
    const one = { target_email: to('by-key') };
    for (const [path, body] of [
      ['/invites/', one],
      ['/invites/bulk/', [one]],
    ] as const) {
      assert.equal((await world.api.request('POST', world.at(path), { key, body })).status, 403);
    }
  });

  it('is joined by the link of an invite, once', async () => {
    const invited = await world.ask('admin', 'POST', world.at('/invites/'), {
      target_email: 'new@new.example',
      level: 8,
    });
    assert.equal(invited.body['link'], null);
    const link = mailedLink();
    const sign = (body: object, headers = {}) => world.api.request('POST', link, { body, headers });
    assert.equal((await world.api.request('GET', `${link.slice(0, -2)}x/`)).status, 404);
    assert.partialDeepStrictEqual((await world.api.request('GET', link)).body, {
      target_email: 'n****@new.example',
      organization_name: 'Ours',
      account_exists: false,
    });
    const person = { first_name: 'New', password: 'rusty kettle 41', role_at_organization: 'data' };
    const refused: [body: object, headers: Record<string, string>, code: string][] = [
      [{ password: person.password }, {}, 'required'],
      [{ ...person, password: 'short' }, {}, 'password_too_short'],
      [person, world.people.stranger.headers, 'invalid_recipient'],
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
    assert.partialDeepStrictEqual(me, { team: { id: world.ours.projectId }, organization: { membership_level: 8 } });
    assert.equal((await sign(person)).status, 404);
  });

  it('is not entered by invites of who could not send them any more', async () => {
    const inviteFrom = async (sender: Person, level: number) => {
      await world.ask(sender, 'POST', world.at('/invites/'), {
        target_email: to(`back-${sender.id}-${level}`),
        level,
      });
      return mailedLink();
    };
    const statusOf = async (link: string) => (await world.api.request('GET', link)).status;
    const [removed, lowered, asleep] = [
      await world.build('admin'),
      await world.build('admin'),
      await world.build('admin'),
    ];
    const links = {
      removed: [await inviteFrom(removed, 1), await inviteFrom(removed, 8)],
      lowered: [await inviteFrom(lowered, 1), await inviteFrom(lowered, 8)],
      asleep: [await inviteFrom(asleep, 1), await inviteFrom(asleep, 8)],
    };
    await world.ask('owner', 'DELETE', world.at(`/members/${removed.uuid}/`));
    await world.ask('owner', 'PATCH', world.at(`/members/${lowered.uuid}/`), { level: 1 });
    await world
      .db('users')
      .where({ id: asleep.id })
      .update({ is_active: false } as never);
    const statuses = async (all: readonly string[]) => Promise.all(all.map(statusOf));
    assert.deepEqual(await statuses(links.removed), [404, 404]);
    assert.deepEqual(await statuses(links.lowered), [200, 404]);
    assert.deepEqual(await statuses(links.asleep), [404, 404]);
    const body = { first_name: 'Back', password: 'rusty kettle 41' };
    for (const link of [...links.removed, links.lowered[1]!, ...links.asleep]) {
      assert.equal((await world.api.request('POST', link, { body })).status, 404);
    }
    await world.identity.members.add(world.ours.organizationId, removed.id, 'admin');
    await world.ask('owner', 'PATCH', world.at(`/members/${lowered.uuid}/`), { level: 8 });
    assert.deepEqual(await statuses([...links.removed, links.lowered[1]!]), [404, 404, 404], 'nor later');
    const { results } = (await world.ask('admin', 'GET', world.at('/invites/'))).body;
    assert.ok(results.every(({ created_by: by }) => (by as { id: number }).id !== asleep.id));
  });

  it('is joined by who has an account when they are logged in', async () => {
    const { stranger } = world.people;
    const invited = await world.ask('admin', 'POST', world.at('/invites/'), { target_email: stranger.email });
    const pending = (await world.ask('stranger', 'GET', '/api/users/@me/')).body['pending_invites'];
    assert.partialDeepStrictEqual(pending, [{ organization_id: world.ours.organizationId, organization_name: 'Ours' }]);
    const link = String(invited.body['link']).replace(PUBLIC_URL, '/api');
    const anonymous = await world.api.request('POST', link, { body: { first_name: 'X', password: 'rusty kettle 41' } });
    assert.partialDeepStrictEqual(anonymous.body, { code: 'account_exists' });
    assert.equal((await world.ask('stranger', 'POST', link)).status, 201);
    assert.equal((await world.ask('stranger', 'GET', world.at('/'))).status, 200);
  });
});

const to = (name: string) => `${name}@new.example`;
