/** The main job, end to end, on real input: everything as a stranger starts it, checked from outside. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { checkAccessLog } from '../../examples/access-log/check.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database/database.ts';
import { createTestBucket, needsObjectStore, OBJECT_STORE_KEYS } from '../support/servers/object-store.ts';
import { hasRealLog, REAL_LOG } from '../support/events/real-log.ts';

const SLUICE = fileURLToPath(new URL('../../bin/sluice', import.meta.url));
const RUNS_TIMEOUT_MS = 10 * 60_000;

/** The JSON that `up --json` prints when everything is ready. */
type Ready = { api_url: string; project_id: number; project_api_key: string; personal_api_key: string };

describe('the main job, on 10,000 real requests', function () {
  if (!hasRealLog()) return;
  this.timeout(RUNS_TIMEOUT_MS);
  let state: string;
  let sluice: ChildProcess | undefined;
  let warehouse: TestDatabase | undefined;

  before(async function () {
    await needsObjectStore(this);
    state = await mkdtemp(path.join(tmpdir(), 'sluice-test-up-'));
    // Under root Postgres is another user, and would keep its cluster elsewhere, where nobody removes it.
    await chmod(state, 0o755);
    warehouse = await createEmptyDatabase();
  });
  after(async () => {
    sluice?.kill('SIGINT');
    if (sluice) await once(sluice, 'exit');
    await warehouse?.drop();
    if (state) await rm(state, { recursive: true, force: true });
  });

  async function start(): Promise<Ready> {
    const anyPort = {
      SLUICE_PORT: '0',
      SLUICE_POSTGRES_PORT: '0',
      SLUICE_TEMPORAL_PORT: '0',
      SLUICE_TEMPORAL_UI_PORT: '0',
    };
    sluice = spawn(process.execPath, [SLUICE, 'up', '--json'], {
      env: { ...process.env, ...anyPort, SLUICE_STATE_DIR: state, EXPORT_ALLOWED_HOSTS: '127.0.0.1,localhost' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const stderr = text(sluice.stderr!);
    const ended = once(sluice, 'exit').then(async () => assert.fail(`sluice up ended: ${await stderr}`));
    const [line] = (await Promise.race([once(sluice.stdout!, 'data'), ended])) as [Buffer];
    return JSON.parse(line.toString()) as Ready;
  }

  it('arrives complete and once in files, in S3 and in Postgres, and a second backfill changes nothing', async () => {
    const ready = await start();
    const { endpoint, bucket, region } = await createTestBucket();
    const report = await checkAccessLog({
      log: REAL_LOG,
      apiUrl: ready.api_url,
      personalApiKey: ready.personal_api_key,
      projectApiKey: ready.project_api_key,
      projectId: ready.project_id,
      localRoot: path.join(state, 'exports'),
      s3: { endpoint, bucket, region, ...OBJECT_STORE_KEYS },
      postgresUrl: warehouse!.url,
    });
    assert.deepEqual(report.range, { from: '2015-05-17T10:00:00.000000Z', to: '2015-05-20T22:00:00.000000Z' });
    assert.deepEqual(
      report.destinations.map(({ title, intervals, rows, differences }) => ({ title, intervals, rows, differences })),
      ['LocalFile', 'S3', 'Postgres'].map((title) => ({ title, intervals: 84, rows: 10_000, differences: [] })),
    );
  });
});
