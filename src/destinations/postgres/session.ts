/** A session on a table: parts are loaded into stage tables of their own, and one statement makes them the interval. */
import { createHash, randomBytes } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { DestinationUnavailable, Superseded } from '../../errors.ts';
import type { Delivery, PartSource, Session, SessionContext } from '../contract.ts';
import { artifactsAt } from '../recorded.ts';
import { openClient, type PostgresAccess, type PostgresClient } from './client.ts';
import { deliverRows, findReceipt } from './commit.ts';
import { isConnectionLost, sqlState, translate } from './errors.ts';
import { columnDefinitions, columnList, quoted, RESERVED } from './identifiers.ts';
import { prepareTables, type TableNames } from './tables.ts';
import { differences } from './verify.ts';

/** A stage that somebody is still loading is left for the next delivery to drop. */
const DROP_LOCK_TIMEOUT = '2s';
const LOCK_NOT_AVAILABLE = '55P03';

export type TableSession = {
  access: PostgresAccess;
  /** Which server, database and schema: stages recorded at another one are not ours to drop. */
  place: string;
  names: TableNames;
  delivery: Delivery;
  context: SessionContext;
};

export function tableSession({ access, place, names, delivery, context }: TableSession): Session {
  let connected: Promise<PostgresClient> | undefined;
  const inSchema = (table: string) => `${quoted(names.schema)}.${quoted(table)}`;

  /** Runs statements on the session's one connection. @throws our errors only */
  async function on<T>(work: (client: PostgresClient) => Promise<T>): Promise<T> {
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

  /** The stage is recorded before it exists, and must still be recorded when it does: else nobody would ever drop it. */
  async function createStage(part: number): Promise<{ id: string; table: string }> {
    const interval = createHash('sha256')
      .update(`${delivery.exportId}/${delivery.start}/${delivery.end}`)
      .digest('hex');
    const random = randomBytes(4).toString('hex');
    const table = `${RESERVED}stage_${interval.slice(0, 14)}_${delivery.epoch}_${part}_${random}`;
    const id = await context.artifacts.record({ place, table });
    await on((client) => client.query(`create table ${inSchema(table)} (${columnDefinitions(delivery.columns)})`));
    const recorded = await context.artifacts.list();
    if (recorded.some((record) => record.id === id)) return { id, table };
    await dropStage(table);
    throw new Superseded('Another run has taken over this data interval.');
  }

  /** @returns whether it is gone */
  async function dropStage(table: string): Promise<boolean> {
    return on(async (client) => {
      try {
        await client.query(
          `begin; set local lock_timeout = '${DROP_LOCK_TIMEOUT}'; drop table if exists ${inSchema(table)}; commit`,
        );
        return true;
      } catch (error) {
        await client.query('rollback').catch(() => {});
        if (sqlState(error) === LOCK_NOT_AVAILABLE) return false;
        throw error;
      }
    });
  }

  async function load(table: string, source: PartSource): Promise<void> {
    // What breaks in the source is not the destination's failure: it passes as it is.
    let broken: unknown;
    async function* rows() {
      try {
        yield* source.rows();
      } catch (error) {
        broken = error;
        throw error;
      }
    }
    const copied = await on(async (client) => {
      const copy = copyFrom(`copy ${inSchema(table)} (${columnList(delivery.columns)}) from stdin (format binary)`);
      await pipeline(rows(), client.query(copy), { signal: context.signal });
      return copy.rowCount;
    }).catch((error: unknown) => {
      throw broken ?? error;
    });
    const read = source.summary().rows;
    if (copied !== read) throw new DestinationUnavailable(`The database took ${copied} of ${read} rows.`);
  }

  async function dropRecorded(id: string, table: string): Promise<void> {
    if (await dropStage(table)) await context.artifacts.discard([id]);
    else context.log('warning', 'A stage table is still in use; the next delivery of the interval drops it.');
  }

  async function dropStages(): Promise<void> {
    for (const { id, artifact } of await artifactsAt(place, context)) await dropRecorded(id, String(artifact['table']));
  }

  return {
    location: `${names.schema}.${names.table}`,
    async write(part, source) {
      await on((client) => prepareTables(client, names, delivery));
      const { id, table } = await createStage(part.index);
      try {
        await context.step(`part-${part.index}-begin`);
        await load(table, source);
        await context.step(`part-${part.index}-end`);
      } catch (error) {
        // Best effort: what cannot be dropped now is recorded, and dropped later.
        await disconnect();
        await dropRecorded(id, table).catch(() => {});
        throw error;
      }
      return { ...source.summary(), index: part.index, staged: { table } };
    },
    async commit(parts) {
      await context.step('before-commit');
      await on((client) => prepareTables(client, names, delivery));
      await context.step('rows');
      const replace = () => on((client) => deliverRows(client, names, delivery, parts));
      // A connection that broke may have delivered all the same: made again, the statement finds out.
      const receipt = await replace().catch((error: unknown) => {
        if (error instanceof DestinationUnavailable && isConnectionLost(error.cause)) return replace();
        throw error;
      });
      await context.step('after-commit');
      await dropStages().catch(() => {
        context.log('warning', 'Some stage tables could not be dropped; the delivery itself is complete.');
      });
      return receipt;
    },
    async delivered() {
      const receipt = await on((client) => findReceipt(client, names, delivery));
      return receipt?.epoch === delivery.epoch ? receipt : undefined;
    },
    verify: (receipt, { deep, rows }) =>
      on((client) => differences(client, { names, delivery, receipt, ...(deep && rows && { rows }) })),
    discard: dropStages,
    close: disconnect,
  };
}
