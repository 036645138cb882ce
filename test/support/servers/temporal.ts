/**
 * One in-memory Temporal server for the whole test process: started when the first test asks, stopped by the mocha hooks. Tests of
 * the server's limits start one of their own.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startTemporalDevServer, type TemporalDevServer } from '../../../src/platform/temporal/dev-server.ts';
import { whenProcessEnds } from './process-end.ts';

const NAMESPACE = 'sluice';

type Running = { server: TemporalDevServer; directory: string };
let running: Promise<Running> | undefined;

async function start(dynamicConfig: readonly string[] = []): Promise<Running> {
  const directory = await mkdtemp(path.join(tmpdir(), 'sluice-test-temporal-'));
  const server = await startTemporalDevServer({
    directory,
    port: 0,
    uiPort: 0,
    namespace: NAMESPACE,
    persistent: false,
    dynamicConfig,
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

/** Starts the server for the first caller, which takes about two seconds; the others share it. */
export async function testTemporal(): Promise<TestTemporal> {
  running ??= start();
  const { server } = await running;
  return { address: server.address, namespace: NAMESPACE };
}

/** Starts a server with limits of its own, as `key=value`. The caller stops it. */
export async function startLimitedTemporal(
  dynamicConfig: readonly string[],
): Promise<TestTemporal & { stop(): Promise<void> }> {
  const started = await start(dynamicConfig);
  return { address: started.server.address, namespace: NAMESPACE, stop: () => end(started) };
}

async function end({ server, directory }: Running): Promise<void> {
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}

/** Stops the server; the mocha hooks call it after the last test. */
export async function stopTestTemporal(): Promise<void> {
  if (!running) return;
  const started = await running.catch(() => undefined);
  running = undefined;
  if (started) await end(started);
}
