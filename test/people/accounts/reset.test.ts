import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMailer, type Mailer } from '../../../src/platform/notify/mail.ts';
import { PUBLIC_URL } from '../../support/api/api.ts';
import { buildPersonalKey, buildSession, buildTenant, type Tenant } from '../../support/api/identity.ts';
import { quickHash, startPeopleApi, type PeopleWorld } from '../../support/api/people-api.ts';
import { startMailServer, type MailServer } from '../../support/servers/mail-server.ts';
import { until } from '../../support/until.ts';

const OLD = 'correct horse battery';
const NEW = 'rusty kettle 41';

describe('a new password by mail', () => {
  let mails: MailServer;
  let mailer: Mailer;
  let world: PeopleWorld;
  let ours: Tenant;
  let email: string;

  before(async () => {
    mails = await startMailServer();
    mailer = createMailer({ url: mails.url, from: 'sluice@example.com' });
    world = await startPeopleApi({ mailer });
  });
  after(async () => {
    await world.close();
    mailer.close();
    await mails.stop();
  });
  beforeEach(async () => {
    await world.db('login_tries').delete();
    ({ ours, email } = await buildAccount());
  });

  async function buildAccount() {
    const tenant = await buildTenant(world.db);
    await world.identity.accounts.setPassword(tenant.userId, quickHash(OLD));
    return { ours: tenant, email: (await world.identity.accounts.get(tenant.userId)).email };
  }

  const request = (address: unknown, at = world) =>
    at.api.request('POST', '/api/reset/', { body: { email: address } as object });
  const complete = (token: string, password: unknown = NEW) =>
    world.api.request('POST', `/api/reset/${token}/`, { body: { password } as object });
  const look = (token: string) => world.api.request('GET', `/api/reset/${token}/`);
  const logIn = async (password: string) =>
    (await world.api.request('POST', '/api/login/', { body: { email, password } })).status;
  const link = () => world.identity.links.create('reset', ours.userId);

  /** Letters are sent after the answer. */
  async function waitForMail(address: string, count = 1): Promise<string[]> {
    for (let tries = 0; ; tries += 1) {
      assert.ok(tries < 6_000, `${mails.mails.length} letters, and not ${count} to ${address}`);
      const texts = mails.mails
        .filter(({ to }) => to.includes(address))
        .map(({ text }) => text.replaceAll('=\r\n', ''));
      if (texts.length >= count)
        return texts.map((text) => new RegExp(`${PUBLIC_URL}/reset/([\\w-]{43})\\s`).exec(text)![1]!);
      await sleep(10);
    }
  }

  it('is set once, by the link that the owner of the address gets, and ends every session', async () => {
    const session = await buildSession(world.db, ours);
    const key = await buildPersonalKey(world.db, ours, '*');
    const earlier = await link();
    const answer = await request(email.toUpperCase());
    assert.deepEqual([answer.status, answer.body], [204, '']);
    const [token = ''] = await waitForMail(email);
    assert.deepEqual((await look(token)).body, { email: `${email[0]}****@example.com` });
    const weak = await complete(token, '12345678');
    assert.deepEqual([weak.status, (weak.body as { attr: string }).attr], [400, 'password']);
    const done = await complete(token);
    assert.deepEqual([done.status, done.body, done.headers.getSetCookie()], [200, { success: true, email }, []]);
    for (const used of [token, earlier]) {
      assert.deepEqual([(await complete(used)).status, (await look(used)).status], [404, 404]);
    }
    const me = (headers: Record<string, string>) => world.api.request('GET', '/api/users/@me/', { headers });
    assert.equal((await me(session)).status, 401);
    assert.deepEqual([await logIn(OLD), await logIn(NEW)], [400, 200]);
    const byKey = (await me({ Authorization: `Bearer ${key}` })).body;
    assert.partialDeepStrictEqual(byKey, { is_email_verified: true });
    const filter = { scope: 'User', itemId: ours.userId };
    const log = await world.identity.auditLog.listOfOrganization(ours.organizationId, filter, { limit: 9, offset: 0 });
    const changed = log.results.find(({ activity }) => activity === 'updated')!;
    assert.deepEqual(changed.detail.changes, [
      { type: 'User', action: 'changed', field: 'password', before: null, after: null },
    ]);
  });

  it('is answered alike, whether there is such an account or not, and mailed to no stranger', async () => {
    const { ours: asleep, email: inactive } = await buildAccount();
    await world.db('users').where({ id: asleep.userId }).update({ is_active: false });
    const before = mails.mails.length;
    const answers = [await request('nobody@example.com'), await request(inactive), await request(email)];
    for (const { status, body, headers } of answers) {
      assert.deepEqual([status, body, headers.get('content-type')], [204, '', null]);
    }
    await waitForMail(email);
    assert.equal(mails.mails.length, before + 1);
  });

  it('is not waited for, so that the time reveals nothing either', async () => {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => void sockets.add(socket.on('error', () => {}))).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const slow = createMailer({ url: `smtp://127.0.0.1:${port}`, from: 'sluice@example.com' });
    const other = await startPeopleApi({ mailer: slow });
    try {
      const { email: known } = await other.identity.accounts.get((await buildTenant(other.db)).userId);
      const startedAt = performance.now();
      assert.equal((await request(known, other)).status, 204);
      assert.ok(performance.now() - startedAt < 14_000);
      await until('the mail server to be asked', () => sockets.size > 0);
    } finally {
      for (const socket of sockets) socket.destroy();
      silent.close();
      await other.close();
    }
  });

  it('is set by one of those who use a link at the same time', async () => {
    const token = await link();
    const answers = await Promise.all(Array.from({ length: 6 }, (_, n) => complete(token, `${NEW} ${n}`)));
    assert.deepEqual(
      answers.map(({ status }) => status).sort((a, b) => a - b),
      [200, 404, 404, 404, 404, 404],
    );
  });

  it('is not set by a link of an hour ago, nor of an account that was closed', async () => {
    const late = await link();
    const { rows } = await world.db.raw<{ rows: { minutes: number }[] }>(
      'select extract(epoch from expires_at - created_at)::float / 60 as minutes from one_time_links where user_id = ?',
      [ours.userId],
    );
    assert.deepEqual(rows, [{ minutes: 60 }]);
    await world.db.raw(`update one_time_links set expires_at = created_at - interval '1 second'`);
    const asleep = await link();
    await world.db('users').where({ id: ours.userId }).update({ is_active: false });
    for (const token of [late, asleep, 'x'.repeat(43)]) {
      assert.deepEqual([(await look(token)).status, (await complete(token)).status], [404, 404]);
    }
  });

  it('leaves no key to a person who made the account under a stranger’s address', async () => {
    await world.db('users').where({ id: ours.userId }).update({ is_unproven: true });
    const key = await buildPersonalKey(world.db, ours, '*');
    assert.equal((await complete(await link())).status, 200);
    assert.equal((await world.api.request('GET', '/api/users/@me/', { key })).status, 401);
    const account = await world.identity.accounts.get(ours.userId);
    assert.deepEqual([account.isUnproven, account.isEmailVerified], [false, true]);
  });

  it('can be requested three times at once for one account, whether it is there or not', async () => {
    for (const address of [email, 'nobody-there@example.com']) {
      const statuses: number[] = [];
      for (let n = 0; n < 4; n += 1)
        statuses.push((await request(n % 2 === 0 ? address : address.toUpperCase())).status);
      assert.deepEqual(statuses, [204, 204, 204, 429], address);
    }
    await waitForMail(email, 3);
  });

  it('can be requested twenty times at once from one address', async () => {
    const other = await startPeopleApi({ mailer });
    try {
      const statuses: number[] = [];
      for (let n = 0; n < 21; n += 1) statuses.push((await request(`nobody-${n}@example.com`, other)).status);
      assert.deepEqual([statuses.filter((status) => status === 204).length, statuses.at(-1)], [20, 429]);
    } finally {
      await other.close();
    }
  });

  it('is requested and set with texts only, and no token is stored or logged', async () => {
    for (const wrong of [{ $ne: '' }, [email], 7, null, 'no address']) assert.equal((await request(wrong)).status, 400);
    const token = await link();
    for (const wrong of [{ length: 20 }, [NEW], 12_345_678_901, null]) {
      assert.equal((await complete(token, wrong)).status, 400);
    }
    const { rows } = await world.db.raw<{ rows: unknown[] }>(
      'select to_jsonb(one_time_links)::text as row from one_time_links',
    );
    assert.ok(rows.length > 0 && !JSON.stringify(rows).includes(token));
    assert.ok(!world.api.logText().includes(token));
  });

  it('is refused, with the way out, where there is no mail', async () => {
    const other = await startPeopleApi();
    try {
      for (const address of [email, 'nobody@example.com']) {
        const { status, body } = await request(address, other);
        assert.deepEqual([status, (body as { code: string }).code], [400, 'email_not_available']);
        assert.match((body as { detail: string }).detail, /`sluice users password`/);
      }
      for (const [at, available] of [
        [other, false],
        [world, true],
      ] as const) {
        assert.deepEqual((await at.api.request('GET', '/api/reset/')).body, { available });
      }
    } finally {
      await other.close();
    }
  });
});
