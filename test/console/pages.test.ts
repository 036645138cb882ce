/** The console as it is served: which addresses are pages, and what their headers promise. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { startSluice, type Sluice } from '../support/servers/sluice.ts';
import { ensureConsoleIsBuilt } from '../support/console/visitor.ts';

const HTML = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('pages of the console', () => {
  let sluice: Sluice;
  before(async () => {
    await ensureConsoleIsBuilt();
    sluice = await startSluice();
  });
  after(() => sluice.stop());

  const get = (path: string, headers: Record<string, string> = HTML, method = 'GET') =>
    fetch(sluice.url + path, { method, headers, redirect: 'manual' });

  for (const path of [
    '/',
    '/login',
    '/login?next=%2Fproject%2F1',
    '/project/1',
    '/project/1/exports/x/runs/y',
    '/settings',
    '/settings/keys',
    '/reset',
    '/reset/a-token_1',
    '/signup/a-token_1',
  ]) {
    it(`answers HTML at ${path}`, async () => {
      const answer = await get(path);
      assert.equal(answer.status, 200);
      assert.match(answer.headers.get('content-type')!, /^text\/html/);
      assert.match(await answer.text(), /<div id="root">/);
    });
  }

  it('answers programs with the envelope, as before', async () => {
    for (const headers of [{ Accept: '*/*' }, { Accept: 'application/json' }, {}]) {
      const answer = await get('/', headers);
      assert.equal(answer.status, 404);
      assert.equal(((await answer.json()) as { code: string }).code, 'not_found');
    }
    assert.equal((await get('/', HTML, 'POST')).status, 404);
  });

  it('leaves all other addresses to the API and to SDKs', async () => {
    for (const path of [
      '/nothing',
      '/project/abc',
      '/api/projects/',
      '/flags',
      '/static/none.js',
      '/settingsx',
      '/signup',
      '/signup/a/b',
      '/resets',
      '//login',
    ]) {
      const answer = await get(path);
      assert.doesNotMatch(answer.headers.get('content-type') ?? '', /^text\/html/, path);
    }
  });

  it('allows nothing but its own files, and styles with a nonce that no other answer has', async () => {
    const [one, other] = await Promise.all([get('/login'), get('/login')]);
    const policy = one.headers.get('content-security-policy')!;
    const nonce = /'nonce-([\w-]{22})'/.exec(policy)![1]!;
    assert.equal(
      policy.replace(nonce, 'N'),
      "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-N'; connect-src 'self'; img-src 'self' data:; " +
        "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    assert.match(await one.text(), new RegExp(`nonce="${nonce}"`));
    assert.ok(!other.headers.get('content-security-policy')!.includes(nonce));
    assert.equal(one.headers.get('cache-control'), 'no-store');
    assert.equal(one.headers.get('strict-transport-security'), null);
  });

  it('serves its files compressed, under names that may be kept for ever', async () => {
    const page = await (await get('/')).text();
    const script = /src="(\/assets\/[\w.-]+\.js)"/.exec(page)![1]!;
    for (const encoding of ['br', 'gzip']) {
      const headers = await rawHeaders(script, encoding);
      assert.equal(headers['content-encoding'], encoding);
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.equal(headers['content-type'], 'text/javascript; charset=utf-8');
    }
    assert.equal((await rawHeaders(script, 'identity'))['content-encoding'], undefined);
    assert.equal((await get('/assets/none-12345678.js')).status, 404);
    assert.notEqual((await get('/assets/..%2Findex.html')).status, 200);
  });

  it('says without JavaScript what is needed', async () => {
    assert.match(await (await get('/')).text(), /<noscript>[\s\S]*needs JavaScript/);
  });

  /** `fetch` decodes what it gets and hides how it came. */
  function rawHeaders(path: string, encoding: string): Promise<Record<string, string | string[] | undefined>> {
    return new Promise((resolve, reject) => {
      const asked = request(sluice.url + path, { headers: { 'Accept-Encoding': encoding } }, (answer) => {
        answer.resume();
        resolve(answer.headers);
      });
      asked.once('error', reject).end();
    });
  }
});
