/** Rows of data intervals that are made of rows which are about to be erased. */
import type { Pool } from '../../platform/db/connection.ts';
import { inShortTransaction } from '../../platform/db/short-transaction.ts';
import { InvalidInput } from '../../platform/errors.ts';
import type { Content, Model } from '../../conditions/rows/content.ts';
import type { ErasedEvent, ErasedVersion } from '../table/erasing.ts';
import { integerSql } from './models/literals.ts';
import { translateReadError } from './patience.ts';
import { rowsOf, selectionOf, type Selection } from './selection.ts';

export type ErasedRows = { events: readonly ErasedEvent[]; versions: readonly ErasedVersion[] };

/** A data interval as a run with this content reads it, and the erased rows among which its rows are. */
export type ErasedWindow = { start: string; end: string; content: Content; rows: ErasedRows };

/** Limit of each statement, below that of a step of the reconciler. */
const PATIENCE_SECONDS = 10;

/** The relation that the content reads, and for how many hours before an interval its rows are made of events. */
export function erasableSourceOf(content: Content): { model: Model; hoursBefore: number } {
  const { model, eventsFromHoursBefore } = selectionOrNull(content)?.source ?? { model: content.model };
  return { model, hoursBefore: eventsFromHoursBefore ?? 0 };
}

/**
 * Counts the rows of each window that are made of its erased rows. Where the conditions cannot be computed any more, or not in time, all of
 * them count. Of sessions, all that the events belong to.
 */
export async function countErasedRows(
  pool: Pool,
  projectId: number,
  windows: readonly ErasedWindow[],
): Promise<number[]> {
  const counts = windows.map(() => 0);
  // Windows with the same conditions are counted by one statement, which reads nothing but the erased rows.
  const alike = new Map<string, { selection: Selection; indexes: number[] }>();
  for (const [index, window] of windows.entries()) {
    const { content, rows } = window;
    const selection = selectionOrNull(content, window);
    const model = selection?.source.model ?? content.model;
    const { events, versions } = rows;
    const all = model === 'events' ? events.length : versions.length;
    if (model === 'sessions') counts[index] = new Set(events.flatMap(({ session }) => session ?? [])).size;
    else if (all === 0 || !selection || (model === 'events' && selection.conditions.length === 0)) counts[index] = all;
    else {
      const key = JSON.stringify([model, selection.conditions]);
      const group = alike.get(key) ?? { selection, indexes: [] };
      alike.set(key, { selection, indexes: [...group.indexes, index] });
    }
  }
  for (const { selection, indexes } of alike.values()) {
    const group = indexes.map((index) => windows[index]!);
    const found = await (selection.source.model === 'events' ? countEvents : countVersions)(
      pool,
      projectId,
      selection,
      group,
    );
    for (const [place, index] of indexes.entries()) counts[index] = found[place]!;
  }
  return counts;
}

type Count = (
  pool: Pool,
  projectId: number,
  selection: Selection,
  windows: readonly ErasedWindow[],
) => Promise<number[]>;

const countEvents: Count = async (pool, projectId, selection, windows) => {
  const rows = windows.flatMap(({ rows: { events } }, window) => events.map((event) => ({ ...event, window })));
  const start = rows.map(({ intervalTime }) => intervalTime).sort()[0]!;
  const end = windows
    .map((window) => window.end)
    .sort()
    .at(-1)!;
  const { content } = windows[0]!;
  // The bounds let Postgres plan with the partitions of these rows only.
  const { from, where } = rowsOf({ projectId, start, end, cutoff: 'infinity', content }, selection);
  return countSelected(
    pool,
    windows,
    rows.map(({ window }) => window),
    `unnest($2::timestamptz[], $3::uuid[]) with ordinality as erased (erased_time, erased_uuid, n) cross join lateral (
       select from ${from} where ${where} and interval_time = erased_time and uuid = erased_uuid limit 1) as stored`,
    [rows.map(({ intervalTime }) => intervalTime), rows.map(({ uuid }) => uuid)],
  );
};

/** A window has one version for each distinct id, the latest. */
const countVersions: Count = async (pool, projectId, { source, conditions }, windows) => {
  const rows = windows.flatMap(({ end, rows: { versions } }, window) =>
    versions.map((version) => ({ ...version, window, end })),
  );
  const { from, where } = source.history(projectId);
  return countSelected(
    pool,
    windows,
    rows.map(({ window }) => window),
    `unnest($2::text[], $3::bigint[], $4::timestamptz[]) with ordinality as erased (erased_id, erased_version, window_end, n)
     cross join lateral (
       select from ${from} where ${[where, ...conditions].join(' and ')} and distinct_id = erased_id and version = erased_version limit 1) as stored
     where not exists (
       select from person_versions as later where later.project_id = ${integerSql(projectId)} and later.distinct_id = erased_id
         and later.version > erased_version and later.interval_time < window_end)`,
    [rows.map(({ distinctId }) => distinctId), rows.map(({ version }) => version), rows.map(({ end }) => end)],
  );
};

/** @param windowOfRow the index of each erased row's window @param selected SQL of the erased rows that are selected, by their number `n` */
async function countSelected(
  pool: Pool,
  windows: readonly ErasedWindow[],
  windowOfRow: readonly number[],
  selected: string,
  values: readonly unknown[],
): Promise<number[]> {
  try {
    return await inShortTransaction(pool, async (client) => {
      await client.query(`set local statement_timeout = '${PATIENCE_SECONDS}s'`);
      const { rows } = await client.query<{ window: number; count: number }>(
        `select ($1::int[])[n] as "window", count(*)::int as count from ${selected} group by 1`,
        [windowOfRow, ...values],
      );
      const counts = new Map(rows.map(({ window, count }) => [window, count]));
      return windows.map((_, window) => counts.get(window) ?? 0);
    });
  } catch (error) {
    if (!(translateReadError(windows[0]!.content, PATIENCE_SECONDS, error) instanceof InvalidInput)) throw error;
    const counts = windows.map(() => 0);
    for (const window of windowOfRow) counts[window]! += 1;
    return counts;
  }
}

function selectionOrNull(content: Content, interval?: { start: string; end: string }): Selection | null {
  try {
    return selectionOf(content, interval);
  } catch (error) {
    if (error instanceof InvalidInput) return null;
    throw error;
  }
}
