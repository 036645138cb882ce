/** The console as it is served: which addresses are pages, and what their headers promise. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openConsoleFiles } from '../../src/app/console/console-files.ts';
import { createConsolePages } from '../../src/app/console/console-pages.ts';
import { createLogger } from '../../src/platform/telemetry/logger.ts';
import { startSluice, type Sluice } from '../support/servers/sluice.ts';
import { ensureConsoleIsBuilt } from '../support/console/visitor.ts';

const HTML = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

const LINK_NODE = fileURLToPath(new URL('../../bin/link-node.js', import.meta.url));

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
      const pageRequest = request(sluice.url + path, { headers: { 'Accept-Encoding': encoding } }, (answer) => {
        answer.resume();
        resolve(answer.headers);
      });
      pageRequest.once('error', reject).end();
    });
  }
});

describe('an installation without a build of the console', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'sluice-test-unbuilt-'))));
  afterEach(() => rm(folder, { recursive: true }));

  it('says on its pages how to build it', async () => {
    const log = createLogger({ LOG_LEVEL: 'silent' }, 'test');
    const pages = createConsolePages({ files: openConsoleFiles(folder), log });
    const server = createServer((incoming, answer) => void (pages(incoming, answer) || answer.writeHead(404).end()));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const page = await fetch(`${url}/login`, { headers: HTML });
    assert.equal(page.status, 503);
    assert.match(await page.text(), /npm run console:build/);
    assert.equal((await fetch(`${url}/assets/index.js`)).status, 404);
    server.closeAllConnections();
    server.close();
  });

  const program = `node-${process.platform}-${process.arch}/bin/node`;
  const arrangements: Record<string, (modules: string) => Promise<unknown>> = {
    'nothing is installed': async () => {},
    'a link leads nowhere': (modules) => symlink('../gone/bin/node', join(modules, '.bin/node')),
    'the link cannot be made': async (modules) => {
      await rm(join(modules, '.bin'), { recursive: true });
      await writeFile(join(modules, '.bin'), '');
    },
    async 'the build fails'(modules) {
      await mkdir(join(modules, 'vite'));
      await mkdir(join(folder, 'console'));
      await writeFile(join(folder, 'console/build.ts'), 'throw new Error("no");');
    },
  };
  for (const [when, arrange] of Object.entries(arrangements))
    it(`is installed nevertheless where ${when}`, async () => {
      const modules = join(folder, 'node_modules');
      await mkdir(join(modules, '.bin'), { recursive: true });
      await mkdir(join(modules, dirname(program)), { recursive: true });
      await symlink(process.execPath, join(modules, program));
      await arrange(modules);
      // `npm ci` fails if its postinstall does.
      await promisify(execFile)(process.execPath, [LINK_NODE], { cwd: folder });
      const isLinked = existsSync(join(modules, '.bin/node'));
      assert.equal(isLinked, when !== 'the link cannot be made');
    });
});
