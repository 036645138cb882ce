/** Reading what a data interval holds: counting it, choosing its parts, copying it out, digesting it. */
import pg from 'pg';
import type { Pool, PoolClient } from '../db/connection.ts';
import type { Column, RowsDigest } from '../destinations/contract.ts';
import { rowsDigestSql } from '../formats/rows-digest.ts';
import { selectList } from './columns.ts';
import { copyOut } from './copy-out.ts';
import { openSnapshot } from './snapshot.ts';

/**
 * The events of a project with `interval_time` in [start, end) that were stored before the cutoff. No event can join them any
 * more: readers refuse a slice whose end or cutoff is not sealed. Instants are ISO, UTC, six decimals, Z.
 */
export type Slice = { projectId: number; start: string; end: string; cutoff: string };

/** An event's place in the order of a slice. */
export type Boundary = { intervalTime: string; uuid: string };

/** A piece of a slice, from a boundary (included) to a boundary (excluded); the slice's own ends where they are missing. */
export type PartRange = { rows: number; from?: Boundary; to?: Boundary };

/** What a part may hold at most; bytes are of JSON lines, uncompressed, and may be exceeded by one row. */
export type PartLimits = { rows: number; bytes: number };

export type SliceMeasure = { rows: number; bytes: number; parts: PartRange[] };

export type EventReader = ReturnType<typeof eventReader>;

/** Every method throws Unavailable when the slice is not sealed. */
export function eventReader(pool: Pool) {
  return {
    /**
     * Counts a slice and divides it; no rows make no parts. The same slice and limits give the same parts as long as no event is
     * deleted. Reads the index `events_interval` alone.
     */
    async measure(slice: Slice, limits: PartLimits): Promise<SliceMeasure> {
      return inSnapshot(pool, slice, async (client) => {
        const { rows, bytes } = await total(client, slice);
        if (rows === 0) return { rows, bytes, parts: [] };
        if (rows <= limits.rows && bytes <= limits.bytes) return { rows, bytes, parts: [{ rows }] };
        return { rows, bytes, parts: partRanges(await partStarts(client, slice, limits), rows) };
      });
    },

    /**
     * The rows of a slice, or of one part of it, as COPY BINARY in the order (interval_time, uuid).
     * @returns a stream to be read once; it holds a connection, which leaving it early or aborting it closes
     * @throws the signal's reason when it is aborted
     */
    async *copy(
      slice: Slice & { from?: Boundary; to?: Boundary },
      columns: readonly Column[],
      { signal }: { signal?: AbortSignal } = {},
    ): AsyncGenerator<Uint8Array> {
      const sql = `copy (select ${selectList(columns)} from events where ${partCondition(slice)}
        order by interval_time, uuid) to stdout (format binary)`;
      signal?.throwIfAborted();
      const snapshot = await openSnapshot(pool, slice.end, slice.cutoff);
      try {
        yield* copyOut(snapshot.client, sql, signal);
        await snapshot.close();
      } finally {
        snapshot.abandon();
      }
    },

    /** Rows and digest of a slice as it is now. */
    async digest(slice: Slice): Promise<{ rows: number; digest: RowsDigest }> {
      return inSnapshot(pool, slice, async (client) => {
        const { rows } = await client.query<{ rows: string; digest: RowsDigest }>(
          `select count(*) as rows, ${rowsDigestSql('uuid')} as digest from events where ${sliceCondition(slice)}`,
        );
        return { rows: Number(rows[0]!.rows), digest: rows[0]!.digest };
      });
    },

    /** Whether events have joined a data interval since the cutoff at which it was delivered: an import did that. */
    async changedSince(projectId: number, start: string, end: string, cutoff: string): Promise<boolean> {
      const { rows } = await pool.query<{ changed: boolean }>(
        `select exists (
           select from import_ranges r cross join lateral (
             select from events e
             where e.project_id = $1 and e.inserted_at >= $4
               and e.interval_time >= greatest(r.range_from, $2) and e.interval_time < least(r.range_to, $3)
             limit 1
           ) e
           where r.project_id = $1 and r.inserted_at >= $4 and r.range_from < $3 and r.range_to > $2
         ) as changed`,
        [projectId, start, end, cutoff],
      );
      return rows[0]!.changed;
    },
  };
}

async function inSnapshot<T>(pool: Pool, slice: Slice, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const snapshot = await openSnapshot(pool, slice.end, slice.cutoff);
  try {
    const result = await work(snapshot.client);
    await snapshot.close();
    return result;
  } finally {
    snapshot.abandon();
  }
}

async function total(client: PoolClient, slice: Slice): Promise<{ rows: number; bytes: number }> {
  const { rows } = await client.query<{ rows: string; bytes: string }>(
    `select count(*) as rows, coalesce(sum(row_bytes), 0) as bytes from events where ${sliceCondition(slice)}`,
  );
  return { rows: Number(rows[0]!.rows), bytes: Number(rows[0]!.bytes) };
}

type PartStart = { interval_time: string; uuid: string; rows_before: string };

/**
 * The first row of each part. A row costs the larger of its shares in the two limits, one share of a part in `unit`s: a part
 * is the rows whose predecessors' cost is within the same unit, so that neither limit is passed.
 */
async function partStarts(client: PoolClient, slice: Slice, limits: PartLimits): Promise<PartStart[]> {
  const { rows } = await client.query<PartStart>(
    `select interval_time, uuid, rows_before
     from (
       select *, lag(part) over (order by rows_before) as part_before
       from (
         select interval_time, uuid, row_number() over w - 1 as rows_before,
                div(sum(cost) over w - cost, $1::bigint * $2::bigint) as part
         from (
           select interval_time, uuid, greatest($2::bigint, row_bytes * $1::bigint) as cost
           from events where ${sliceCondition(slice)}
         ) as costs
         window w as (order by interval_time, uuid rows unbounded preceding)
       ) as numbered
     ) as neighbours
     where part is distinct from part_before order by rows_before`,
    [limits.rows, limits.bytes],
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

/** COPY takes no parameters, so slices travel as literals everywhere. */
function sliceCondition({ projectId, start, end, cutoff }: Slice): string {
  return `project_id = ${integer(projectId)} and interval_time >= ${instant(start)} and interval_time < ${instant(end)}
    and inserted_at < ${instant(cutoff)}`;
}

function partCondition({ from, to, ...slice }: Slice & { from?: Boundary; to?: Boundary }): string {
  // The row comparison alone would not tell Postgres which months to leave out.
  const within = { ...slice, start: from?.intervalTime ?? slice.start };
  const conditions = [
    sliceCondition(within),
    ...(from ? [`(interval_time, uuid) >= ${place(from)}`] : []),
    ...(to ? [`(interval_time, uuid) < ${place(to)}`] : []),
  ];
  return conditions.join(' and ');
}

function place({ intervalTime, uuid }: Boundary): string {
  return `(${instant(intervalTime)}, ${pg.escapeLiteral(uuid)}::uuid)`;
}

function instant(iso: string): string {
  return `${pg.escapeLiteral(iso)}::timestamptz`;
}

function integer(value: number): string {
  if (!Number.isSafeInteger(value)) throw new TypeError(`Not a project id: ${value}`);
  return String(value);
}
