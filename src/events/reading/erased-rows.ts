/** Rows of a data interval that are made of rows which are about to be erased. */
import type { Pool } from '../../platform/db/connection.ts';
import { InvalidInput } from '../../platform/errors.ts';
import type { Content, Model } from '../../conditions/rows/content.ts';
import type { ErasedEvent, ErasedVersion } from '../table/erasing.ts';
import { translateReadError } from './patience.ts';
import { rowsOf, selectionOf, type Selection, type Slice } from './selection.ts';

export type ErasedRows = { events: readonly ErasedEvent[]; versions: readonly ErasedVersion[] };

/** The relation that the content reads, and for how many hours before an interval its rows are made of events. */
export function erasableSourceOf(content: Content): { model: Model; hoursBefore: number } {
  const { model, eventsFromHoursBefore } = selectionOrNull(content)?.source ?? { model: content.model };
  return { model, hoursBefore: eventsFromHoursBefore ?? 0 };
}

/**
 * Counts the rows of a slice that are made of the erased rows, all of which lie in its window. Where the conditions cannot be computed any
 * more, all of them count. Of sessions, all that the events belong to.
 */
export async function countErasedRows(
  pool: Pool,
  slice: Omit<Slice, 'cutoff'>,
  { events, versions }: ErasedRows,
): Promise<number> {
  const selection = selectionOrNull(slice.content, slice);
  const model = selection?.source.model ?? slice.content.model;
  if (model === 'sessions') return new Set(events.flatMap(({ session }) => session ?? [])).size;
  const all = model === 'events' ? events.length : versions.length;
  // Of persons, a window has one version for each distinct id, so they are counted even without conditions.
  if (all === 0 || !selection || (model === 'events' && selection.conditions.length === 0)) return all;
  const { from, where } = rowsOf({ ...slice, cutoff: 'infinity' }, selection);
  const [isErased, values] =
    model === 'events'
      ? ['uuid = any ($1::uuid[])', [events.map(({ uuid }) => uuid)]]
      : [
          '(distinct_id, version) in (select * from unnest($1::text[], $2::bigint[]))',
          [versions.map(({ distinctId }) => distinctId), versions.map(({ version }) => version)],
        ];
  try {
    const { rows } = await pool.query<{ count: number }>(
      `select count(*)::int as count from ${from} where ${where} and ${isErased}`,
      values,
    );
    return rows[0]!.count;
  } catch (error) {
    if (translateReadError(slice.content, undefined, error) instanceof InvalidInput) return all;
    throw error;
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
