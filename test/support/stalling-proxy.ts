/** A TCP proxy whose server hangs on a word from the test: it accepts connections, reads, and never answers. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export type StallingProxy = { origin: string; stall(): void; close(): void };

/** @param target origin of the real server */
export async function startStallingProxy(target: string): Promise<StallingProxy> {
  const { hostname, port } = new URL(target);
  const clients = new Set<Socket>();
  let stalled = false;
  const server = createServer((client) => {
    clients.add(client);
    client.on('error', () => client.destroy()).on('close', () => clients.delete(client));
    if (stalled) return void client.resume();
    const upstream = connect({ host: hostname, port: Number(port) });
    upstream.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.on('close', () => upstream.destroy());
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const endConnections = () => {
    for (const client of clients) client.destroy();
  };
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stall() {
      stalled = true;
      endConnections();
    },
    close() {
      server.close();
      endConnections();
    },
  };
}
