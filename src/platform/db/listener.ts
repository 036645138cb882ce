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
  /** Called whenever listening begins, also again: earlier notifications were not heard. Must not throw. */
  onListening(): void;
  log: Logger;
};

export type Listener = { close(): Promise<void> };

/** Listens from soon on, until it is closed. Never throws. */
export function listen({ url, channel, onNotification, onListening, log }: ListenerOptions): Listener {
  let closed = false;
  let client: ReturnType<typeof createClient> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let retryMs = FIRST_RETRY_MS;

  async function connect(): Promise<void> {
    const mine = createClient({ url, applicationName: LISTENER, answerTimeoutMs: PING_EVERY_MS });
    client = mine;
    let lost = false;
    const lose = (error?: Error) => {
      if (lost) return;
      lost = true;
      void mine.end().catch(() => {});
      reconnectLater(error);
    };
    mine.on('error', lose);
    mine.on('end', () => lose());
    mine.on('notification', ({ payload = '' }) => onNotification(payload));
    try {
      await mine.connect();
      await mine.query(`listen ${channel}`);
      if (closed || lost) return;
      retryMs = FIRST_RETRY_MS;
      onListening();
      ping(mine, lose);
    } catch (error) {
      lose(error as Error);
    }
  }

  function ping(mine: NonNullable<typeof client>, lose: (error: Error) => void): void {
    timer = setTimeout(() => {
      mine.query('select').then(() => {
        if (mine === client && !closed) ping(mine, lose);
      }, lose);
    }, PING_EVERY_MS);
  }

  function reconnectLater(error: Error | undefined): void {
    clearTimeout(timer);
    if (closed) return;
    log.warn({ channel, ...(error && { err: error }) }, 'the connection that listens was lost');
    timer = setTimeout(() => void connect(), retryMs);
    retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
  }

  void connect();
  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      // With a query open the driver closes at once; without one it waits for the server to close, which may never happen.
      client?.query('select').catch(() => {});
      await client?.end().catch(() => {});
    },
  };
}
