/** Hides or hashes values inside the database, before they leave it. */
import { createHash } from 'node:crypto';
import type { ColumnType } from '../../conditions/rows/columns.ts';
import type { Transformation } from '../../conditions/rows/content.ts';
import { textArraySql } from './models/literals.ts';

/** Block size of SHA-256 in bytes; HMAC pads its key to it. RFC 2104. */
const HASH_BLOCK_BYTES = 64;

/** Splits a path into its column and the keys that lead into the column's JSON; without keys, the path is the whole column. */
export function partsOfPath(path: string): { column: string; keys: string[] } {
  const [column = '', ...keys] = path.split('.');
  return { column, keys };
}

/**
 * @param column before the transformations; `sql` is the expression that selects it
 * @returns the column after the transformations; undefined if one of them drops it
 */
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
 * Removes a property if the JSON has it. `#-` alone fails if the path leads into a scalar, or into an array by a name, so `#>` first looks
 * whether the property is there. OFFSET 0 keeps Postgres from inlining the JSON's expression at each of its three uses, which would be nine
 * when a second property is removed.
 */
function withoutProperty(json: string, keys: readonly string[]): string {
  const path = textArraySql(keys);
  return `(select case when given #> ${path} is null then given else given #- ${path} end from (select ${json} offset 0) as one (given))`;
}

/**
 * Settings of a transaction, which the database functions keyed_hash() and hash_property() read, so that the key is part of no statement.
 * @param key of the export
 */
export function hashSettings(key: string): Record<string, string> {
  const keyBytes = Buffer.from(key);
  const padded = Buffer.alloc(HASH_BLOCK_BYTES);
  (keyBytes.length > HASH_BLOCK_BYTES ? createHash('sha256').update(keyBytes).digest() : keyBytes).copy(padded);
  const xorWith = (byte: number) => Buffer.from(padded.map((each) => each ^ byte)).toString('hex');
  return { 'sluice.hash_inner': xorWith(0x36), 'sluice.hash_outer': xorWith(0x5c) };
}
