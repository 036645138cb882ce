/** Estimates the number of rows in some stretches of time before they are read. */
import type { Pool } from '../../platform/db/connection.ts';

/** Half-open, ISO; disjoint, oldest first. */
export type Stretch = { start: string; end: string };
export type Estimate = { rows: number; exact: boolean };

/** Table of each model; both have an index on (project_id, interval_time). */
const TABLES = { events: 'events', persons: 'person_versions' } as const;
export type EstimatedModel = keyof typeof TABLES;

/** Rows are counted exactly up to this number, which takes some tenths of a second. */
const MAX_COUNTED = 1_000_000;

const count = (table: string, max: number) => `
  select count(*)::int as rows from (
    select from unnest($2::timestamptz[], $3::timestamptz[]) as stretch (start, "end") cross join lateral (
      select from ${table} where project_id = $1 and interval_time >= stretch.start and interval_time < stretch."end"
    ) as row limit ${max}
  ) as rows
`;

/** A row of the answer to `explain (format json)`. */
export type ExplainAnswer = { 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] };

/** Rows that the planner expects of a query, by its statistics. */
export const plannedRows = ([answer]: readonly ExplainAnswer[]): number => answer!['QUERY PLAN'][0].Plan['Plan Rows'];

/**
 * All rows of the model, before any filter: counted in the index if they are few, otherwise estimated from the planner's statistics for the
 * whole period.
 */
export async function estimateRows(
  pool: Pool,
  model: EstimatedModel,
  projectId: number,
  stretches: readonly Stretch[],
  maxCounted = MAX_COUNTED,
): Promise<Estimate> {
  const [first, last] = [stretches[0], stretches.at(-1)];
  if (!first || !last) return { rows: 0, exact: true };
  const table = TABLES[model];
  const { rows } = await pool.query<{ rows: number }>(count(table, maxCounted), [
    projectId,
    stretches.map(({ start }) => start),
    stretches.map(({ end }) => end),
  ]);
  if (rows[0]!.rows < maxCounted) return { rows: rows[0]!.rows, exact: true };
  const { rows: plans } = await pool.query<ExplainAnswer>(
    `explain (format json) select from ${table} where project_id = $1 and interval_time >= $2 and interval_time < $3`,
    [projectId, first.start, last.end],
  );
  const coveredMs = stretches.reduce((sum, stretch) => sum + lengthOf(stretch), 0);
  const share = coveredMs / lengthOf({ start: first.start, end: last.end });
  const estimated = Math.round(plannedRows(plans) * share);
  return { rows: Math.max(estimated, maxCounted), exact: false };
}

function lengthOf({ start, end }: Stretch): number {
  return Date.parse(end) - Date.parse(start);
}
