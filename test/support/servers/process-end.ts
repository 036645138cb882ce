/** Stops servers when a process ends, because workers of a parallel run have no hook after their last file. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { StopMode } from '../../../src/platform/processes/stop-mode.ts';

/** Ends a server with this process, unless it was stopped before, and removes what it kept. */
export function whenProcessEnds(server: { stop(mode: StopMode): Promise<void> }, directory: string): void {
  process.once('exit', () => {
    // The signal is sent before anything is waited for.
    void server.stop('immediate');
    rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  });
}

/** Ends a server's process, and waits until it has ended. */
export async function terminate(server: ChildProcess): Promise<void> {
  const exited = once(server, 'exit');
  server.kill('SIGTERM');
  await exited;
}
