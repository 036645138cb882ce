/** Stores events: one transaction for many requests, repeated where Postgres asks for it, and never twice for one uuid. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseOptions, Pool } from '../../platform/db/connection.ts';
import { Unavailable } from '../../platform/errors.ts';
import type { EventRows, RowReference } from './event-rows.ts';
import { remedyOf } from './ingest-failures.ts';
import { createKnownPersons, type KnownPersons } from '../persons/known-persons.ts';
import { storeGroup } from './store-group.ts';
import type { IngestionWarning } from '../warnings/warnings.ts';

/** Required options of an ingest's pool: no writer may keep a seal or another writer waiting for long. */
export const INGEST_TIMEOUTS = {
  lockTimeoutMs: 2_000,
  statementTimeoutMs: 5_000,
  idleInTransactionTimeoutMs: 5_000,
} satisfies Partial<DatabaseOptions>;

/** Limit of a person's distinct ids. A change of a person is written once for each of them: 1,000 ids and 1 MB make a gigabyte. */
export const MAX_DISTINCT_IDS = 1_000;

const ATTEMPT_DELAYS_MS = [0, 10, 50, 250];
/**
 * Number of parts into which a group that took too long is split, so that one part succeeds even if the group would take many times the
 * limit.
 */
const PARTS_OF_SLOW_GROUP = 8;

/** For each request, the indexes of the rows that Postgres refused; all others are committed, by this call or an earlier one. */
export type RefusedRows = number[][];

export type Ingest = {
  /**
   * Stores requests of one project in one transaction (in several only when Postgres refuses a row, or takes too long). A uuid that is
   * stored already, or came earlier in this call, is not stored again.
   * @throws Unavailable when some may not have been stored; repeating is harmless
   */
  store(projectId: number, requests: readonly EventRows[]): Promise<RefusedRows>;
};

export type IngestOptions = {
  /** Total time that a client waits for the answer: each round trip may take half of it, and no attempt begins after it. */
  patienceMs?: number;
  /** Distinct ids that a person may get by merges; a person that has more keeps them. */
  maxDistinctIds?: number;
  /** Gets the warnings of events, once they are stored. */
  onWarnings?(projectId: number, warnings: readonly IngestionWarning[]): void;
};

/** @param pool made with INGEST_TIMEOUTS */
export function createIngest(
  pool: Pool,
  { patienceMs = 10_000, maxDistinctIds = MAX_DISTINCT_IDS, onWarnings = () => {} }: IngestOptions = {},
): Ingest {
  const knownPersons = createKnownPersons();

  return {
    async store(projectId, requests) {
      const references = requests.flatMap((rows) => rows.subjects.map((_, index) => ({ rows, index })));
      const refusedReferences = await storeAll(
        { pool, projectId, knownPersons, patienceMs, maxDistinctIds, onWarnings },
        references,
      );
      return requests.map((rows) => refusedReferences.filter((row) => row.rows === rows).map((row) => row.index));
    },
  };
}

type Target = Required<IngestOptions> & { pool: Pool; projectId: number; knownPersons: KnownPersons };

/**
 * @param deadline time of performance.now() after which no attempt is begun
 * @returns the rows that Postgres refused, found by halving until each is alone
 */
async function storeAll(
  target: Target,
  references: RowReference[],
  deadline = performance.now() + target.patienceMs,
): Promise<RowReference[]> {
  try {
    await storeRepeatedly(target, references, deadline);
    return [];
  } catch (error) {
    const remedy = remedyOf(error);
    const isAlone = references.length === 1;
    if (remedy === 'halve') return isAlone ? references : await storeParts(target, references, 2);
    if (remedy === 'divide' && !isAlone) return await storeParts(target, references, PARTS_OF_SLOW_GROUP, deadline);
    throw error;
  }
}

async function storeParts(
  target: Target,
  references: RowReference[],
  parts: number,
  deadline?: number,
): Promise<RowReference[]> {
  const refusedReferences: RowReference[] = [];
  const length = Math.ceil(references.length / parts);
  for (let index = 0; index < references.length; index += length) {
    refusedReferences.push(...(await storeAll(target, references.slice(index, index + length), deadline)));
  }
  return refusedReferences;
}

async function storeRepeatedly(target: Target, references: RowReference[], deadline: number): Promise<void> {
  let cause: unknown;
  for (const delayMs of ATTEMPT_DELAYS_MS) {
    if (performance.now() > deadline) break;
    if (delayMs > 0) await sleep(delayMs * (0.5 + Math.random()));
    try {
      const warnings = await storeOnce(target, references);
      if (warnings.length > 0) target.onWarnings(target.projectId, warnings);
      return;
    } catch (error) {
      const remedy = remedyOf(error);
      // After a lost connection it is unknown whether the transaction was committed; its claims make repeating it harmless.
      const mayRepeat = remedy === 'repeat' || (remedy === 'divide' && references.length === 1);
      if (!mayRepeat) throw error;
      cause = error;
    }
  }
  throw new Unavailable('Events cannot be stored right now.', 5, { cause });
}

async function storeOnce(
  { pool, projectId, knownPersons, patienceMs, maxDistinctIds }: Target,
  references: RowReference[],
): Promise<IngestionWarning[]> {
  const client = await pool.connect();
  try {
    const options = { timeoutMs: patienceMs / 2, knownPersons, maxDistinctIds };
    const warnings = await storeGroup(client, projectId, references, options);
    client.release();
    return warnings;
  } catch (error) {
    // The session may be in any state, depending on the error, so it is replaced.
    client.release(true);
    throw error;
  }
}
