/** A gate in front of a server: shut, it ends what goes through and lets nobody in. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export type Gate = {
  /** The server's address, through the gate. */
  url: string;
  shut(): void;
  open(): void;
  /** Bytes that go through now come no further; neither side is told. */
  freeze(): void;
  close(): void;
};

export async function startGate(target: string): Promise<Gate> {
  const { hostname, port } = new URL(target);
  const passing = new Set<Socket>();
  let isOpen = true;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      passing.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        passing.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    if (!isOpen) return client.destroy();
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = new URL(target);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const end = () => passing.forEach((socket) => socket.destroy());
  return {
    url: url.href,
    shut() {
      isOpen = false;
      end();
    },
    open: () => (isOpen = true),
    freeze() {
      passing.forEach((socket) => socket.unpipe().pause());
    },
    close() {
      server.close();
      end();
    },
  };
}
