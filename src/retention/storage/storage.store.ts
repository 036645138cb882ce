/** Measures how much of the database a project takes. */
import { plannedRows, type ExplainAnswer } from '../../events/table/estimate.ts';
import type { Knex } from '../../platform/db/connection.ts';
import { PROJECT_TABLES, type Owner, type ProjectTable } from './project-tables.ts';

/**
 * Rows of a project in a table. `bytes`: their share of the table's size on disk, with indexes; null if Postgres has no statistics of the
 * table yet. `oldest`: ISO, in microseconds; null if there is none, or no index finds it among many rows.
 */
export type TableStorage = {
  table: string;
  rows: number;
  rowsAreEstimated: boolean;
  bytes: number | null;
  oldest: string | null;
};

/** Rows are counted exactly up to this number, which takes some milliseconds for each table. */
const MAX_COUNTED = 10_000;

/** SQL condition for the rows of a project, `?`. */
const CONDITIONS: Record<Owner, string> = {
  project: 'project_id = ?',
  'batch export': 'batch_export_id in (select id from batch_exports where project_id = ?)',
  run: 'run_id in (select id from batch_export_runs where project_id = ?)',
  backfill: 'backfill_id in (select id from batch_export_backfills where project_id = ?)',
};

/** Owners that may be many: their rows are looked up owner by owner, so that the rows of other projects are not read. */
const OWNERS: Partial<Record<Owner, { table: string; column: string }>> = {
  'batch export': { table: 'batch_exports', column: 'batch_export_id' },
  run: { table: 'batch_export_runs', column: 'run_id' },
  backfill: { table: 'batch_export_backfills', column: 'backfill_id' },
};

export type StorageStore = ReturnType<typeof storageStore>;

/** @param maxCounted tables with more rows of the project than this are estimated */
export function storageStore(db: Knex, maxCounted = MAX_COUNTED) {
  return {
    /** Measures the project's rows in each growing table, one after another, so that a request takes one connection. */
    async measure(projectId: number): Promise<TableStorage[]> {
      const bytesPerRow = await measureBytesPerRow(db);
      const measured: TableStorage[] = [];
      for (const [table, projectTable] of Object.entries(PROJECT_TABLES)) {
        const counted = await countRows(db, { table, ...projectTable }, projectId, maxCounted);
        measured.push({ table, ...counted, bytes: bytesOf(counted.rows, bytesPerRow.get(table)) });
      }
      return measured;
    },
  };
}

function bytesOf(rows: number, bytesPerRow: number | undefined): number | null {
  if (rows === 0) return 0;
  return bytesPerRow === undefined ? null : Math.round(bytesPerRow * rows);
}

type Named = ProjectTable & { table: string };
type Counted = { rows: number; owners: number; oldest: string | null };

async function countRows(db: Knex, named: Named, projectId: number, maxCounted: number) {
  const { table, owner, clock, clockIsIndexed } = named;
  const most = maxCounted + 1;
  const { rows } = await db.raw<{ rows: [Counted] }>(
    countSql(named),
    OWNERS[owner] ? [projectId, most, most] : [projectId, most],
  );
  const [counted] = rows;
  if (counted.rows <= maxCounted && counted.owners <= maxCounted)
    return { rows: counted.rows, rowsAreEstimated: false, oldest: counted.oldest };
  return {
    rows: Math.max(counted.rows, await estimateRows(db, named, projectId)),
    rowsAreEstimated: true,
    oldest: clock && clockIsIndexed ? await findOldest(db, table, clock, projectId) : null,
  };
}

function countSql({ table, owner, clock }: Named): string {
  const age = `${clock ?? 'null'}::timestamptz as clock`;
  const owners = OWNERS[owner];
  if (!owners)
    return `select count(*)::int as rows, 0 as owners, min(clock) as oldest
      from (select ${age} from ${table} where ${CONDITIONS[owner]} limit ?) as counted`;
  // `offset 0` keeps the planner from reading the whole table.
  return `with owners as materialized (select id from ${owners.table} where project_id = ? limit ?)
    select count(*)::int as rows, (select count(*)::int from owners) as owners, min(clock) as oldest
    from (
      select clock from owners
      cross join lateral (select ${age} from ${table} where ${owners.column} = owners.id offset 0) as owned limit ?
    ) as counted`;
}

/** Rows by the planner's statistics. */
async function estimateRows(db: Knex, { table, owner }: Named, projectId: number): Promise<number> {
  const { rows } = await db.raw<{ rows: ExplainAnswer[] }>(
    `explain (format json) select from ${table} where ${CONDITIONS[owner]}`,
    [projectId],
  );
  return plannedRows(rows);
}

async function findOldest(db: Knex, table: string, clock: string, projectId: number): Promise<string | null> {
  const { rows } = await db.raw<{ rows: { oldest: string }[] }>(
    `select ${clock}::timestamptz as oldest from ${table} where project_id = ? order by ${clock} limit 1`,
    [projectId],
  );
  return rows[0]?.oldest ?? null;
}

/** Rows of a table when it was last analyzed, or as Postgres has counted changes since its creation. */
const LIVE_ROWS = 'case when class.reltuples > 0 then class.reltuples else stats.n_live_tup end';

/** Bytes on disk for each row of a table, with its indexes; of a partitioned table, over all partitions. */
async function measureBytesPerRow(db: Knex): Promise<Map<string, number>> {
  const { rows } = await db.raw<{ rows: { name: string; perRow: number }[] }>(
    `select coalesce(pg_partition_root(class.oid), class.oid)::regclass::text as name,
            sum(pg_total_relation_size(class.oid))::float8 / sum(${LIVE_ROWS}) as "perRow"
     from pg_class as class join pg_stat_user_tables as stats on stats.relid = class.oid
     where class.relkind = 'r' and class.relnamespace = current_schema()::regnamespace
     group by 1 having sum(${LIVE_ROWS}) > 0`,
  );
  return new Map(rows.map(({ name, perRow }) => [name, perRow]));
}
