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
import { needsPyiceberg } from '../support/exports/iceberg-reader.ts';
import { needsAzurite } from '../support/servers/azurite.ts';
import { needsGcs } from '../support/servers/gcs/fake-gcs.ts';
import { needsIcebergCatalog } from '../support/servers/iceberg-catalog.ts';
import { exportNowhere, exportToHttp, type Arrived } from './one-way.ts';
import { startPlaces } from './places.ts';

const SLUICE = fileURLToPath(new URL('../../bin/sluice', import.meta.url));
const RUNS_TIMEOUT_MS = 20 * 60_000;
/** The log's days. */
const DAYS = { from: '2015-05-17T00:00:00.000000Z', to: '2015-05-21T00:00:00.000000Z' };
/** Some have intervals of a day, because runs are what takes time. */
const INTERVALS = { LocalFile: 84, S3: 84, Postgres: 84, GCS: 4, AzureBlob: 4, Iceberg: 4 };

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
    await needsGcs(this);
    needsAzurite(this);
    needsIcebergCatalog(this);
    needsPyiceberg(this);
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

  it('arrives complete and once at every destination, and a second backfill changes nothing', async () => {
    const ready = await start();
    const { endpoint, bucket, region } = await createTestBucket();
    const api = { apiUrl: ready.api_url, personalApiKey: ready.personal_api_key, projectId: ready.project_id };
    let arrived: Arrived[] = [];
    const report = await checkAccessLog({
      ...api,
      log: REAL_LOG,
      projectApiKey: ready.project_api_key,
      localRoot: path.join(state, 'exports'),
      s3: { endpoint, bucket, region, ...OBJECT_STORE_KEYS },
      postgresUrl: warehouse!.url,
      more: await startPlaces(),
      async beside() {
        arrived = await Promise.all([exportToHttp(api, DAYS), exportNowhere(api, DAYS)]);
      },
    });
    assert.deepEqual(report.range, { from: '2015-05-17T10:00:00.000000Z', to: '2015-05-20T22:00:00.000000Z' });
    assert.deepEqual(
      report.destinations.map(({ title, intervals, rows, differences }) => ({ title, intervals, rows, differences })),
      Object.entries(INTERVALS).map(([title, intervals]) => ({ title, intervals, rows: 10_000, differences: [] })),
    );
    const [http, nowhere] = arrived;
    assert.deepEqual(nowhere, { rows: [10_000, 10_000] });
    assert.deepEqual(http!.rows, [10_000, 10_000]);
    const [first, second] = http!.taken!;
    assert.deepEqual([first!.rows, first!.distinct], [10_000, 10_000]);
    // The repeat sends the same batches again, whose rows a receiver recognises by their uuids.
    assert.deepEqual(second, { requests: first!.requests * 2, rows: 20_000, distinct: 10_000 });
  });
});
