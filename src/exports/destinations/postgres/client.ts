/** One connection to the user's database. */
import type { Socket } from 'node:net';
import pg from 'pg';
import { openPostgresSocket, type PostgresAddress } from './socket.ts';
import { translate } from './errors.ts';

const LOGIN_MS = 10_000;
const MAX_LOGIN_BYTES = 1024 * 1024;

/**
 * Settings of our sessions, with times in milliseconds; those that the server's version does not know are left out. They override the
 * settings of the role and the database, whose limits suit people's queries and would end every long load. A statement may take as long
 * as the activity that runs it. A wait for a lock, or a transaction in which we are idle, fails the attempt after a minute.
 * `synchronous_commit` stays on, because without it a crash of the server could undo a delivery that we have recorded.
 */
const SETTINGS: Record<string, string> = {
  statement_timeout: String(2 * 3_600_000),
  transaction_timeout: String(2 * 3_600_000),
  idle_session_timeout: String(2 * 3_600_000),
  lock_timeout: '60000',
  idle_in_transaction_session_timeout: '60000',
  synchronous_commit: 'on',
};

export type PostgresAccess = PostgresAddress & { user: string; password: string; database: string };

export type PostgresClient = pg.Client;

/** @throws DestinationRejected, DestinationUnavailable; the signal's reason if it aborts. A later abort destroys the connection. */
export async function openClient(access: PostgresAccess): Promise<PostgresClient> {
  const { user, password, database, signal } = access;
  let socket: Socket | undefined;
  try {
    const opened = await openPostgresSocket(access);
    socket = opened;
    signal.addEventListener('abort', () => opened.destroy(), { once: true });
    // The driver insists on connecting itself, so its socket reports a connection that exists already.
    opened.connect = () => {
      setImmediate(() => opened.emit('connect'));
      return opened;
    };
    const client = new pg.Client({
      stream: () => opened,
      ssl: false,
      user,
      password,
      database,
      application_name: 'sluice',
      connectionTimeoutMillis: LOGIN_MS,
    });
    // A connection that breaks fails the statement that is running; a break between statements fails the next one.
    client.on('error', () => {});
    const loginLimit = limitLoginBytes(opened);
    await client.connect();
    loginLimit.stop();
    // tooth: postgres-timeouts
    await configure(client);
    return client;
  } catch (error) {
    // The socket is closed after a login, too, because a server that refuses the settings would keep the connection.
    socket?.destroy();
    signal.throwIfAborted();
    return translate(error);
  }
}

/** Opens a connection for one piece of work. @throws as `openClient` does */
export async function withClient<T>(access: PostgresAccess, work: (client: PostgresClient) => Promise<T>): Promise<T> {
  const client = await openClient(access);
  try {
    return await work(client);
  } catch (error) {
    access.signal.throwIfAborted();
    return translate(error);
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * Applies the settings by one statement after the login, because poolers such as PgBouncer refuse them as parameters of the login.
 * `synchronous_commit` is changed only if it is off, because all its other values wait for a disk.
 */
async function configure(client: PostgresClient): Promise<void> {
  await client.query(
    `select set_config(name, wanted.value, false) from pg_settings join json_each_text($1) as wanted (key, value) on key = name
     where name <> 'synchronous_commit' or setting = 'off'`,
    [JSON.stringify(SETTINGS)],
  );
}

/** Limits the bytes that a server may send before the login succeeds. */
function limitLoginBytes(socket: Socket): { stop(): void } {
  let bytes = 0;
  const count = (chunk: Uint8Array) => {
    bytes += chunk.length;
    if (bytes > MAX_LOGIN_BYTES) socket.destroy(new Error('The server says too much.'));
  };
  socket.on('data', count);
  return { stop: () => socket.off('data', count) };
}
