/** Connections whose statement can be ended from outside, whatever it is doing. */
import type { Pool, PoolClient } from './connection.ts';

export type CancellableConnection = {
  client: PoolClient;
  /** Remembers the connection's backend, which `abandon` asks to stop. @param pid from `pg_backend_pid()` */
  identify(pid: number): void;
  /** Gives the connection back, or closes it. Does nothing the second time. */
  release(destroy?: boolean): void;
  /** Closes the connection and ends its statement. Does nothing after `release`. */
  abandon(): void;
};

export async function takeCancellable(pool: Pool): Promise<CancellableConnection> {
  const client = await pool.connect();
  // The query also gets the error of a broken connection; without this listener the event would end the process.
  client.on('error', ignore);
  let backend: number | undefined;
  let isOpen = true;

  function release(destroy = false): void {
    if (!isOpen) return;
    isOpen = false;
    client.off('error', ignore);
    client.release(destroy);
  }
  return {
    client,
    identify(pid) {
      backend = pid;
    },
    release,
    abandon() {
      if (!isOpen) return;
      release(true);
      // Postgres notices a closed connection only when it writes the next row, which may take long; it obeys a request to cancel at once.
      if (backend !== undefined) pool.query('select pg_cancel_backend($1)', [backend]).catch(ignore);
    },
  };
}

function ignore(): void {}
