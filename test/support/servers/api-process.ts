/** `sluice api` in its own process, which tests can load, freeze or kill. Temporal is not running; capture does not need it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { environmentWith } from '../../../src/platform/config.ts';

const LAUNCHER = fileURLToPath(new URL('../../../bin/sluice', import.meta.url));
const NOBODY_LISTENS = '127.0.0.1:1';

export type ApiProcess = {
  url: string;
  port: number;
  pid: number;
  /** Sends the signal, and resolves when the process has ended. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
};

export type ApiProcessOptions = {
  databaseUrl: string;
  /** 0, the default, takes any free one. */
  port?: number;
  environment?: Record<string, string>;
  /** Gets each line of its log. */
  onLog?: (line: string) => void;
};

/** Resolves once it listens. */
export async function startApiProcess({
  databaseUrl,
  port = 0,
  environment,
  onLog,
}: ApiProcessOptions): Promise<ApiProcess> {
  const child = spawn(process.execPath, [LAUNCHER, 'api'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: environmentWith({
      DATABASE_URL: databaseUrl,
      TEMPORAL_ADDRESS: NOBODY_LISTENS,
      SLUICE_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
      SLUICE_HOST: '127.0.0.1',
      SLUICE_PORT: String(port),
      // Tests make all requests with one key.
      KEY_REQUESTS_PER_MINUTE: '100000',
      KEY_REQUESTS_PER_HOUR: '100000',
      LOG_LEVEL: 'info',
      ...environment,
    }),
  });
  const exited = once(child, 'exit');
  const listening = Promise.withResolvers<string>();
  void exited.then(() => listening.reject(new Error('the API does not start')));
  // Must be read to the end, or the process would block on a full pipe.
  createInterface(child.stderr).on('line', (line) => {
    onLog?.(line);
    const url = /"url":"(http[^"]+)".*"listening"/.exec(line)?.[1];
    if (url !== undefined) listening.resolve(url);
  });
  const url = await listening.promise;
  return {
    url,
    port: Number(new URL(url).port),
    pid: child.pid!,
    async end(signal) {
      child.kill(signal);
      await exited;
    },
  };
}
