/** The rows of a delivery as they are at the source, in a table that lasts for one transaction. */
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import type { Delivery } from '../delivery.ts';
import type { PostgresClient } from './client.ts';
import { columnDefinitions, columnList, RESERVED_PREFIX } from './identifiers.ts';

const WANTED = `${RESERVED_PREFIX}wanted`;

/** Commits what `work` does. @param source COPY BINARY with the delivery's columns @param work gets the name of the table */
export async function withWantedRows<T>(
  client: PostgresClient,
  { columns }: Pick<Delivery, 'columns'>,
  source: AsyncIterable<Uint8Array>,
  work: (wanted: string) => Promise<T>,
): Promise<T> {
  await client.query(`begin; create temp table ${WANTED} (${columnDefinitions(columns)}) on commit drop`);
  try {
    await pipeline(
      source,
      client.query(copyFrom(`copy ${WANTED} (${columnList(columns)}) from stdin (format binary)`)),
    );
    const result = await work(WANTED);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}
