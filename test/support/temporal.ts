/** One in-memory Temporal server for the whole test process: started when the first test asks, stopped by the mocha hooks. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startTemporalDevServer, type TemporalDevServer } from '../../src/temporal/dev-server.ts';
import { whenProcessEnds } from './process-end.ts';

const NAMESPACE = 'sluice';

type Running = { server: TemporalDevServer; directory: string };
let running: Promise<Running> | undefined;

async function start(): Promise<Running> {
  const directory = await mkdtemp(path.join(tmpdir(), 'sluice-test-temporal-'));
  const server = await startTemporalDevServer({
    directory,
    port: 0,
    uiPort: 0,
    namespace: NAMESPACE,
    persistent: false,
  });
  whenProcessEnds(server, directory);
  return { server, directory };
}

export type TestTemporal = {
  /** host:port */
  address: string;
  /** Shared by all tests of the process: give schedules, workflows and task queues names of your own. */
  namespace: string;
};

/** The server's address, ready to use; about two seconds for the first caller, nothing for the others. */
export async function testTemporal(): Promise<TestTemporal> {
  running ??= start();
  const { server } = await running;
  return { address: server.address, namespace: NAMESPACE };
}

/** Stops the server; the mocha hooks call it after the last test. */
export async function stopTestTemporal(): Promise<void> {
  if (!running) return;
  const started = await running.catch(() => undefined);
  running = undefined;
  await started?.server.stop();
  if (started) await rm(started.directory, { recursive: true, force: true });
}
