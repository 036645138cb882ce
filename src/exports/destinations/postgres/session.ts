/** A session on a table: each part is loaded into a stage table, and one statement moves all stages to the target. */
import { createHash, randomBytes } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { SQL_STATE, sqlState } from '../../../platform/db/sql-states.ts';
import { DestinationUnavailable, StagedLost, Superseded } from '../../../platform/errors.ts';
import type { PartSource, Session, SessionContext } from '../contract.ts';
import type { Delivery } from '../delivery.ts';
import { listArtifactsAt } from '../recorded.ts';
import { openClient, type PostgresAccess, type PostgresClient } from './client.ts';
import { deliverRows } from './commit.ts';
import { isConnectionLost, translate } from './errors.ts';
import { postgresFault } from './faults.ts';
import { columnDefinitions, columnList, quoteName, RESERVED_PREFIX } from './identifiers.ts';
import { addTimelineColumn, findReceipt } from './ledger.ts';
import { prepareTables, type TableNames } from './tables.ts';
import { searchTable } from './search.ts';
import { findDifferences } from './verify.ts';

/** A stage that is still being loaded is left for the next delivery to drop. */
const DROP_LOCK_TIMEOUT = '2s';

export type TableSession = {
  access: PostgresAccess;
  /** Server, database and schema; stages that were recorded at another place are not dropped here. */
  place: string;
  names: TableNames;
  delivery: Delivery;
  context: SessionContext;
};

export function tableSession({ access, place, names, delivery, context }: TableSession): Session {
  let connected: Promise<PostgresClient> | undefined;
  const qualifiedName = (table: string) => `${quoteName(names.schema)}.${quoteName(table)}`;

  /** Runs statements on the session's one connection. @throws our errors only */
  async function runOnConnection<T>(work: (client: PostgresClient) => Promise<T>): Promise<T> {
    connected ??= openClient(access);
    const client = await connected.catch((error: unknown) => {
      connected = undefined;
      throw error;
    });
    try {
      return await work(client);
    } catch (error) {
      if (isConnectionLost(error)) await disconnect();
      context.signal.throwIfAborted();
      return translate(error);
    }
  }

  async function disconnect(): Promise<void> {
    const client = await connected?.catch(() => undefined);
    connected = undefined;
    await client?.end().catch(() => {});
  }

  /** Prefix of the stages of one part, the same for every attempt; a name in Postgres has at most 63 bytes. */
  function stagePrefix(part: number): string {
    const interval = createHash('sha256')
      .update(`${delivery.exportId}/${delivery.start}/${delivery.end}`)
      .digest('hex');
    return `${RESERVED_PREFIX}stage_${interval.slice(0, 14)}_${delivery.epoch}_${part}_`;
  }

  /** Creates a stage, after recording it. If the record is gone once the stage exists, no delivery would ever drop the stage: drop it here. */
  async function createStage(part: number): Promise<{ id: string; table: string }> {
    const table = `${stagePrefix(part)}${randomBytes(4).toString('hex')}`;
    const id = await context.artifacts.record({ place, table });
    await runOnConnection((client) =>
      client.query(`create table ${qualifiedName(table)} (${columnDefinitions(delivery.columns)})`),
    );
    const recorded = await context.artifacts.list();
    if (recorded.some((record) => record.id === id)) return { id, table };
    await dropStage(table);
    throw new Superseded('Another run has taken over this data interval.');
  }

  /** @returns whether the stage is gone */
  async function dropStage(table: string): Promise<boolean> {
    return runOnConnection(async (client) => {
      try {
        await client.query(
          `begin; set local lock_timeout = '${DROP_LOCK_TIMEOUT}'; drop table if exists ${qualifiedName(table)}; commit`,
        );
        return true;
      } catch (error) {
        await client.query('rollback').catch(() => {});
        if (sqlState(error) === SQL_STATE.lockNotAvailable) return false;
        throw error;
      }
    });
  }

  async function load(table: string, source: PartSource): Promise<void> {
    // A failure of the source is not the destination's, so it is rethrown unchanged.
    let sourceError: unknown;
    async function* rows() {
      try {
        yield* source.rows();
      } catch (error) {
        sourceError = error;
        throw error;
      }
    }
    const copied = await runOnConnection(async (client) => {
      const copy = copyFrom(
        `copy ${qualifiedName(table)} (${columnList(delivery.columns)}) from stdin (format binary)`,
      );
      await pipeline(rows(), client.query(copy), { signal: context.signal });
      return copy.rowCount;
    }).catch((error: unknown) => {
      throw sourceError ?? error;
    });
    const rowsRead = source.summary().rows;
    if (copied !== rowsRead)
      throw postgresFault('rows_not_taken', { sentence: `The database took ${copied} of ${rowsRead} rows.` });
  }

  async function dropRecorded(id: string, table: string): Promise<void> {
    if (await dropStage(table)) await context.artifacts.discard([id]);
    else context.log('warning', 'A stage table is still in use; the next delivery of the interval drops it.');
  }

  async function dropStages(): Promise<void> {
    const ours = await listArtifactsAt((artifact) => artifact['place'] === place, context);
    for (const { id, artifact } of ours) await dropRecorded(id, String(artifact['table']));
  }

  return {
    location: `${names.schema}.${names.table}`,
    async write(part, source) {
      await runOnConnection((client) => prepareTables(client, names, delivery));
      const { id, table } = await createStage(part.index);
      try {
        await context.step(`part-${part.index}-begin`);
        await load(table, source);
        await context.step(`part-${part.index}-end`);
      } catch (error) {
        // Best effort: stages that cannot be dropped now are recorded, and dropped later.
        await disconnect();
        await dropRecorded(id, table).catch(() => {});
        throw error;
      }
      return { ...source.summary(), index: part.index, staged: { table } };
    },
    async commit(parts) {
      for (const { index, staged } of parts) {
        if (String(staged['table']).startsWith(stagePrefix(index))) continue;
        throw new StagedLost(
          'A part was staged under a name that is not the plan’s. Sluice will deliver the interval again.',
        );
      }
      await context.step('before-commit');
      await runOnConnection(async (client) => {
        await prepareTables(client, names, delivery);
        await addTimelineColumn(client, names);
      });
      await context.step('rows');
      const replace = async () => deliverRows(runOnConnection, names, delivery, parts, context.ownership);
      // The statement may have succeeded although the connection broke; a repetition finds that out.
      const receipt = await replace().catch((error: unknown) => {
        if (!(error instanceof DestinationUnavailable)) throw error;
        if (isConnectionLost(error.cause)) return replace();
        // The missing table is a stage: a later run dropped it, or the database was restored from a copy without it.
        if (sqlState(error.cause) === SQL_STATE.undefinedTable)
          throw new Superseded('What was staged is no longer there.', { cause: error });
        throw error;
      });
      await context.step('after-commit');
      await dropStages().catch(() => {
        context.log('warning', 'Some stage tables could not be dropped; the delivery itself is complete.');
      });
      return receipt;
    },
    async findReceipt() {
      const receipt = await runOnConnection((client) => findReceipt(client, names, delivery));
      return receipt?.epoch === delivery.epoch && receipt.run_id === delivery.runId ? receipt : undefined;
    },
    async findPresentDelivery() {
      const receipt = await runOnConnection((client) => findReceipt(client, names, delivery));
      return receipt && { receipt, isKnown: await context.ownership.knowsRun(receipt.run_id) };
    },
    verify: (receipt, { deep, rows }) =>
      runOnConnection((client) => findDifferences(client, { names, delivery, receipt, ...(deep && rows && { rows }) })),
    async *search(receipt, search) {
      if (search.skip === 0)
        yield await runOnConnection((client) => searchTable(client, { names, delivery, receipt, search }));
    },
    async discard() {
      await dropStages();
      return [];
    },
    close: disconnect,
  };
}
