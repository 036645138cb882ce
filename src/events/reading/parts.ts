/** Counts the rows of a slice, and divides them into parts. */
import type { PoolClient } from '../../platform/db/connection.ts';
import { instantSql, uuidSql } from './models/literals.ts';

/** A row's position in the order of a slice; `uuid` is the row's id. */
export type Boundary = { intervalTime: string; uuid: string };

/** A piece of a slice, from `from` (included) to `to` (excluded); a missing boundary is the slice's own. */
export type PartRange = { rows: number; from?: Boundary; to?: Boundary };

/**
 * Limits of a part, and of the number of parts. Bytes are those of uncompressed JSON lines; one row may exceed them. A slice that needs more
 * than `parts` parts gets a few more than that, of which the last ones have all remaining rows. `events`: each part holds one of so many most frequent events; the others share parts.
 */
export type PartLimits = { rows: number; bytes: number; parts?: number; events?: number };

/** `events`: the event of each part, null for the others, in the order of the parts, with the bytes of its rows; set if `PartLimits.events` is. */
export type SliceMeasure = {
  rows: number;
  bytes: number;
  parts: PartRange[];
  events?: { event: string | null; parts: number; bytes: number }[];
};

/** SQL of a slice's rows. */
export type RowsSql = { from: string; where: string; rowId: string; bytes: string };

export async function measureRows(client: PoolClient, selected: RowsSql, limits: PartLimits): Promise<SliceMeasure> {
  const { rows, bytes } = await countRowsAndBytes(client, selected);
  if (rows === 0) return { rows, bytes, parts: [] };
  if (rows <= limits.rows && bytes <= limits.bytes) return { rows, bytes, parts: [{ rows }] };
  return { rows, bytes, parts: partRanges(await partStarts(client, selected, limits), rows) };
}

async function countRowsAndBytes(
  client: PoolClient,
  { from, where, bytes: estimate }: RowsSql,
): Promise<{ rows: number; bytes: number }> {
  const { rows } = await client.query<{ rows: string; bytes: string }>(
    `select count(*) as rows, coalesce(sum(${estimate}), 0) as bytes from ${from} where ${where}`,
  );
  return { rows: Number(rows[0]!.rows), bytes: Number(rows[0]!.bytes) };
}

/** `place`: see `partStarts`; `rows_before`: rows of the place before the part. */
export type PartStart = { place: number; interval_time: string; uuid: string; rows_before: string };

/**
 * Finds the first row of each part. A row's cost is the larger of its shares of the two limits, scaled by their product to stay an integer.
 * A row belongs to the part in which the total cost of the rows before it falls, so a part exceeds a limit by one row at most.
 * @param place SQL of an integer that divides the rows, so that no part holds rows of two places; absent: all have the place 0
 * @returns starts ordered by place, one more than the limit at most
 */
export async function partStarts(
  client: PoolClient,
  { from, where, rowId, bytes }: RowsSql,
  limits: PartLimits,
  place?: string,
): Promise<PartStart[]> {
  const partition = place === undefined ? '' : 'partition by place';
  const { rows } = await client.query<PartStart>(
    `select place, interval_time, uuid, rows_before
     from (
       select *, lag(part) over (${partition} order by rows_before) as part_before
       from (
         select place, interval_time, uuid, row_number() over w - 1 as rows_before,
                div(sum(cost) over w - cost, $1::bigint * $2::bigint) as part
         from (
           select ${place ?? '0'} as place, interval_time, ${rowId} as uuid, greatest($2::bigint, (${bytes}) * $1::bigint) as cost
           from ${from} where ${where}
         ) as costs
         window w as (${partition} order by interval_time, uuid rows unbounded preceding)
       ) as numbered
     ) as neighbours
     where part is distinct from part_before order by place, rows_before limit $3`,
    [limits.rows, limits.bytes, limits.parts === undefined ? null : limits.parts + 1],
  );
  return rows;
}

/** @param total rows of all the parts */
export function partRanges(starts: readonly PartStart[], total: number): PartRange[] {
  const boundaries = starts.map((row) => ({ intervalTime: row.interval_time, uuid: row.uuid }));
  return starts.map((start, i) => {
    const from = boundaries[i];
    const to = boundaries[i + 1];
    const end = Number(starts[i + 1]?.rows_before ?? total);
    return { rows: end - Number(start.rows_before), ...(i > 0 && from && { from }), ...(to && { to }) };
  });
}

/** Conditions that rows lie between boundaries; `undefined`: the slice's own. */
export function betweenSql(
  rowId: string,
  { from, to }: { from?: Boundary | undefined; to?: Boundary | undefined },
): string[] {
  // tooth: part-from
  // tooth: part-to
  return [
    // Compares `interval_time` alone, too, because Postgres cannot choose the monthly partitions by a comparison of rows.
    ...(from
      ? [`interval_time >= ${instantSql(from.intervalTime)}`, `(interval_time, ${rowId}) >= ${boundarySql(from)}`]
      : []),
    ...(to ? [`(interval_time, ${rowId}) < ${boundarySql(to)}`] : []),
  ];
}

function boundarySql({ intervalTime, uuid }: Boundary): string {
  return `(${instantSql(intervalTime)}, ${uuidSql(uuid)})`;
}
