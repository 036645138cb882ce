/** Reads a data interval: counts its rows, divides it into parts, copies it out, digests it. */
import type { Pool, PoolClient } from '../../platform/db/connection.ts';
import type { Column, RowsDigest } from '../../conditions/rows/columns.ts';
import { isHashed, type Content } from '../../conditions/rows/content.ts';
import { rowsDigestSql } from '../../conditions/rows/rows-digest.ts';
import { copyOut } from './copy-out.ts';
import { markedPartsSql, measureEvents, type PlacedPart } from './events-apart.ts';
import { instantSql, integerSql } from './models/literals.ts';
import { betweenSql, measureRows, type Boundary, type PartLimits, type RowsSql, type SliceMeasure } from './parts.ts';
import { rowsOf, selectionOf, selectList, type Selection, type Slice } from './selection.ts';
import { translateReadError, timeoutSetting, type TimeLimit } from './patience.ts';
import { openSnapshot } from './snapshot.ts';
import { assertNotExpired, findExpiry } from './source-start.ts';
import { hashSettings } from './transform.ts';

export type { Boundary, PartRange } from './parts.ts';

export type EventReader = ReturnType<typeof eventReader>;

/**
 * `measure`, `copy` and `digest` throw Unavailable when the slice is not sealed, and InvalidInput (`source_expired`) when events of the slice
 * may be gone; the other methods need no seal.
 */
export function eventReader(pool: Pool) {
  return {
    /**
     * Counts a slice and divides it into parts; without rows there are none. The same slice and limits give the same parts as long as no
     * event is deleted. To measure all events of an interval, Postgres reads only the index `events_interval`, unless parts are by event.
     */
    async measure(slice: Slice, limits: PartLimits, { seconds }: TimeLimit = {}): Promise<SliceMeasure> {
      const selected = selectedRows(slice);
      return withSnapshot(pool, slice, selected.selection, seconds, (client) =>
        limits.events === undefined
          ? measureRows(client, selected, limits)
          : measureEvents(client, selected, { ...limits, events: limits.events }),
      );
    },

    /**
     * Copies out the rows of a slice, or of one part of it, as COPY BINARY in the order (interval_time, row id).
     * @param hashKey required for content with hashed properties
     * @param limit maximum number of rows, from the first
     * @returns a stream to be read once; it holds a connection, which leaving it early or aborting it closes
     * @throws the signal's reason when it is aborted
     * @throws InvalidInput when a query of the user's own cannot be computed
     */
    async *copy(
      slice: Slice & { from?: Boundary; to?: Boundary },
      columns: readonly Column[],
      { limit, ...options }: CopyOptions & { limit?: number } = {},
    ): AsyncGenerator<Uint8Array> {
      const { from, to, ...whole } = slice;
      const selected = selectedRows(whole);
      const { rowId, selection } = selected;
      // tooth: copy-order
      const sql = `select ${selectList(slice.content, selection, columns)} from ${selected.from}
        where ${[selected.where, ...betweenSql(rowId, { from, to })].join(' and ')}
        order by interval_time, ${rowId} ${limit === undefined ? '' : `limit ${integerSql(limit)}`}`;
      yield* copyRows(pool, whole, selection, sql, options);
    },

    /**
     * Copies out consecutive parts of a slice that was measured by event, in one reading. A field in front of the columns is null in rows.
     * Each part begins with a row of which that field is the part's number, and the others are null.
     * @param events as measured
     */
    async *copyParts(
      slice: Slice,
      columns: readonly Column[],
      { events, parts }: { events: readonly (string | null)[]; parts: readonly PlacedPart[] },
      options: CopyOptions = {},
    ): AsyncGenerator<Uint8Array> {
      const selected = selectedRows(slice);
      const list = selectList(slice.content, selected.selection, columns);
      const sql = markedPartsSql(selected, { events, parts, selectList: list, columns: columns.length });
      yield* copyRows(pool, slice, selected.selection, sql, options);
    },

    /** Counts and digests the rows of a slice as it is now. */
    async digest(slice: Slice): Promise<{ rows: number; digest: RowsDigest }> {
      const { from, where, rowId, selection } = selectedRows(slice);
      return withSnapshot(pool, slice, selection, undefined, async (client) => {
        const { rows } = await client.query<{ rows: string; digest: RowsDigest }>(
          `select count(*) as rows, ${rowsDigestSql(rowId)} as digest from ${from} where ${where}`,
        );
        return { rows: Number(rows[0]!.rows), digest: rows[0]!.digest };
      });
    },

    /**
     * The newest `interval_time` of a row of the content before an instant; null if there is none. It may be too new, because the query's own
     * conditions are ignored, and so is whether a newer version replaced the row.
     */
    async newestIntervalTime(
      projectId: number,
      content: Content,
      before: string,
      { seconds }: TimeLimit = {},
    ): Promise<string | null> {
      const { source } = selectionOf(content);
      const { conditions } = selectionOf({ ...content, model: source.model, query: null });
      const { from, where, hasRelationColumns } = source.history(projectId);
      const conditionsSql = [where, ...(hasRelationColumns ? conditions : [])].join(' and ');
      const snapshot = await openSnapshot(pool, [], timeoutSetting(content, seconds));
      try {
        const { rows } = await snapshot.client.query<{ interval_time: string }>(
          `select interval_time from ${from} where ${conditionsSql} and interval_time < ${instantSql(before)} order by interval_time desc limit 1`,
        );
        await snapshot.close();
        return rows[0]?.interval_time ?? null;
      } catch (error) {
        throw translateReadError(content, seconds, error);
      } finally {
        snapshot.abandon();
      }
    },

    /** As `findExpiry` of source-start.ts. */
    async findExpiry({ content, ...slice }: Pick<Slice, 'projectId' | 'start' | 'content'>): Promise<string | null> {
      return findExpiry(pool, slice, selectionOf(content));
    },

    /** Whether an import has added rows to a slice since its cutoff. No seal is needed. */
    async changedSince({ projectId, start, end, cutoff, content }: Slice): Promise<boolean> {
      const { source, conditions } = selectionOf(content, { start, end });
      if (!source.importable) return false;
      const { from, where } = source.history(projectId);
      const { rows } = await pool.query<{ changed: boolean }>(
        `select exists (
           select from import_ranges r cross join lateral (
             select from ${from} where ${[where, ...conditions].join(' and ')} and inserted_at >= $1
               and interval_time >= greatest(r.range_from, $2) and interval_time < least(r.range_to, $3)
             limit 1
           ) e
           where r.project_id = ${integerSql(projectId)} and r.inserted_at >= $1 and r.range_from < $3 and r.range_to > $2
         ) as changed`,
        [cutoff, start, end],
      );
      return rows[0]!.changed;
    },
  };
}

/** `hashKey`: for content that is hashed. */
type CopyOptions = TimeLimit & { signal?: AbortSignal; hashKey?: string | null };

async function* copyRows(
  pool: Pool,
  slice: Slice,
  selection: Selection,
  sql: string,
  { signal, hashKey, seconds }: CopyOptions,
): AsyncGenerator<Uint8Array> {
  // Without a key the database would hash with an empty one, which anybody can do.
  // tooth: hashed-with-key
  if (isHashed(slice.content) && !hashKey) throw new Error('Hashed content is read with a key');
  signal?.throwIfAborted();
  const settings = { ...timeoutSetting(slice.content, seconds), ...(hashKey && hashSettings(hashKey)) };
  const snapshot = await openSnapshot(pool, [slice.end, slice.cutoff], settings);
  try {
    await assertNotExpired(snapshot.client, slice, selection);
    yield* copyOut(snapshot.client, `copy (${sql}) to stdout (format binary)`, signal);
    await snapshot.close();
  } catch (error) {
    signal?.throwIfAborted();
    throw translateReadError(slice.content, seconds, error);
  } finally {
    snapshot.abandon();
  }
}

function selectedRows(slice: Slice): RowsSql & { selection: Selection } {
  const selection = selectionOf(slice.content, slice);
  const { rowId, bytes } = selection.source;
  return { ...rowsOf(slice, selection), rowId, bytes, selection };
}

async function withSnapshot<T>(
  pool: Pool,
  slice: Slice,
  selection: Selection,
  seconds: number | undefined,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const snapshot = await openSnapshot(pool, [slice.end, slice.cutoff], timeoutSetting(slice.content, seconds));
  try {
    await assertNotExpired(snapshot.client, slice, selection);
    const result = await work(snapshot.client);
    await snapshot.close();
    return result;
  } catch (error) {
    throw translateReadError(slice.content, seconds, error);
  } finally {
    snapshot.abandon();
  }
}
