/** What an export of events may contain: names, types and where the values come from. */
import type { Column, ColumnType } from '../destinations/contract.ts';

type Source = { type: ColumnType; sql: string };

const FILE_SOURCES = {
  uuid: { type: 'uuid', sql: 'uuid' },
  event: { type: 'text', sql: 'event' },
  distinct_id: { type: 'text', sql: 'distinct_id' },
  person_id: { type: 'uuid', sql: 'person_id' },
  properties: { type: 'jsonb', sql: 'properties' },
  person_properties: { type: 'jsonb', sql: 'person_properties' },
  elements_chain: { type: 'text', sql: 'elements_chain' },
  timestamp: { type: 'timestamptz', sql: '"timestamp"' },
  created_at: { type: 'timestamptz', sql: 'created_at' },
  _inserted_at: { type: 'timestamptz', sql: 'inserted_at' },
} satisfies Record<string, Source>;

const TABLE_SOURCES = {
  ...FILE_SOURCES,
  team_id: { type: 'int4', sql: 'project_id' },
  ip: { type: 'text', sql: `properties ->> '$ip'` },
  // Events have not carried a site's address for years; tables of the contract still have the column.
  site_url: { type: 'text', sql: `''::text` },
  set: { type: 'jsonb', sql: `properties -> '$set'` },
  set_once: { type: 'jsonb', sql: `properties -> '$set_once'` },
} satisfies Record<string, Source>;

/** The columns of an event in a file, in order. */
export const FILE_COLUMNS: readonly Column[] = columnsOf(FILE_SOURCES);

/** The columns of an event in a table, in order. */
export const TABLE_COLUMNS: readonly Column[] = columnsOf(TABLE_SOURCES);

function columnsOf(sources: Record<string, Source>): Column[] {
  return Object.entries(sources).map(([name, { type }]) => ({ name, type }));
}

/** The SQL expressions of these columns over the table `events`, comma-separated. @throws Error for a column that is none of ours */
export function selectList(columns: readonly Column[]): string {
  const sources: Record<string, Source | undefined> = TABLE_SOURCES;
  return columns
    .map(({ name }) => {
      const source = sources[name];
      if (!source) throw new Error(`Events have no column ${name}`);
      return source.sql;
    })
    .join(', ');
}
