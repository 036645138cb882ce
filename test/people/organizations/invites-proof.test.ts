/** The proof of an address, before an account is made with it: by mail, where there is a mail server; else admins vouch. */
import assert from 'node:assert/strict';
import { resetPassword } from '../../../src/people/accounts/operator.ts';
import { createMailer } from '../../../src/platform/notify/mail.ts';
import { PUBLIC_URL } from '../../support/api/api.ts';
import { buildPersonalKey } from '../../support/api/identity.ts';
import { startMailServer, type MailServer } from '../../support/servers/mail-server.ts';
import { startOrganization, type OrganizationWorld, type PersonName } from '../../support/api/organization.ts';
import { buildPerson, type Person } from '../../support/api/people-api.ts';

const PASSWORD = 'rusty kettle 41';
const person = (first_name = 'Vic') => ({ first_name, password: PASSWORD });

let count = 0;
const address = () => `victim-${(count += 1)}@example.org`;

/** The requests that both installations get. */
function inviteRequests(world: () => OrganizationWorld) {
  return {
    invite: (who: PersonName | Person, target_email: string, more: object = {}) =>
      world().ask(who, 'POST', world().at('/invites/'), { target_email, ...more }),

    sign: (link: string, body?: object, headers: Record<string, string> = {}) =>
      world().api.request('POST', apiPathOf(link), { headers, ...(body && { body }) }),

    account: (email: string) => world().identity.accounts.findByEmail(email),

    logIn: async (email: string) =>
      (await world().api.request('POST', '/api/login/', { body: { email, password: PASSWORD } })).status,
  };
}

describe('invites with a mail server', () => {
  let mails: MailServer;
  let world: OrganizationWorld;
  const { invite, sign, account, logIn } = inviteRequests(() => world);

  before(async () => {
    mails = await startMailServer();
    world = await startOrganization({ mailer: createMailer({ url: mails.url, from: 'sluice@example.com' }) });
  });
  after(async () => {
    await world.close();
    await mails.stop();
  });

  function lastMailTo(email: string): string {
    const mail = mails.mails.findLast(({ to }) => to.includes(email))!;
    // Quoted-printable folds long lines.
    return /\/signup\/[\w-]{43}(?=\s)/.exec(mail.text.replaceAll('=\r\n', ''))![0];
  }

  for (const who of ['member', 'admin', 'owner'] as const) {
    it(`show no ${who} a link that would make an account`, async () => {
      const email = address();
      const { status, body } = await invite(who, email);
      assert.deepEqual([status, body['link'], body['emailing_attempt_made']], [201, null, true]);
      const bulk = await world.ask(who, 'POST', world.at('/invites/bulk/'), [{ target_email: address() }]);
      assert.equal((bulk.body as unknown as { link: null }[])[0]!.link, null);
      assert.doesNotMatch(JSON.stringify((await world.ask(who, 'GET', world.at('/invites/'))).body), /\/signup\//);
    });
  }

  it('prove an address by the link that was mailed to it', async () => {
    const email = address();
    await invite('member', email);
    const joined = await sign(lastMailTo(email), person());
    assert.equal(joined.status, 201);
    assert.equal((joined.body as { is_email_verified: boolean }).is_email_verified, true);
    assert.equal((await account(email))!.isUnproven, false);
  });

  it('show the link where an account has to log in anyway', async () => {
    const { stranger } = world.people;
    const { body } = await invite('member', stranger.email);
    assert.match(String(body['link']), /^https:\/\/sluice\.example\/signup\/[\w-]{43}$/);
    const refused = await sign(String(body['link']), person());
    assert.deepEqual([refused.status, (refused.body as { code: string }).code], [400, 'account_exists']);
  });

  it('are good for nothing where the mail server does not take the letter', async () => {
    mails.refuses = true;
    const { body } = await invite('admin', address());
    mails.refuses = false;
    assert.deepEqual([body['link'], body['emailing_attempt_made']], [null, false]);
  });

  it('replace an account that was never proved, and nothing of it is kept', async () => {
    const email = address();
    const squatter = await buildPerson(world, world.ours.organizationId);
    await world.db('users').where({ id: squatter.id }).update({ email, is_unproven: true });
    const key = await buildPersonalKey(world.db, { ...world.ours, userId: squatter.id }, '*');
    await invite(squatter, address());
    await world.ask('admin', 'DELETE', world.at(`/members/${squatter.uuid}/`));
    const elsewhere = await world.identity.organizations.create('Elsewhere');
    await world.identity.members.add(elsewhere.id, squatter.id, 'member');
    assert.equal((await invite('member', email)).body['link'], null);

    assert.equal((await sign(lastMailTo(email), person('Owner'))).status, 201);
    const owner = (await account(email))!;
    assert.deepEqual([owner.firstName, owner.isUnproven, owner.isEmailVerified], ['Owner', false, true]);
    assert.notEqual(owner.id, squatter.id);
    assert.equal((await world.api.request('GET', '/api/users/@me/', { key })).status, 401);
    assert.equal((await world.api.request('GET', '/api/users/@me/', { headers: squatter.headers })).status, 401);
    for (const table of ['sessions', 'api_keys', 'organization_memberships']) {
      assert.deepEqual(await world.db(table).where({ user_id: squatter.id }), [], table);
    }
    const own = await world.identity.organizations.listByUser(owner.id);
    assert.deepEqual(
      own.map(({ id }) => id),
      [world.ours.organizationId],
    );
    assert.equal(await logIn(email), 200);
  });

  it('prove the account of the logged-in user', async () => {
    const someone = await buildPerson(world, (await world.identity.organizations.create('Third')).id);
    await world.db('users').where({ id: someone.id }).update({ is_unproven: true });
    await invite('member', someone.email);
    assert.equal((await sign(lastMailTo(someone.email), undefined, someone.headers)).status, 201);
    const { isUnproven, isEmailVerified } = (await account(someone.email))!;
    assert.deepEqual([isUnproven, isEmailVerified], [false, true]);
  });

  it('replace no account that was proved, nor one from before', async () => {
    const email = address();
    await invite('admin', email);
    const link = lastMailTo(email);
    await world.identity.accounts.create({ email, passwordHash: 'none' });
    assert.equal((await sign(link, person())).status, 400);
  });
});

describe('invites without a mail server', () => {
  let world: OrganizationWorld;
  const { invite, sign, account, logIn } = inviteRequests(() => world);

  before(async () => {
    world = await startOrganization({ mailer: null });
  });
  after(() => world.close());

  it('show a member no link that would make an account in the place of another', async () => {
    const email = address();
    assert.deepEqual(
      [(await invite('member', email)).body['link'], (await invite('member', email)).status],
      [null, 201],
    );
    assert.match(
      String((await invite('member', world.people.stranger.email)).body['link']),
      /^https:\/\/sluice\.example\/signup\/[\w-]{43}$/,
    );
    for (const who of ['admin', 'owner'] as const) {
      assert.match(
        String((await invite(who, address())).body['link']),
        /^https:\/\/sluice\.example\/signup\/[\w-]{43}$/,
      );
    }
    const taken = String((await invite('admin', email)).body['link']);
    assert.equal((await sign(taken, person())).status, 201, 'an admin takes over what a member began');
    assert.equal((await account(email))!.isUnproven, true);
  });

  it('are replaced by who could delete them', async () => {
    const email = address();
    const link = String((await invite('admin', email)).body['link']);
    const other = await world.build('member');
    for (const who of ['member', other] as const) assert.equal((await invite(who, email)).status, 403);
    const bulk = [{ target_email: email }];
    assert.equal((await world.ask('member', 'POST', world.at('/invites/bulk/'), bulk)).status, 403);
    assert.equal((await world.api.request('GET', apiPathOf(link))).status, 200);
    assert.equal((await invite('owner', email)).status, 201);
    assert.equal((await world.api.request('GET', apiPathOf(link))).status, 404);
    const own = address();
    assert.equal((await invite('member', own)).status, 201);
    assert.equal((await invite('member', own)).status, 201, 'their own');
    assert.equal((await invite(other, own)).status, 403, "another member's");
  });

  async function unproven(email: string): Promise<string> {
    const link = String((await invite('admin', email)).body['link']);
    const joined = await sign(link, person('Squatter'));
    assert.equal(joined.status, 201);
    return joined.headers
      .getSetCookie()
      .map((cookie) => cookie.split(';')[0])
      .join('; ');
  }

  it('replace an account that was never proved, if its admins send them', async () => {
    const email = address();
    const Cookie = await unproven(email);
    const again = await invite('admin', email);
    assert.equal(again.status, 201);
    assert.equal((await sign(String(again.body['link']), person('Owner'))).status, 201);
    assert.equal((await account(email))!.firstName, 'Owner');
    assert.equal((await world.api.request('GET', '/api/users/@me/', { headers: { Cookie } })).status, 401);
    assert.equal(await logIn(email), 200);
    const { results } = (await world.ask('admin', 'GET', world.at('/activity_log/?scope=User'))).body;
    assert.ok(results.some(({ activity, detail }) => activity === 'deleted' && JSON.stringify(detail).includes(email)));
  });

  it('replace no user who is beyond the reach of the sender', async () => {
    const email = address();
    await unproven(email);
    // A member may make an organization, and be its admin: that gives no right over people of others.
    const rival = await world.identity.organizations.create('Rival');
    const owner = await buildPerson(world, rival.id, 'owner');
    const path = `/api/organizations/${rival.id}/invites/`;
    const { body } = await world.ask(owner, 'POST', path, { target_email: email });
    const refused = await sign(String(body['link']), person('Rival'));
    assert.deepEqual([refused.status, (refused.body as { code: string }).code], [400, 'account_exists']);
    assert.equal((await account(email))!.firstName, 'Squatter');
    // Nor over somebody above them.
    await world
      .db('organization_memberships')
      .where({ user_id: (await account(email))!.id })
      .update({ role: 'owner' });
    assert.equal((await invite('admin', email)).status, 400);
    assert.equal((await invite('member', email)).status, 400);
  });

  it('replace no user to whom the operator gave a password', async () => {
    const email = address();
    await unproven(email);
    await resetPassword(world.identity, email, PASSWORD);
    assert.equal((await invite('admin', email)).status, 400);
  });
});

/** A link leads to a page, and the page asks here. */
function apiPathOf(link: string): string {
  return `/api${link.replace(PUBLIC_URL, '')}/`;
}
