/** The access-log example where something is wrong: with the log, the server or a key. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sendLog } from '../../examples/access-log/send.ts';
import { buildPersonalKey, buildTenant, type Tenant } from '../support/api/identity.ts';
import { startSluice, type Sluice } from '../support/servers/sluice.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/access-log/main.ts', import.meta.url));
const LINE = '1.2.3.4 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 12 "-" "curl/8"\n';

type Connection = { api_url: string; project_id: number; project_api_key: string; personal_api_key: string };

describe('the access-log example', () => {
  let sluice: Sluice;
  let tenant: Tenant;
  let folder: string;
  let log: string;
  let connection: Connection;
  before(async () => {
    sluice = await startSluice();
    tenant = await buildTenant(sluice.db, { historicalFromProjectKey: true });
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-test-example-'));
    log = path.join(folder, 'access.log');
    await writeFile(log, `${LINE}not a log line\n\n${LINE}`);
    connection = {
      api_url: sluice.url,
      project_id: tenant.projectId,
      project_api_key: tenant.apiToken,
      personal_api_key: await buildPersonalKey(sluice.db, tenant, '*'),
    };
  });
  after(async () => {
    await sluice.stop();
    await rm(folder, { recursive: true });
  });

  it('continues after bad lines of the log, and reports how many', async () => {
    const summary = await sendLog({ log, apiUrl: sluice.url, projectApiKey: tenant.apiToken });
    assert.match(summary, /^3 lines, 2 sent in 1 batch, 0 retries, 1 bad line, /);
  });

  const failures: [string, () => { file?: string; with?: Partial<Connection> }, RegExp][] = [
    ['the log is not there', () => ({ file: 'none.log' }), /none\.log cannot be read \(ENOENT\)/],
    ['no line is a request', () => ({ file: EXAMPLE }), /holds no request in the combined log format/],
    [
      'nobody answers',
      () => ({ with: { api_url: 'http://127.0.0.1:1' } }),
      /No server answers at http:\/\/127\.0\.0\.1:1 /,
    ],
    ['the personal key is wrong', () => ({ with: { personal_api_key: 'phx_wrong' } }), /answered 401: [A-Z][^{]*\./],
    ['the public key is wrong', () => ({ with: { project_api_key: 'phc_wrong' } }), /The server refused the key/],
  ];
  for (const [what, given, sentence] of failures) {
    it(`says in a line that ${what}, and shows neither stack nor key`, async () => {
      const { file = log, with: changes } = given();
      const { code, stderr } = await run(file, { ...connection, ...changes });
      assert.equal(code, 1);
      assert.match(stderr, sentence);
      assert.match(stderr, /^access-log: .*\n$/);
      assert.doesNotMatch(stderr, /ph[cx]_\w/);
    });
  }

  it('says in a line that there is no running server', async () => {
    const { code, stderr } = await run(log, undefined);
    assert.equal(code, 1);
    assert.match(stderr, /^access-log: \S+ is no file of a running server: start one here with "npm start".*\n$/);
  });

  it('looks for the server in SLUICE_STATE_DIR', async () => {
    const env = { ...process.env, SLUICE_STATE_DIR: folder };
    const { stdout } = await promisify(execFile)(process.execPath, [EXAMPLE, '--help'], { env });
    // Lines of the help are folded.
    assert.ok(stdout.replaceAll(/\s/g, '').includes(`"${path.join(folder, 'dev.json')}"`), stdout);
  });

  /** `npm run example`, without npm. */
  async function run(file: string, from: Connection | undefined): Promise<{ code: number; stderr: string }> {
    const named = path.join(folder, from ? 'dev.json' : 'none.json');
    if (from) await writeFile(named, JSON.stringify(from));
    return promisify(execFile)(process.execPath, [EXAMPLE, file, '--connection', named]).then(
      ({ stderr }) => ({ code: 0, stderr }),
      (error: { code: number; stderr: string }) => error,
    );
  }
});
