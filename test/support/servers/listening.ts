/** Servers that a test must not reach. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** @returns the port */
export async function listen(server: http.Server, host = '127.0.0.1'): Promise<number> {
  await new Promise<void>((listening) => server.listen(0, host, listening));
  return (server.address() as AddressInfo).port;
}

/** Counts connections to the port, whichever address of this machine they name. */
export async function withCounter(work: (port: number) => Promise<void>): Promise<number> {
  let connections = 0;
  const server = http.createServer((_, response) => response.end()).on('connection', () => connections++);
  const port = await listen(server, '::');
  await work(port);
  server.close();
  server.closeAllConnections();
  return connections;
}
