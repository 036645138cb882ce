/** Opens a checked, encrypted socket to a Postgres server, for the driver to use. */
import { once } from 'node:events';
import { isIP, type Socket } from 'node:net';
import { connect as startTls } from 'node:tls';
import { connectTo } from '../../../platform/net/connect.ts';
import type { HostRules } from '../../../platform/net/host-rules.ts';
import { postgresFault } from './faults.ts';

const CONNECT_MS = 10_000;
/** `SSLRequest` of the frontend/backend protocol, section 53.7: its length, and a number that stands for no protocol version. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

export type PostgresAddress = {
  host: string;
  port: number;
  rules: HostRules;
  /** Whether to encrypt without verifying the server's identity. */
  trustAnyCertificate: boolean;
  signal: AbortSignal;
};

/**
 * Opens an encrypted socket, or a plain one if the server has no TLS and the operator allows its host explicitly.
 * @throws HostRefused, the system's and TLS's errors, DestinationRejected when the server has no TLS or does not speak Postgres,
 *   DestinationUnavailable when it has no process left for the connection
 */
export async function openPostgresSocket(address: PostgresAddress): Promise<Socket> {
  const { host, port, rules, trustAnyCertificate } = address;
  const signal = AbortSignal.any([address.signal, AbortSignal.timeout(CONNECT_MS)]);
  const socket = await connectTo({ host, port, rules, timeoutMs: CONNECT_MS, signal });
  try {
    socket.write(SSL_REQUEST);
    const [answer] = (await Promise.race([once(socket, 'data', { signal }), failWhenClosed(socket)])) as [Buffer];
    // More bytes than the one letter could be injected by an attacker before encryption starts.
    const letter = answer.length === 1 ? String.fromCharCode(answer[0]!) : '';
    if (letter === 'S') return await startEncryption(socket, host, trustAnyCertificate, signal);
    if (letter === 'N' && (rules.lists(host) || rules.lists(socket.remoteAddress ?? ''))) return socket;
    if (letter === 'N') throw postgresFault('tls_missing');
    // A server without a process left for the connection answers with a message of this type.
    throw postgresFault(answer.toString('latin1', 0, 1) === 'E' ? 'server_unavailable' : 'not_postgres');
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** @throws always, once the socket has closed, so no time is spent waiting for a server that hung up */
async function failWhenClosed(socket: Socket): Promise<never> {
  await once(socket, 'close');
  throw Object.assign(new Error('the server closed the connection'), { code: 'ECONNRESET' });
}

async function startEncryption(socket: Socket, host: string, trustAny: boolean, signal: AbortSignal): Promise<Socket> {
  const encrypted = startTls({
    socket,
    rejectUnauthorized: !trustAny,
    // The server name of TLS must be a host name, not an address.
    ...(isIP(host) === 0 ? { servername: host } : { host }),
  });
  await once(encrypted, 'secureConnect', { signal });
  return encrypted;
}
