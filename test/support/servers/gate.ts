/** A proxy in front of a server; when shut, it ends all connections and accepts no new ones. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export type Gate = {
  /** The gate's address, with the path of the server's. */
  url: string;
  shut(): void;
  open(): void;
  /** Stops forwarding on open connections, without closing them. */
  freeze(): void;
  close(): void;
};

export async function startGate(target: string): Promise<Gate> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isOpen = true;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
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
  const end = () => sockets.forEach((socket) => socket.destroy());
  return {
    url: url.href,
    shut() {
      isOpen = false;
      end();
    },
    open: () => (isOpen = true),
    freeze() {
      sockets.forEach((socket) => socket.unpipe().pause());
    },
    close() {
      server.close();
      end();
    },
  };
}
