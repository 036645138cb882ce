/** One connection to the user's database. */
import type { Socket } from 'node:net';
import pg from 'pg';
import { openPostgresSocket, type PostgresAddress } from './socket.ts';
import { translate } from './errors.ts';

const LOGIN_MS = 10_000;
const LOGIN_BYTES = 1024 * 1024;

export type PostgresAccess = PostgresAddress & { user: string; password: string; database: string };

export type PostgresClient = pg.Client;

/** @throws DestinationRejected, DestinationUnavailable; the signal's reason once it is aborted, also later on the connection */
export async function openClient(access: PostgresAccess): Promise<PostgresClient> {
  const { user, password, database, signal } = access;
  try {
    const socket = await openPostgresSocket(access);
    signal.addEventListener('abort', () => socket.destroy(), { once: true });
    // The driver wants to connect by itself: it gets a socket that says it just did.
    socket.connect = () => {
      setImmediate(() => socket.emit('connect'));
      return socket;
    };
    const client = new pg.Client({
      stream: () => socket,
      ssl: false,
      user,
      password,
      database,
      application_name: 'sluice',
      connectionTimeoutMillis: LOGIN_MS,
    });
    // A connection that breaks fails the statement that is running; a break in between is found by the next one.
    client.on('error', () => {});
    const measure = capped(socket);
    await client.connect();
    measure.stop();
    return client;
  } catch (error) {
    signal.throwIfAborted();
    return translate(error);
  }
}

/** Until it has let us in, a server has little to say. */
function capped(socket: Socket): { stop(): void } {
  let bytes = 0;
  const count = (chunk: Uint8Array) => {
    bytes += chunk.length;
    if (bytes > LOGIN_BYTES) socket.destroy(new Error('The server says too much.'));
  };
  socket.on('data', count);
  return { stop: () => socket.off('data', count) };
}
