/** The parts that the capture benchmarks share: starting the server process, and requests as bytes. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { TOKEN, type ServerReady } from './capture-server.ts';

export type Server = { process: ChildProcess; port: number };

/** @param databaseUrl the database that the server stores events in; without a URL, the server only parses */
export async function startServer(...databaseUrl: string[]): Promise<Server> {
  const child = fork(fileURLToPath(new URL('./capture-server.ts', import.meta.url)), databaseUrl);
  const [{ port }] = (await once(child, 'message')) as [ServerReady];
  return { process: child, port };
}

/** Encodes events as whole HTTP requests, `batch` events in each. */
export function requests(events: readonly object[], batch: number): Buffer[] {
  return Array.from({ length: events.length / batch }, (_, n) => {
    const some = events.slice(n * batch, (n + 1) * batch);
    const body = JSON.stringify(batch === 1 ? { api_key: TOKEN, ...some[0] } : { api_key: TOKEN, batch: some });
    const head = `POST /batch/ HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}`;
    return Buffer.from(`${head}\r\n\r\n${body}`);
  });
}
