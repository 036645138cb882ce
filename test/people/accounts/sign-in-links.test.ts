import assert from 'node:assert/strict';
import { request, type IncomingHttpHeaders } from 'node:http';
import { json } from 'node:stream/consumers';
import { createSignInToken, resetPassword } from '../../../src/people/accounts/operator.ts';
import { ensureLocal } from '../../../src/platform/http/local-request.ts';
import { buildTenant, type Tenant } from '../../support/api/identity.ts';
import { startPeopleApi, type PeopleWorld } from '../../support/api/people-api.ts';

type Answer = { status: number; cookies: string[]; body: { code?: string; email?: string; success?: true } };

describe('sign-in links', () => {
  let world: PeopleWorld;
  let ours: Tenant;
  let email: string;
  let host: string;

  before(async () => {
    world = await startPeopleApi();
    host = new URL(world.api.url).host;
  });
  after(() => world.close());
  beforeEach(async () => {
    await world.db('login_tries').delete();
    ours = await buildTenant(world.db);
    ({ email } = await world.identity.accounts.get(ours.userId));
  });

  const token = async () => (await createSignInToken(world.identity, email))!;

  /** With the headers of a program, which may say any `Host`. */
  async function use(given: string, headers: Record<string, string> = {}): Promise<Answer> {
    const loginRequest = request(`${world.api.url}/api/login/link/`, {
      method: 'POST',
      setHost: false,
      agent: false,
      headers: { Host: host, 'Content-Type': 'application/json', ...headers },
    });
    loginRequest.end(JSON.stringify({ token: given }));
    const [answer] = (await new Promise<unknown[]>((resolve, reject) => {
      loginRequest.once('response', (...all: unknown[]) => resolve(all));
      loginRequest.once('error', reject);
    })) as [NodeJS.ReadableStream & { statusCode: number; headers: IncomingHttpHeaders }];
    const body = (await json(answer as never)) as Answer['body'];
    return { status: answer.statusCode, cookies: answer.headers['set-cookie'] ?? [], body };
  }
  const me = async (cookies: readonly string[]) => {
    const Cookie = cookies.map((cookie) => cookie.split(';')[0]).join('; ');
    return (await world.api.request('GET', '/api/users/@me/', { headers: { Cookie } })).body as {
      email: string;
      sensitive_session_expires_at: string;
    };
  };

  it('log their user in, once, and recently enough for what is sensitive', async () => {
    const link = await token();
    const first = await use(link);
    assert.deepEqual([first.status, first.body], [200, { success: true }]);
    const seen = await me(first.cookies);
    assert.equal(seen.email, email);
    assert.ok(Date.parse(seen.sensitive_session_expires_at) > Date.now());
    const again = await use(link);
    assert.deepEqual([again.status, again.body.code, again.cookies], [400, 'invalid_token', []]);
    const page = { limit: 10, offset: 0 };
    const filter = { scope: 'User', itemId: ours.userId };
    const log = await world.identity.auditLog.listOfOrganization(ours.organizationId, filter, page);
    assert.deepEqual(
      log.results.map(({ activity, detail }) => [activity, detail.changes[0]?.after]),
      [['logged_in', 'sign-in link']],
    );
  });

  it('let in one of those who use one at the same time', async () => {
    const link = await token();
    const answers = await Promise.all(Array.from({ length: 12 }, () => use(link)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal((await world.db('sessions').where({ user_id: ours.userId })).length, 1);
  });

  it('end after ten minutes, with a new password, and with the right to log in', async () => {
    const late = await token();
    await world.db('one_time_links').update({ expires_at: new Date(Date.now() - 1_000) });
    assert.equal((await use(late)).status, 400);
    await token();
    const { rows } = await world.db.raw<{ rows: { minutes: number }[] }>(
      'select extract(epoch from expires_at - created_at)::float / 60 as minutes from one_time_links',
    );
    assert.deepEqual(rows, [{ minutes: 10 }], 'those that have expired are gone');
    const before = await token();
    await resetPassword(world.identity, email, 'rusty kettle 41');
    assert.equal((await use(before)).status, 400);
    const asleep = await token();
    await world.db('users').where({ id: ours.userId }).update({ is_active: false });
    assert.equal((await use(asleep)).status, 400);
    assert.equal(await createSignInToken(world.identity, email), undefined);
  });

  it('are not made of links for a new password', async () => {
    const reset = await world.identity.links.create('reset', ours.userId);
    assert.equal((await use(reset)).status, 400);
    assert.equal(await world.identity.links.find('reset', await token()), undefined);
    assert.equal(await world.identity.links.find('reset', reset), ours.userId);
  });

  it('are five of a user at most, and no token is stored', async () => {
    const links: string[] = [];
    for (let n = 0; n < 6; n += 1) links.push(await token());
    const { rows } = await world.db.raw<{ rows: { row: string }[] }>(
      'select to_jsonb(one_time_links)::text as row from one_time_links where user_id = ?',
      [ours.userId],
    );
    assert.equal(rows.length, 5);
    for (const link of links) {
      assert.ok(!JSON.stringify(rows).includes(link));
      assert.ok(!JSON.stringify(rows).includes(Buffer.from(link, 'base64url').toString('hex')));
    }
    assert.deepEqual([(await use(links[0]!)).status, (await use(links[1]!)).status], [400, 200]);
    for (const link of links) assert.ok(!world.api.logText().includes(link), 'nor logged');
  });

  const ELSEWHERE: readonly (readonly [name: string, headers: Record<string, string>])[] = [
    ['a name that an attacker leads to this machine', { Host: 'rebind.attacker.example' }],
    ['a name that begins like an address', { Host: '127.0.0.1.attacker.example' }],
    ['a name that begins like this machine’s', { Host: 'localhost.attacker.example:8000' }],
    ['the public name', { Host: 'sluice.example' }],
    ['a proxy that says for whom', { 'X-Forwarded-For': '203.0.113.1' }],
    ['a proxy that names this machine', { 'X-Forwarded-For': '127.0.0.1' }],
    ['a proxy that says for which host', { 'X-Forwarded-Host': 'sluice.example' }],
    ['a proxy that says how', { 'X-Forwarded-Proto': 'https' }],
    ['a proxy by the standard', { Forwarded: 'for=127.0.0.1' }],
    ['a proxy that names itself', { Via: '1.1 proxy' }],
    ['nginx as many set it up', { 'X-Real-IP': '203.0.113.1' }],
    ['a public page behind a proxy that adds nothing', { Origin: 'https://sluice.example' }],
  ];
  for (const [name, headers] of ELSEWHERE) {
    it(`are refused from ${name}, and stay good`, async () => {
      const link = await token();
      const answer = await use(link, headers);
      assert.deepEqual([answer.status, answer.body.code, answer.cookies], [403, 'local_only', []]);
      assert.equal((await use(link)).status, 200);
    });
  }

  it('are refused from a page of another site on this machine', async () => {
    const link = await token();
    for (const headers of [{ 'Sec-Fetch-Site': 'same-site' }, { Origin: 'http://127.0.0.1:1' }] as const) {
      assert.equal((await use(link, headers)).status, 403);
    }
    assert.equal((await use(link, { Origin: `http://${host}`, 'Sec-Fetch-Site': 'same-origin' })).status, 200);
  });

  it('are refused from other machines, whatever the request says', () => {
    const headers = { host: '127.0.0.1:8000' };
    for (const peer of [
      '192.0.2.1',
      '10.0.0.1',
      '172.17.0.1',
      '169.254.1.1',
      '::ffff:192.0.2.1',
      'fe80::1',
      '0.0.0.0',
      '',
    ]) {
      assert.throws(() => ensureLocal(headers, peer), /on the machine that Sluice runs on only/, peer);
    }
    for (const peer of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1']) ensureLocal(headers, peer);
    for (const local of ['localhost', 'LOCALHOST:8000', '[::1]:8000', '127.0.0.1']) ensureLocal({ host: local }, '::1');
    for (const other of ['', '127.1', '0x7f.1', '2130706433', 'a@127.0.0.1', '[::2]', 'localhost.']) {
      assert.throws(() => ensureLocal({ host: other }, '::1'), other);
    }
    assert.throws(() => ensureLocal({}, '::1'));
  });

  it('are not guessed without end, while passwords can still be given', async () => {
    const link = await token();
    const statuses = await Promise.all(Array.from({ length: 60 }, (_, n) => use(`guess-${n}`)));
    const guessed = statuses.filter(({ status }) => status === 400).length;
    assert.ok(guessed <= 50, String(guessed));
    assert.equal(statuses.filter(({ status }) => status === 429).length, 60 - guessed);
    assert.equal((await use(link)).status, 429);
    const login = await world.api.request('POST', '/api/login/', { body: { email, password: 'wrong' } });
    assert.equal(login.status, 400);
  });
});
