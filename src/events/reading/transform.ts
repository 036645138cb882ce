/** Hides or hashes values inside the database, before they leave it. */
import { createHash } from 'node:crypto';
import type { ColumnType } from '../../conditions/rows/columns.ts';
import type { Transformation } from '../../conditions/rows/content.ts';
import { textArraySql } from './models/literals.ts';

/** Block size of SHA-256 in bytes; HMAC pads its key to it. RFC 2104. */
const HASH_BLOCK_BYTES = 64;

/** The column that a path is about, and the keys that lead into its JSON; without keys it is the column itself. */
export function partsOfPath(path: string): { column: string; keys: string[] } {
  const [column = '', ...keys] = path.split('.');
  return { column, keys };
}

/** @param column untouched, with its `sql` @returns the column after the transformations; undefined: it is left out */
export function transformColumn(
  column: { name: string; type: ColumnType; sql: string },
  transformations: readonly Transformation[],
): { type: ColumnType; sql: string } | undefined {
  let { type, sql } = column;
  const ownSteps = transformations
    .map(({ path, action }) => ({ ...partsOfPath(path), action }))
    .filter((step) => step.column === column.name);
  for (const { keys, action } of ownSteps.filter((step) => step.keys.length > 0)) {
    sql = action === 'drop' ? withoutProperty(sql, keys) : `hash_property(${sql}, ${textArraySql(keys)})`;
  }
  const columnSteps = ownSteps.filter(({ keys }) => keys.length === 0);
  if (columnSteps.some(({ action }) => action === 'drop')) return undefined;
  if (columnSteps.length > 0) [type, sql] = ['text', `keyed_hash((${sql})::text)`];
  return { type, sql };
}

/**
 * `#-` alone fails if the path enters an array by a name, or a scalar; a property that `#>` does not find is absent.
 * OFFSET 0 keeps Postgres from writing the JSON's own expression out three times, and nine times under a second property.
 */
function withoutProperty(json: string, keys: readonly string[]): string {
  const path = textArraySql(keys);
  return `(select case when given #> ${path} is null then given else given #- ${path} end from (select ${json} offset 0) as one (given))`;
}

/**
 * Settings of the transaction that the database functions keyed_hash() and hash_property() read, so the key is in no statement.
 * @param key of the export
 */
export function hashSettings(key: string): Record<string, string> {
  const keyBytes = Buffer.from(key);
  const padded = Buffer.alloc(HASH_BLOCK_BYTES);
  (keyBytes.length > HASH_BLOCK_BYTES ? createHash('sha256').update(keyBytes).digest() : keyBytes).copy(padded);
  const xorWith = (byte: number) => Buffer.from(padded.map((each) => each ^ byte)).toString('hex');
  return { 'sluice.hash_inner': xorWith(0x36), 'sluice.hash_outer': xorWith(0x5c) };
}
