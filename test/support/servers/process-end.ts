/** Stops servers when a process ends, because workers of a parallel run have no hook after their last file. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { StopMode } from '../../../src/platform/processes/stop-mode.ts';

/** Stops a server and removes its folder when this process ends. */
export function whenProcessEnds(server: { stop(mode: StopMode): Promise<void> }, directory: string): void {
  process.once('exit', () => {
    // An exit handler cannot wait: `stop` sends its signal before it waits.
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
