import assert from 'node:assert/strict';
import { PUBLIC_URL } from '../../support/api/api.ts';
import { browser, cookiesOf } from '../../support/api/browser.ts';
import { buildPersonalKey, buildTenant, type Tenant } from '../../support/api/identity.ts';
import { quickHash, startPeopleApi, type PeopleWorld } from '../../support/api/people-api.ts';

const PASSWORD = 'correct horse battery';

describe('logging in', () => {
  let world: PeopleWorld;
  let ours: Tenant;
  let email: string;

  before(async () => {
    world = await startPeopleApi();
    ours = await buildTenant(world.db);
    ({ email } = await world.identity.accounts.get(ours.userId));
    await world.identity.accounts.setPassword(ours.userId, quickHash(PASSWORD));
  });
  after(() => world.close());

  /** Tries of each are counted for themselves. */
  async function buildOwner() {
    const account = await world.identity.accounts.get((await buildTenant(world.db)).userId);
    await world.identity.accounts.setPassword(account.id, quickHash(PASSWORD));
    return account;
  }
  const logIn = (body: object, headers = {}) => world.api.request('POST', '/api/login', { body, headers });
  const me = (headers: Record<string, string>) => world.api.request('GET', '/api/users/@me/', { headers });
  const patchMe = (headers: Record<string, string>, body: object) =>
    world.api.request('PATCH', '/api/users/@me/', { headers, body });

  it('says nothing about which accounts there are', async () => {
    const nobody = await buildTenant(world.db);
    const { email: withoutPassword } = await world.identity.accounts.get(nobody.userId);
    const gone = await buildTenant(world.db);
    const { email: inactive } = await world.identity.accounts.get(gone.userId);
    await world.identity.accounts.setPassword(gone.userId, quickHash(PASSWORD));
    await world.db('users').where({ id: gone.userId }).update({ is_active: false });
    const cases = [
      { email: 'stranger@example.com', password: PASSWORD },
      { email, password: 'wrong' },
      { email, password: PASSWORD.toUpperCase() },
      { email: withoutPassword, password: 'none' },
      { email: inactive, password: PASSWORD },
    ];
    const answers = await Promise.all(cases.map((body) => logIn(body)));
    for (const answer of answers) {
      assert.deepEqual([answer.status, cookiesOf(answer)], [400, {}]);
      assert.deepEqual(answer.body, {
        type: 'validation_error',
        code: 'invalid_credentials',
        detail: 'Invalid email or password.',
        attr: null,
      });
    }
    assert.partialDeepStrictEqual((await logIn({ email })).body, { code: 'required', attr: 'password' });
  });

  it('gives a session of fourteen days, whose cookie no page can read', async () => {
    const answer = await logIn({ email: email.toUpperCase(), password: PASSWORD });
    assert.deepEqual([answer.status, answer.body], [200, { success: true }]);
    const [session, csrf] = answer.headers.getSetCookie();
    assert.match(session!, /^sessionid=[\w-]{43}; Max-Age=1209600; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    assert.match(csrf!, /^posthog_csrftoken=[\w-]{43}; Max-Age=1209600; Path=\/; Secure; SameSite=Lax$/);
    assert.equal(answer.headers.get('access-control-allow-origin'), null);
    assert.partialDeepStrictEqual((await me(browser(answer))).body, { email, has_password: true });
    const { rows } = await world.db.raw('select to_jsonb(sessions)::text as row from sessions');
    assert.ok(!JSON.stringify(rows).includes(cookiesOf(answer)['sessionid']!));
  });

  it('lets no other site’s page change anything', async () => {
    const { Cookie } = browser(await logIn({ email, password: PASSWORD }));
    const other = browser(await logIn({ email, password: PASSWORD }));
    const cases: [headers: Record<string, string>, detail: RegExp][] = [
      [{ Cookie: Cookie! }, /^CSRF Failed: CSRF token missing\.$/],
      [{ Cookie: Cookie!, 'X-CSRFToken': 'x' }, /^CSRF Failed: /],
      [{ Cookie: Cookie!, 'X-CSRFToken': other['X-CSRFToken']! }, /^CSRF Failed: /],
    ];
    for (const [headers, detail] of cases) {
      const answer = await patchMe(headers, { first_name: 'Mallory' });
      assert.deepEqual([answer.status, (answer.body as { code: string }).code], [403, 'permission_denied']);
      assert.match((answer.body as { detail: string }).detail, detail);
    }
    assert.equal((await me({ Cookie: Cookie! })).status, 200);
    assert.equal((await patchMe(other, { first_name: 'Ann' })).status, 200);
  });

  it('leaves no cookie where another site’s page requested it, and uses none', async () => {
    const { email } = await buildOwner();
    const here = browser(await logIn({ email, password: PASSWORD }));
    const foreign: Record<string, string>[] = [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'cross-site', Origin: PUBLIC_URL },
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { Origin: `${PUBLIC_URL}.evil.example` },
    ];
    for (const headers of foreign) {
      const seen = JSON.stringify(headers);
      const login = await logIn({ email, password: PASSWORD }, headers);
      assert.deepEqual([login.status, cookiesOf(login)], [403, {}], seen);
      assert.match((login.body as { detail: string }).detail, /^CSRF Failed: .* another site/);
      const signup = await world.api.request('POST', `/api/signup/${'x'.repeat(43)}/`, { body: {}, headers });
      assert.equal(signup.status, 403, seen);
      assert.equal((await patchMe({ ...here, ...headers }, { first_name: 'Mallory' })).status, 403, seen);
      assert.equal((await me({ ...here, ...headers })).status, 200, 'to look changes nothing');
    }
    const own: Record<string, string>[] = [
      { 'Sec-Fetch-Site': 'same-origin' },
      { 'Sec-Fetch-Site': 'none' },
      { Origin: PUBLIC_URL },
      { Origin: world.api.url },
    ];
    for (const headers of own) {
      assert.equal((await logIn({ email, password: PASSWORD }, headers)).status, 200, JSON.stringify(headers));
      assert.equal((await patchMe({ ...here, ...headers }, { first_name: 'Ann' })).status, 200);
    }
    const form = await world.api.request('POST', '/api/login', {
      body: JSON.stringify({ email, password: PASSWORD }),
      headers: { 'Content-Type': 'text/plain' },
    });
    assert.equal(form.status, 415, 'nor a form without scripts');
  });

  it('ends a session when its user logs out, logs in again, or may not any more', async () => {
    const first = browser(await logIn({ email, password: PASSWORD }));
    const second = browser(await logIn({ email, password: PASSWORD }, { Cookie: first['Cookie'] }));
    assert.deepEqual([(await me(first)).status, (await me(second)).status], [401, 200]);
    const out = await world.api.request('POST', '/api/logout', { headers: second });
    assert.deepEqual([out.status, cookiesOf(out)], [204, { sessionid: '', posthog_csrftoken: '' }]);
    assert.equal((await me(second)).status, 401);
    const third = browser(await logIn({ email, password: PASSWORD }));
    await world.db('users').where({ id: ours.userId }).update({ is_active: false });
    assert.equal((await me(third)).status, 401);
    await world.db('users').where({ id: ours.userId }).update({ is_active: true });
    await world
      .db('sessions')
      .where({ user_id: ours.userId })
      .update({ expires_at: new Date(0).toISOString() });
    assert.equal((await me(third)).status, 401);
    await logIn({ email, password: PASSWORD });
    assert.equal((await world.db('sessions').where({ user_id: ours.userId })).length, 1);
    const key = await buildPersonalKey(world.db, ours, '*');
    assert.equal((await world.api.request('POST', '/api/logout', { key })).status, 403);
  });

  it('writes who logged in and out', async () => {
    const { results } = await world.identity.auditLog.listOfOrganization(
      ours.organizationId,
      { scope: 'User', itemId: ours.userId },
      { limit: 100, offset: 0 },
    );
    const verbs = results.map(({ activity }) => activity);
    assert.ok(verbs.includes('logged_in') && verbs.includes('logged_out'));
  });

  it('changes a password for who knows the old one, and ends all other sessions', async () => {
    const here = browser(await logIn({ email, password: PASSWORD }));
    const elsewhere = browser(await logIn({ email, password: PASSWORD }));
    const key = await buildPersonalKey(world.db, ours, '*');
    const wanted = { password: 'a better one', current_password: PASSWORD };
    const byKey = await world.api.request('PATCH', '/api/users/@me/', { key, body: wanted });
    assert.equal(byKey.status, 403);
    const refused: [body: object, attr: string, code: string][] = [
      [{ password: 'a better one' }, 'current_password', 'required'],
      [{ ...wanted, current_password: 'wrong' }, 'current_password', 'incorrect_password'],
      [{ ...wanted, password: 'short' }, 'password', 'password_too_short'],
      [{ ...wanted, password: '1234567890' }, 'password', 'password_entirely_numeric'],
    ];
    for (const [body, attr, code] of refused) {
      const answer = await patchMe(here, body);
      assert.equal(answer.status, 400, JSON.stringify(body));
      assert.partialDeepStrictEqual(answer.body, { attr, code });
    }
    assert.equal((await patchMe(here, wanted)).status, 200);
    assert.deepEqual([(await me(here)).status, (await me(elsewhere)).status], [200, 401]);
    assert.equal((await logIn({ email, password: PASSWORD })).status, 400);
    const { rows } = await world.db.raw('select detail::text from activity_log');
    assert.ok(!JSON.stringify(rows).includes('scrypt'));
  });

  it('limits password attempts by one client, without hindering others', async () => {
    const tried = { email: 'victim@example.com', password: 'x' };
    await world.identity.accounts.create({ email: tried.email, passwordHash: quickHash(PASSWORD) });
    const statuses: number[] = [];
    for (let tries = 0; tries < 22; tries += 1) statuses.push((await logIn(tried)).status);
    assert.deepEqual([statuses[19], statuses[21]], [400, 429]);
    const answer = await logIn({ ...tried, email: 'Victim@example.com' });
    assert.ok(Number(answer.headers.get('retry-after')) > 0);
    assert.equal((await logIn({ email, password: 'x' })).status, 400);
  });
});
