/** Storing events: one transaction for many requests, repeated where Postgres asks for it, and never twice for one uuid. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { DatabaseOptions, Pool } from '../db/connection.ts';
import { Unavailable } from '../errors.ts';
import type { EventRows, RowReference } from './event-rows.ts';
import { createKnownPersons, type KnownPersons } from './persons/known-persons.ts';
import { GroupTooLarge, PersonsChanged, storeGroup } from './store-group.ts';
import type { IngestionWarning } from './warnings.ts';

/** What the pool of an ingest must be made with: no writer may keep a seal or another writer waiting for long. */
export const INGEST_TIMEOUTS = {
  lockTimeoutMs: 2_000,
  statementTimeoutMs: 5_000,
  idleInTransactionTimeoutMs: 5_000,
} satisfies Partial<DatabaseOptions>;

const RETRY_DELAYS_MS = [10, 50, 250];
/** Serialization failure, deadlock, lock timeout: the same transaction may pass when it is repeated. */
const REPEATABLE = new Set(['40001', '40P01', '55P03']);
/** Connection, read-only, resources, operator, system: Postgres is not there, or not for us right now. */
const UNAVAILABLE_CLASSES = new Set(['08', '25', '53', '57', '58', 'XX']);
/** A check constraint; no event can break one of ours, and it is also the code of a missing partition. */
const NO_PARTITION = '23514';
/** What an event holds is not what a column can: data exception, constraint, and what all together make too large for a value. */
const BAD_DATA_CLASSES = new Set(['22', '23', '54']);

/** Per request the indexes of the rows that Postgres refused; all others are committed, now or before. */
export type Refused = number[][];

export type Ingest = {
  /**
   * Stores requests of one project in one transaction (in several only when Postgres refuses a row). A uuid that is stored
   * already, or came earlier in this call, is not stored again.
   * @throws Unavailable when nothing may have been stored; repeating is harmless
   */
  store(projectId: number, requests: readonly EventRows[]): Promise<Refused>;
};

export type IngestOptions = {
  /** Clients wait for the answer: no attempt takes longer than half of this, and after all of it none is begun. */
  patienceMs?: number;
  /** Told what events asked for and did not get, once they are stored. */
  onWarnings?(projectId: number, warnings: readonly IngestionWarning[]): void;
};

/** @param pool made with INGEST_TIMEOUTS */
export function createIngest(pool: Pool, { patienceMs = 10_000, onWarnings = () => {} }: IngestOptions = {}): Ingest {
  const knownPersons = createKnownPersons();

  return {
    async store(projectId, requests) {
      const references = requests.flatMap((rows) => rows.subjects.map((_, index) => ({ rows, index })));
      const refused = await storeOrHalve({ pool, projectId, knownPersons, patienceMs, onWarnings }, references);
      return requests.map((rows) => refused.filter((row) => row.rows === rows).map((row) => row.index));
    },
  };
}

type Target = Required<IngestOptions> & { pool: Pool; projectId: number; knownPersons: KnownPersons };

/** Also halves what is too large for one transaction. @returns the rows that Postgres refused, found by halving until each stands alone */
async function storeOrHalve(target: Target, references: RowReference[]): Promise<RowReference[]> {
  try {
    await storeRepeatedly(target, references);
    return [];
  } catch (error) {
    if (!(error instanceof GroupTooLarge) && !isBadData(error)) throw error;
    if (references.length === 1) return references;
  }
  const middle = references.length >> 1;
  const first = await storeOrHalve(target, references.slice(0, middle));
  return [...first, ...(await storeOrHalve(target, references.slice(middle)))];
}

async function storeRepeatedly(target: Target, references: RowReference[]): Promise<void> {
  const deadline = performance.now() + target.patienceMs;
  for (let attempt = 0; ; attempt++) {
    try {
      const warnings = await storeOnce(target, references);
      if (warnings.length > 0) target.onWarnings(target.projectId, warnings);
      return;
    } catch (error) {
      const delayMs = RETRY_DELAYS_MS[attempt];
      // After a lost connection nobody knows whether the transaction was committed: its claims make repeating it harmless.
      const repeatable = error instanceof PersonsChanged || REPEATABLE.has(sqlState(error)) || isUnavailable(error);
      if (error instanceof GroupTooLarge || !repeatable) throw error;
      if (delayMs === undefined || performance.now() > deadline)
        throw new Unavailable('Events cannot be stored right now.', 5, { cause: error });
      await sleep(delayMs * (0.5 + Math.random()));
    }
  }
}

async function storeOnce(
  { pool, projectId, knownPersons, patienceMs }: Target,
  references: RowReference[],
): Promise<IngestionWarning[]> {
  const client = await pool.connect();
  try {
    const warnings = await storeGroup(client, projectId, references, { timeoutMs: patienceMs / 2, knownPersons });
    client.release();
    return warnings;
  } catch (error) {
    // What state the session is in depends on the error; a new session is in none.
    client.release(true);
    throw error;
  }
}

function isBadData(error: unknown): boolean {
  return BAD_DATA_CLASSES.has(sqlClass(error)) && sqlState(error) !== NO_PARTITION;
}

function isUnavailable(error: unknown): boolean {
  return sqlState(error) === '' || sqlState(error) === NO_PARTITION || UNAVAILABLE_CLASSES.has(sqlClass(error));
}

function sqlClass(error: unknown): string {
  return sqlState(error).slice(0, 2);
}

/** @returns the five characters that Postgres names an error with; '' when it is not Postgres that speaks (a socket's error) */
function sqlState(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : '';
}
