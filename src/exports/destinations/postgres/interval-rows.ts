/** SQL that moves rows from the stages to the table: rows with versions are merged, all others replace the rows of their interval. */
import pg from 'pg';
import { rowIdColumn } from '../../../conditions/rows/rows-digest.ts';
import type { Delivery } from '../delivery.ts';
import type { RowVersions } from '../../../conditions/rows/columns.ts';
import { columnList, quoteName } from './identifiers.ts';
import { EXPORT_COLUMN, INTERVAL_COLUMN, type TableNames } from './tables.ts';

const literal = pg.escapeLiteral;

/** `change` are statements; `found` selects the row id of every staged row that the table holds afterwards. */
export type RowsSql = { change: string; found: string };

/** Condition for the interval's rows in the table. */
export function intervalSql({ exportId, start, end }: Delivery): string {
  return (
    `${EXPORT_COLUMN} = ${literal(exportId)}::uuid ` +
    `and ${INTERVAL_COLUMN} >= ${literal(start)}::timestamptz and ${INTERVAL_COLUMN} < ${literal(end)}::timestamptz`
  );
}

function rowIdOf({ columns }: Delivery): string {
  return quoteName(columns[rowIdColumn(columns)]!.name);
}

function insertSql({ target }: TableNames, { columns, exportId, start }: Delivery, from: string): string {
  const list = columnList(columns);
  return `insert into ${target} as present (${list}, ${EXPORT_COLUMN}, ${INTERVAL_COLUMN})
    select ${list}, ${literal(exportId)}::uuid, ${literal(start)}::timestamptz from ${from}`;
}

/** Replaces the interval's rows, including those of an earlier delivery. */
export function replaceSql(names: TableNames, delivery: Delivery, stages: readonly string[]): RowsSql {
  const inserts = stages.map((stage) => `${insertSql(names, delivery, stage)};`);
  return {
    change: `delete from ${names.target} where ${intervalSql(delivery)};\n${inserts.join('\n')}`,
    found: `select ${rowIdOf(delivery)} from ${names.target} where ${intervalSql(delivery)}`,
  };
}

/** SQL conditions on a row `present` in the table. `isOutdated`: a new row replaces it; `isUpToDate`: it is at least as new as another row. */
function precedence(version: string | null, start: string) {
  if (version === null) {
    const present = `present.${INTERVAL_COLUMN}`;
    const ours = `${literal(start)}::timestamptz`;
    return { isOutdated: `${present} is null or ${present} <= ${ours}`, isUpToDate: () => `${present} >= ${ours}` };
  }
  const [present, newer] = [`present.${quoteName(version)}`, quoteName(version)];
  return {
    isOutdated: `${present} is null or ${present} < excluded.${newer}`,
    isUpToDate: (other: string) => `${present} >= ${other}.${newer}`,
  };
}

/**
 * Writes each row under its key, unless a newer version is there, so intervals may be delivered in any order, any number of times.
 */
export function mergeSql(
  names: TableNames,
  delivery: Delivery,
  { key, version }: RowVersions,
  stages: readonly string[],
): RowsSql {
  if (stages.length === 0) return { change: '', found: 'select null::uuid where false' };
  const keys = key.map(quoteName);
  const { isOutdated, isUpToDate } = precedence(version, delivery.start);
  const others = delivery.columns.map(({ name }) => quoteName(name)).filter((name) => !keys.includes(name));
  const changed = [...others, EXPORT_COLUMN, INTERVAL_COLUMN];
  const staged = stages.map((stage) => `select ${columnList(delivery.columns)} from ${stage}`).join(' union all ');
  return {
    // The rows are in the order of the key, so two intervals that merge at the same time may wait for each other, but never deadlock.
    change: `${insertSql(names, delivery, `(${staged}) as staged order by ${keys.join(', ')}`)}
      on conflict (${keys.join(', ')}) do update
        set (${changed.join(', ')}) = row (${changed.map((name) => `excluded.${name}`).join(', ')})
        where ${isOutdated};`,
    found: `select staged.${rowIdOf(delivery)} from (${staged}) as staged join ${names.target} as present
      using (${keys.join(', ')}) where ${isUpToDate('staged')}`,
  };
}

/** Counts the rows of a table for which the target holds no version that is as new or newer. */
export function countLostSql(
  { target }: TableNames,
  { start }: Delivery,
  { key, version }: RowVersions,
  table: string,
): string {
  return `select count(*)::text as lost from ${table} as wanted where not exists (
    select from ${target} as present where ${precedence(version, start).isUpToDate('wanted')}
      and ${key.map((name) => `present.${quoteName(name)} = wanted.${quoteName(name)}`).join(' and ')})`;
}
