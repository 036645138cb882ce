/** The switch that makes ingest store each state of a person once, and refer to it. It is off until an operator turns it on, and stays on. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from '../../platform/db/connection.ts';
import { inShortTransaction } from '../../platform/db/short-transaction.ts';
import { SQL_STATE, sqlState } from '../../platform/db/sql-states.ts';
import { Unavailable } from '../../platform/errors.ts';

const ATTEMPTS = 120;
/** Pause between two attempts, in which writers go on. */
const PAUSE_MS = 1_000;
const LOCKED = new Set<string | undefined>([SQL_STATE.lockNotAvailable, SQL_STATE.deadlockDetected]);

/** @returns when the switch was turned on; null: events carry copies */
export async function findSwitchedOnAt(pool: Pool): Promise<string | null> {
  const { rows } = await pool.query<{ turned_on_at: string | null }>('select turned_on_at from person_state_switch');
  return rows[0]!.turned_on_at;
}

/**
 * Turns the switch on, and renames the columns of copies: statements of versions that do not know references name these columns, and fail
 * from then on. An ingest transaction of this version that has read that the switch is off fails, too, and is repeated.
 * @returns whether it was off
 * @throws Unavailable when long transactions read events all the time
 */
export async function turnOnReferences(pool: Pool, { attempts = ATTEMPTS } = {}): Promise<boolean> {
  if ((await findSwitchedOnAt(pool)) === null) await createIndex(pool);
  for (let attempt = 1; ; attempt++) {
    try {
      return await turnOnOnce(pool);
    } catch (error) {
      if (!LOCKED.has(sqlState(error))) throw error;
      if (attempt === attempts)
        throw new Unavailable('Events are being read all the time: try again when fewer exports run.', 60, {
          cause: error,
        });
      await sleep(PAUSE_MS);
    }
  }
}

/** Creates the index by which an erasure finds versions that refer to a state. It is built beside writers, and anew where that was interrupted. */
async function createIndex(pool: Pool): Promise<void> {
  await pool.query('drop index concurrently if exists person_versions_person_state');
  await pool.query(
    'create index concurrently person_versions_person_state on person_versions (person_state) where person_state is not null',
  );
}

/** Waits a second for each lock, in the order of the ingest transaction: all that comes later waits behind it. */
async function turnOnOnce(pool: Pool): Promise<boolean> {
  return inShortTransaction(pool, async (client) => {
    await client.query('lock table person_versions, events in access exclusive mode');
    // Events with copies have earlier instants, as their transactions have ended.
    const { rowCount } = await client.query(
      'update person_state_switch set turned_on_at = clock_timestamp() where turned_on_at is null',
    );
    if (rowCount === 0) return false;
    await client.query(
      `alter table person_versions rename column properties to copied_properties;
       alter table events rename column person_properties to copied_person_properties`,
    );
    return true;
  });
}
