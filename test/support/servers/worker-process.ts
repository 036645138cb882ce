/** `sluice worker` in a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { environmentWith } from '../../../src/platform/config.ts';

const LAUNCHER = fileURLToPath(new URL('../../../bin/sluice', import.meta.url));

export type WorkerProcess = {
  /** Lines of its log so far. */
  lines: string[];
  /** Resolves with the exit code when the process has ended. */
  exited: Promise<number | null>;
  /** Sends SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
};

export function startWorkerProcess(environment: Record<string, string>): WorkerProcess {
  const child = spawn(process.execPath, [LAUNCHER, 'worker'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: environmentWith({
      SLUICE_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
      LOG_LEVEL: 'info',
      ...environment,
    }),
  });
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const lines: string[] = [];
  createInterface(child.stderr).on('line', (line) => lines.push(line));
  return {
    lines,
    exited,
    async stop() {
      child.kill('SIGTERM');
      return exited;
    },
  };
}
