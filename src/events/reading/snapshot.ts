/** Opens snapshots of the database in which the rows of a slice are final. */
import { takeCancellable } from '../../platform/db/cancellable.ts';
import type { Pool, PoolClient } from '../../platform/db/connection.ts';
import { Unavailable } from '../../platform/errors.ts';

export type Snapshot = {
  client: PoolClient;
  /** Ends the transaction and gives the connection back. */
  close(): Promise<void>;
  /** Closes the connection, whatever it is doing, and ends its query. Does nothing after `close`. */
  abandon(): void;
};

/**
 * Takes a connection of the pool into a read-only transaction with one snapshot for all its statements.
 * @param sealed instants that must be sealed in that snapshot
 * @param settings of the transaction, by name
 * @throws Unavailable when one of the instants is not sealed: rows may still appear before it
 */
export async function openSnapshot(
  pool: Pool,
  sealed: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<Snapshot> {
  const { client, identify, release, abandon } = await takeCancellable(pool);
  const snapshot: Snapshot = {
    client,
    async close() {
      await client.query('commit');
      release();
    },
    abandon,
  };
  try {
    await client.query('begin isolation level repeatable read read only');
    const { rows } = await client.query<{ backend: number; sealed: boolean }>(
      'select pg_backend_pid() as backend, sealed_until >= all($1::timestamptz[]) as sealed from seal',
      [sealed],
    );
    identify(rows[0]!.backend);
    // tooth: snapshot-sealed
    if (rows[0]!.sealed) {
      for (const [name, value] of Object.entries(settings)) {
        await client.query('select set_config($1, $2, true)', [name, value]);
      }
      return snapshot;
    }
    throw new Unavailable('The data interval is not sealed yet: events may still join it.', 1, {
      fault: { code: 'source_not_sealed', owner: 'sluice', field: null },
    });
  } catch (error) {
    abandon();
    throw error;
  }
}
