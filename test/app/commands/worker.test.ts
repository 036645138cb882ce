/** Workers, and `sluice up`, that start before Temporal answers. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../../src/platform/processes/port.ts';
import { startTemporalDevServer, type TemporalDevServer } from '../../../src/platform/temporal/dev-server.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { eventually } from '../../support/exports/export-world.ts';
import { startApiProcess } from '../../support/servers/api-process.ts';
import { whenProcessEnds } from '../../support/servers/process-end.ts';
import { startWorkerProcess, type WorkerProcess } from '../../support/servers/worker-process.ts';

const PATIENCE_SECONDS = 150;

describe('a worker whose Temporal', () => {
  let database: TestDatabase;
  let directory: string;
  let port: number;
  let metricsPort: number;
  let temporal: TemporalDevServer | undefined;
  let worker: WorkerProcess | undefined;

  before(async () => {
    database = await createTestDatabase();
  });
  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'sluice-test-late-'));
    [port, metricsPort] = [await freePort(), await freePort()];
  });
  afterEach(async () => {
    await worker?.stop();
    await temporal?.stop('immediate');
    [worker, temporal] = [undefined, undefined];
    await rm(directory, { recursive: true, force: true });
  });
  after(async () => database.drop());

  async function startTemporal(): Promise<void> {
    temporal = await startTemporalDevServer({ directory, port, uiPort: 0, namespace: 'late', persistent: false });
    whenProcessEnds(temporal, directory);
  }

  const startWorker = (): WorkerProcess =>
    (worker = startWorkerProcess({
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: `127.0.0.1:${port}`,
      TEMPORAL_NAMESPACE: 'late',
      SLUICE_WORKER_METRICS_PORT: String(metricsPort),
    }));

  /** Waits for a line of the worker's log; fails at once when the worker has ended. */
  async function untilSaid(words: string): Promise<void> {
    const ended = worker!.exited.then((code) => assert.fail(`ended with ${code}:\n${worker!.lines.join('\n')}`));
    const logged = eventually(words, async () => worker!.lines.some((line) => line.includes(words)), PATIENCE_SECONDS);
    await Promise.race([logged, ended]).catch((error: unknown) => {
      throw new Error(`the worker said:\n${worker!.lines.join('\n')}`, { cause: error });
    });
  }

  async function health() {
    const answers = ['metrics', '_livez', '_readyz'].map((path) => fetch(`http://127.0.0.1:${metricsPort}/${path}`));
    const [metrics, live, ready] = await Promise.all(answers);
    const gauge = /^sluice_worker_ready (\d)$/m.exec(await metrics!.text())?.[1];
    return { gauge, live: live!.status, ready: ready!.status };
  }

  it('is started later waits for it, and reports so in its log, its metrics and its health', async () => {
    startWorker();
    await untilSaid('waiting for Temporal');
    assert.deepEqual(await health(), { gauge: '0', live: 200, ready: 503 });
    await startTemporal();
    await untilSaid('worker ready');
    assert.deepEqual(await health(), { gauge: '1', live: 200, ready: 200 });
    assert.equal(await worker!.stop(), 0);
  });

  it('is frozen waits until it is thawed', async () => {
    await startTemporal();
    const pid = Number(await readFile(path.join(directory, 'temporal.pid'), 'utf8'));
    process.kill(pid, 'SIGSTOP');
    try {
      startWorker();
      await untilSaid('waiting for Temporal');
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await untilSaid('worker ready');
  });

  it('never starts ends with 0 when it is stopped', async () => {
    startWorker();
    await untilSaid('waiting for Temporal');
    assert.equal(await worker!.stop(), 0);
  });

  it('is away has an API beside it that starts and reports what is missing', async () => {
    const api = await startApiProcess({
      databaseUrl: database.url,
      environment: { TEMPORAL_ADDRESS: `127.0.0.1:${port}` },
    });
    try {
      const answer = await fetch(`${api.url}/_readyz`);
      const { checks } = (await answer.json()) as { checks: Record<string, string> };
      assert.equal(answer.status, 503);
      assert.match(checks['temporal'] ?? '', /^(not reachable|no answer within 2 s)$/);
      assert.equal((await fetch(`${api.url}/_livez`)).status, 200);
    } finally {
      await api.end('SIGTERM');
    }
  });
});
