/** LISTEN over a connection of its own, for as long as the process runs; a lost connection is replaced. */
import type { Logger } from '../telemetry/logger.ts';
import { createClient } from './connection.ts';
import { LISTENER } from './pools.ts';

const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5_000;
/** Interval of the pings, and the time to answer one, because a connection may break silently. */
const PING_EVERY_MS = 5_000;

export type ListenerOptions = {
  url: string;
  /** An SQL name that needs no quotes. */
  channel: string;
  /** Gets each notification, in order. Must not throw. */
  onNotification(payload: string): void;
  /** Called whenever listening begins, also after a lost connection: earlier notifications were not heard. Must not throw. */
  onListening(): void;
  log: Logger;
};

export type Listener = { close(): Promise<void> };

/** Starts to listen, and listens until it is closed. Never throws. */
export function listen({ url, channel, onNotification, onListening, log }: ListenerOptions): Listener {
  let isClosed = false;
  let client: ReturnType<typeof createClient> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let retryMs = FIRST_RETRY_MS;

  async function connect(): Promise<void> {
    const connection = createClient({ url, applicationName: LISTENER, answerTimeoutMs: PING_EVERY_MS });
    client = connection;
    let isLost = false;
    const handleLoss = (error?: Error) => {
      if (isLost) return;
      isLost = true;
      void connection.end().catch(() => {});
      reconnectLater(error);
    };
    connection.on('error', handleLoss);
    connection.on('end', () => handleLoss());
    connection.on('notification', ({ payload = '' }) => onNotification(payload));
    try {
      await connection.connect();
      await connection.query(`listen ${channel}`);
      if (isClosed || isLost) return;
      retryMs = FIRST_RETRY_MS;
      onListening();
      ping(connection, handleLoss);
    } catch (error) {
      handleLoss(error as Error);
    }
  }

  function ping(connection: NonNullable<typeof client>, handleLoss: (error: Error) => void): void {
    timer = setTimeout(() => {
      connection.query('select').then(() => {
        if (connection === client && !isClosed) ping(connection, handleLoss);
      }, handleLoss);
    }, PING_EVERY_MS);
  }

  function reconnectLater(error: Error | undefined): void {
    clearTimeout(timer);
    if (isClosed) return;
    log.warn({ channel, ...(error && { err: error }) }, 'the connection that listens was lost');
    timer = setTimeout(() => void connect(), retryMs);
    retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
  }

  void connect();
  return {
    async close() {
      isClosed = true;
      clearTimeout(timer);
      // With a query open the driver closes at once; without one it waits for the server to close, which may never happen.
      client?.query('select').catch(() => {});
      await client?.end().catch(() => {});
    },
  };
}
