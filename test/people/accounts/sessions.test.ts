import assert from 'node:assert/strict';
import { deviceOf } from '../../../src/people/accounts/device.ts';
import { browser } from '../../support/api/browser.ts';
import { buildTenant, type Tenant } from '../../support/api/identity.ts';
import { quickHash, startPeopleApi, type PeopleWorld } from '../../support/api/people-api.ts';

const PASSWORD = 'correct horse battery';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0';
const CHROME =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36';
const PATH = '/api/users/@me/sessions/';
const LONGEST_AGO = '2001-01-01T00:00:00Z';

type Listed = Record<
  'id' | 'device' | 'network' | 'created_at' | 'authenticated_at' | 'last_seen_at' | 'expires_at',
  string
> & {
  is_current: boolean;
};

describe('sessions', () => {
  let world: PeopleWorld;
  let ours: Tenant;
  let email: string;

  before(async () => {
    world = await startPeopleApi();
  });
  after(() => world.close());

  beforeEach(async () => {
    ours = await buildTenant(world.db);
    ({ email } = await world.identity.accounts.get(ours.userId));
    await world.identity.accounts.setPassword(ours.userId, quickHash(PASSWORD));
  });

  const ask = (method: string, path: string, headers: Record<string, string>) =>
    world.api.request(method, path, { headers });
  const list = async (headers: Record<string, string>) => (await ask('GET', PATH, headers)).body as Listed[];
  const codeOf = async (headers: Record<string, string>) => {
    const { status, body } = await ask('GET', PATH, headers);
    return [status, (body as { code: string }).code];
  };
  const rows = () => world.db('sessions').where({ user_id: ours.userId });
  async function logIn(headers: Record<string, string> = {}) {
    const answer = await world.api.request('POST', '/api/login/', { body: { email, password: PASSWORD }, headers });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return browser(answer);
  }

  it('are listed for their user: which device, where roughly, since when, and which is this one', async () => {
    const here = await logIn({ 'User-Agent': FIREFOX });
    await logIn({ 'User-Agent': CHROME });
    await logIn({ 'User-Agent': '<script>alert(1)</script>' });
    await rows().where({ device: 'Chrome on Android' }).update({ last_seen_at: LONGEST_AGO });
    const listed = await list(here);
    const isCurrent = new Map(listed.map((one) => [one.device, one.is_current]));
    const [firefox, chrome, unknown] = ['Firefox on Linux', 'Chrome on Android', null as unknown as string];
    assert.deepEqual(
      new Map([
        [firefox, true],
        [chrome, false],
        [unknown, false],
      ]),
      isCurrent,
    );
    assert.equal(listed.at(-1)!.device, 'Chrome on Android', 'the last seen first');
    const current = listed.find((one) => one.is_current)!;
    assert.equal(current.network, '127.0.0.0/24');
    for (const field of ['created_at', 'authenticated_at', 'last_seen_at'] as const) {
      assert.ok(Math.abs(Date.parse(current[field]) - Date.now()) < 60_000, field);
    }
    assert.ok(Date.parse(current.expires_at) > Date.now() + 13 * 86_400_000);
  });

  it('are seen, which is written once a minute at most', async () => {
    const here = await logIn();
    const seen = async () => (await rows().first('last_seen_at'))!['last_seen_at'] as Date | string;
    await Promise.all(Array.from({ length: 8 }, () => list(here)));
    const first = String(await seen());
    await list(here);
    assert.equal(String(await seen()), first, 'not within the minute');
    const aMinuteAgo = new Date(Date.now() - 61_000).toISOString();
    await rows().update({ last_seen_at: aMinuteAgo });
    await world.db.raw(`
      create table if not exists writes (at timestamptz);
      create or replace function note_write() returns trigger language plpgsql as
        $$ begin insert into writes values (now()); return new; end $$;
      create or replace trigger note_write after update on sessions for each row execute function note_write();`);
    await Promise.all(Array.from({ length: 8 }, () => list(here)));
    assert.equal((await world.db('writes')).length, 1, 'of several at once one');
    await world.db.raw('drop trigger note_write on sessions');
    assert.ok(Date.parse((await list(here))[0]!.last_seen_at) > Date.now() - 60_000);
  });

  it('are ended one by one, or all but this one, only by their user', async () => {
    const [here, second, third] = [await logIn(), await logIn(), await logIn()];
    const stranger = await buildTenant(world.db);
    await world.identity.accounts.setPassword(stranger.userId, quickHash(PASSWORD));
    const { email: theirs } = await world.identity.accounts.get(stranger.userId);
    const elsewhere = browser(
      await world.api.request('POST', '/api/login/', { body: { email: theirs, password: PASSWORD } }),
    );
    const idOf = async (headers: Record<string, string>) => (await list(headers)).find((one) => one.is_current)!.id;
    const secondId = await idOf(second);
    assert.equal((await ask('DELETE', `${PATH}${secondId}/`, elsewhere)).status, 404);
    assert.equal((await ask('DELETE', `${PATH}${secondId}/`, here)).status, 204);
    assert.equal((await ask('DELETE', `${PATH}${secondId}/`, here)).status, 404);
    assert.deepEqual([(await ask('GET', PATH, second)).status, (await ask('GET', PATH, third)).status], [401, 200]);
    await logIn();
    const ended = await ask('POST', `${PATH}end_others/`, here);
    assert.deepEqual([ended.status, ended.body], [200, { ended: 2 }]);
    assert.deepEqual((await ask('POST', `${PATH}end_others/`, here)).body, { ended: 0 });
    assert.equal((await ask('GET', PATH, third)).status, 401);
    assert.equal((await list(here)).length, 1);
    assert.equal((await list(elsewhere)).length, 1, 'those of others go on');
    const page = { limit: 100, offset: 0 };
    const filter = { scope: 'User', itemId: ours.userId };
    const log = await world.identity.auditLog.listOfOrganization(ours.organizationId, filter, page);
    assert.equal(log.results.filter(({ activity }) => activity === 'logged_out').length, 2);
  });

  it('continue under a new cookie when their user gives the password again, and are recent then', async () => {
    const before = await logIn({ 'User-Agent': CHROME });
    const [{ id, created_at: createdAt }] = (await list(before)) as [Listed];
    await rows().update({ authenticated_at: LONGEST_AGO });
    const create = (headers: Record<string, string>) =>
      world.api.request('PATCH', `/api/organizations/${ours.organizationId}/`, { headers, body: { name: 'New' } });
    await world.db('organization_memberships').where({ user_id: ours.userId }).update({ role: 'owner' });
    const refused = await create(before);
    assert.deepEqual(
      [refused.status, (refused.body as { code: string }).code],
      [403, 'sensitive_action_required_reauth'],
    );
    const me = (await ask('GET', '/api/users/@me/', before)).body as { sensitive_session_expires_at: string };
    assert.ok(Date.parse(me.sensitive_session_expires_at) < Date.now());
    const after = await logIn({ Cookie: before['Cookie']!, 'User-Agent': FIREFOX });
    assert.equal((await create(after)).status, 200);
    const [session, second] = await list(after);
    assert.equal(second, undefined);
    assert.partialDeepStrictEqual(session, { id, created_at: createdAt, device: 'Firefox on Linux', is_current: true });
    assert.equal((await ask('GET', PATH, before)).status, 401, 'the old cookie is worth nothing');
  });

  it('report that they have ended, unlike a request without a session', async () => {
    const here = await logIn();
    await rows().delete();
    assert.deepEqual(await codeOf(here), [401, 'session_expired']);
    assert.deepEqual(await codeOf({}), [401, 'not_authenticated']);
    assert.deepEqual(await codeOf({ Cookie: 'other=1' }), [401, 'not_authenticated']);
  });

  it('are thirty of a user at most: those go that were not seen for longest', async () => {
    const forgotten = await logIn();
    await rows().update({ last_seen_at: LONGEST_AGO });
    const { id } = (await rows().first('id'))!;
    await Promise.all(Array.from({ length: 29 }, () => world.identity.inTransaction(begin)));
    assert.equal((await rows().where({ id })).length, 1);
    await Promise.all(Array.from({ length: 4 }, () => world.identity.inTransaction(begin)));
    assert.equal((await rows()).length, 30);
    assert.equal((await ask('GET', PATH, forgotten)).status, 401);
  });

  type Bound = Parameters<Parameters<PeopleWorld['identity']['inTransaction']>[0]>[0];
  let counted = 0;
  const begin = async ({ sessions }: Bound) => {
    counted += 1;
    await sessions.begin({ userId: ours.userId, tokenHash: Buffer.from(`${counted}`), device: '', network: '' });
  };
});

describe('devices', () => {
  for (const [userAgent, device] of [
    [FIREFOX, 'Firefox on Linux'],
    [CHROME, 'Chrome on Android'],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
      'Safari on macOS',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0',
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/130.0.0.0 Mobile/15E148 Safari/604.1',
      'Chrome on iPhone',
    ],
    ['curl/8.5.0', 'curl'],
    ['Something/1.0 (Windows)', 'Windows'],
    ['<b>Mine</b>', ''],
    [undefined, ''],
  ] as const) {
    it(`are named: ${device || 'none'}`, () => assert.equal(deviceOf(userAgent), device));
  }
});
