/** A TCP proxy that fails on demand: it reads without ever answering, or ends every connection. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export type StallingProxy = {
  origin: string;
  /** Ends open connections, and never answers new ones. */
  stall(): void;
  /** Ends open and new connections at once. */
  refuse(): void;
  resume(): void;
  close(): void;
};

/** @param target origin of the real server */
export async function startStallingProxy(target: string): Promise<StallingProxy> {
  const { hostname, port } = new URL(target);
  const clients = new Set<Socket>();
  let mode: 'working' | 'stalled' | 'refusing' = 'working';
  const server = createServer((client) => {
    clients.add(client);
    client.on('error', () => client.destroy()).on('close', () => clients.delete(client));
    if (mode === 'refusing') return void client.destroy();
    if (mode === 'stalled') return void client.resume();
    const upstream = connect({ host: hostname, port: Number(port) });
    upstream.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.on('close', () => upstream.destroy());
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const endConnections = () => {
    for (const client of clients) client.destroy();
  };
  const become = (next: typeof mode) => {
    mode = next;
    endConnections();
  };
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stall: () => become('stalled'),
    refuse: () => become('refusing'),
    resume: () => become('working'),
    close() {
      server.close();
      endConnections();
    },
  };
}
