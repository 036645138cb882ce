/** Runs several workers as processes, as `sluice worker` starts them, to measure how throughput grows with their number. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { environmentWith } from '../../src/platform/config.ts';
import type { EngineOptions } from '../../src/app/engine.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** `partsAtOnce` absent: as users have it by default. */
type WorkerOptions = Omit<EngineOptions, 'partsAtOnce'> & { partsAtOnce: number | undefined };

/** Does the work while `count` workers run. */
export async function withWorkerProcesses<T>(
  count: number,
  options: WorkerOptions,
  work: (pids: readonly number[]) => Promise<T>,
): Promise<T> {
  const workers = Array.from({ length: count }, () => start(options));
  try {
    await Promise.all(workers.map(ready));
    return await work(workers.map(({ pid }) => pid!));
  } finally {
    await Promise.all(workers.map(stop));
  }
}

function start({ databaseUrl, temporal, encryptionKeys, environment, partsAtOnce }: WorkerOptions): ChildProcess {
  const env = environmentWith({
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: temporal.namespace,
    SLUICE_ENCRYPTION_KEYS: encryptionKeys,
    ...(partsAtOnce !== undefined && { SLUICE_WORKER_CONCURRENCY: String(partsAtOnce) }),
    EXPORT_LOCAL_ROOT: environment.localRoot,
    EXPORT_ALLOWED_HOSTS: environment.allowedHosts.join(),
    LOG_LEVEL: 'info',
  });
  return spawn(process.execPath, [MAIN, 'worker'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
}

async function ready(worker: ChildProcess): Promise<void> {
  let output = '';
  await new Promise<void>((resolve, reject) => {
    worker.once('exit', () => reject(new Error(`a worker ended: ${output}`)));
    // Reading goes on after that line, because a worker would block on a log that is not read.
    worker.stderr!.on('data', (lines) => {
      output += String(lines);
      if (output.includes('worker ready')) resolve();
    });
  });
}

async function stop(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  worker.kill('SIGTERM');
  await once(worker, 'exit');
}
