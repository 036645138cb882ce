import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/** Does the work while a server listens on loopback, and closes it. @param work gets the server's address */
export async function behind<T>(server: Server, scheme: string, work: (address: string) => Promise<T>): Promise<T> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await work(`${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
  }
}
