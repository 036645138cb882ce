/** Reads a data interval: counts its rows, divides it into parts, copies it out, digests it. */
import type { Pool, PoolClient } from '../../platform/db/connection.ts';
import type { Column, RowsDigest } from '../../conditions/rows/columns.ts';
import { isHashed, type Content } from '../../conditions/rows/content.ts';
import { rowsDigestSql } from '../../conditions/rows/rows-digest.ts';
import { copyOut } from './copy-out.ts';
import { instantSql, integerSql, uuidSql } from './models/literals.ts';
import { rowsOf, selectionOf, selectList, type Selection, type Slice } from './selection.ts';
import { translateReadError, timeoutSetting, type Patience } from './patience.ts';
import { openSnapshot } from './snapshot.ts';
import { assertNotExpired, findExpiry } from './source-start.ts';
import { hashSettings } from './transform.ts';

/** A row's position in the order of a slice; `uuid` is the row's id. */
export type Boundary = { intervalTime: string; uuid: string };

/** A piece of a slice, from `from` (included) to `to` (excluded); a missing boundary is the slice's own. */
export type PartRange = { rows: number; from?: Boundary; to?: Boundary };

/**
 * Limits of a part. Bytes are counted as uncompressed JSON lines and may be exceeded by one row. If there are more than `parts` parts,
 * the answer has `parts + 1`, the last of which holds all remaining rows.
 */
export type PartLimits = { rows: number; bytes: number; parts?: number };

export type SliceMeasure = { rows: number; bytes: number; parts: PartRange[] };

export type EventReader = ReturnType<typeof eventReader>;

/**
 * `measure`, `copy` and `digest` throw Unavailable when the slice is not sealed, and InvalidInput (`source_expired`) when events of the slice
 * may be gone; the other methods need no seal.
 */
export function eventReader(pool: Pool) {
  return {
    /**
     * Counts a slice and divides it into parts; without rows there are none. The same slice and limits give the same parts as long as no
     * event is deleted. To measure all events of an interval, Postgres reads only the index `events_interval`.
     */
    async measure(slice: Slice, limits: PartLimits, { seconds }: Patience = {}): Promise<SliceMeasure> {
      const selected = selectedRows(slice);
      return withSnapshot(pool, slice, selected.selection, seconds, async (client) => {
        const { rows, bytes } = await countRowsAndBytes(client, selected);
        if (rows === 0) return { rows, bytes, parts: [] };
        if (rows <= limits.rows && bytes <= limits.bytes) return { rows, bytes, parts: [{ rows }] };
        return { rows, bytes, parts: partRanges(await partStarts(client, selected, limits), rows) };
      });
    },

    /**
     * Copies out the rows of a slice, or of one part of it, as COPY BINARY in the order (interval_time, row id).
     * @param hashKey for content that is hashed
     * @param limit maximum number of rows, from the first
     * @returns a stream to be read once; it holds a connection, which leaving it early or aborting it closes
     * @throws the signal's reason when it is aborted
     * @throws InvalidInput when a query of the user's own cannot be computed
     */
    async *copy(
      slice: Slice & { from?: Boundary; to?: Boundary },
      columns: readonly Column[],
      {
        signal,
        hashKey,
        limit,
        seconds,
      }: Patience & { signal?: AbortSignal; hashKey?: string | null; limit?: number } = {},
    ): AsyncGenerator<Uint8Array> {
      const { from, where, rowId, selection } = selectedPartRows(slice);
      // tooth: copy-order
      const sql = `copy (select ${selectList(slice.content, selection, columns)} from ${from} where ${where}
        order by interval_time, ${rowId} ${limit === undefined ? '' : `limit ${integerSql(limit)}`}) to stdout (format binary)`;
      // Without a key the database would hash with an empty one, which anybody can do.
      // tooth: hashed-with-key
      if (isHashed(slice.content) && !hashKey) throw new Error('Hashed content is read with a key');
      signal?.throwIfAborted();
      const settings = { ...timeoutSetting(slice.content, seconds), ...(hashKey && hashSettings(hashKey)) };
      const snapshot = await openSnapshot(pool, [slice.end, slice.cutoff], settings);
      try {
        await assertNotExpired(snapshot.client, slice, selection);
        yield* copyOut(snapshot.client, sql, signal);
        await snapshot.close();
      } catch (error) {
        signal?.throwIfAborted();
        throw translateReadError(slice.content, seconds, error);
      } finally {
        snapshot.abandon();
      }
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
     * The newest `interval_time` before an instant at which the content may have a row; null: it has none. Ignores both
     * the query's own conditions and which version of a row is the latest.
     */
    async newestIntervalTime(
      projectId: number,
      content: Content,
      before: string,
      { seconds }: Patience = {},
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

    /** The instant before which the slice's source has expired; null while all of the slice is kept. */
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

/** SQL of a slice's rows. */
type SelectedRows = { from: string; where: string; rowId: string; bytes: string; selection: Selection };

function selectedRows(slice: Slice): SelectedRows {
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

async function countRowsAndBytes(
  client: PoolClient,
  { from, where, bytes: estimate }: SelectedRows,
): Promise<{ rows: number; bytes: number }> {
  const { rows } = await client.query<{ rows: string; bytes: string }>(
    `select count(*) as rows, coalesce(sum(${estimate}), 0) as bytes from ${from} where ${where}`,
  );
  return { rows: Number(rows[0]!.rows), bytes: Number(rows[0]!.bytes) };
}

type PartStart = { interval_time: string; uuid: string; rows_before: string };

/**
 * Finds the first row of each part. A row's cost is the larger of its shares of the two limits, scaled by their product to stay an integer.
 * A row belongs to the part in which the total cost of the rows before it falls, so a part exceeds a limit by one row at most.
 */
async function partStarts(
  client: PoolClient,
  { from, where, rowId, bytes }: SelectedRows,
  limits: PartLimits,
): Promise<PartStart[]> {
  const { rows } = await client.query<PartStart>(
    `select interval_time, uuid, rows_before
     from (
       select *, lag(part) over (order by rows_before) as part_before
       from (
         select interval_time, uuid, row_number() over w - 1 as rows_before,
                div(sum(cost) over w - cost, $1::bigint * $2::bigint) as part
         from (
           select interval_time, ${rowId} as uuid, greatest($2::bigint, (${bytes}) * $1::bigint) as cost
           from ${from} where ${where}
         ) as costs
         window w as (order by interval_time, uuid rows unbounded preceding)
       ) as numbered
     ) as neighbours
     where part is distinct from part_before order by rows_before limit $3`,
    [limits.rows, limits.bytes, limits.parts === undefined ? null : limits.parts + 1],
  );
  return rows;
}

function partRanges(starts: readonly PartStart[], total: number): PartRange[] {
  const boundaries = starts.map((row) => ({ intervalTime: row.interval_time, uuid: row.uuid }));
  return starts.map((start, i) => {
    const from = boundaries[i];
    const to = boundaries[i + 1];
    const end = Number(starts[i + 1]?.rows_before ?? total);
    return { rows: end - Number(start.rows_before), ...(i > 0 && from && { from }), ...(to && { to }) };
  });
}

function selectedPartRows({ from, to, ...slice }: Slice & { from?: Boundary; to?: Boundary }): SelectedRows {
  const rows = selectedRows(slice);
  const { rowId } = rows;
  // tooth: part-from
  // tooth: part-to
  const conditions = [
    rows.where,
    // Compares `interval_time` alone, too, because Postgres cannot choose the monthly partitions by the row comparison.
    ...(from
      ? [`interval_time >= ${instantSql(from.intervalTime)}`, `(interval_time, ${rowId}) >= ${boundarySql(from)}`]
      : []),
    ...(to ? [`(interval_time, ${rowId}) < ${boundarySql(to)}`] : []),
  ];
  return { ...rows, where: conditions.join(' and ') };
}

function boundarySql({ intervalTime, uuid }: Boundary): string {
  return `(${instantSql(intervalTime)}, ${uuidSql(uuid)})`;
}
