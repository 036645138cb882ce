/** All intervals of an export with their states: the only place that knows how the API packs them. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, ApiError, unwrap } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { pollMs } from '../../live/live-state.ts';
import { exportKeys } from '../query-keys.ts';
import { isHeld, isUnderWay, type Code } from '../states/codes.ts';

type Body = components['schemas']['IntervalMap'];

/** Intervals by their number, the oldest is 0. */
export type IntervalMap = Pick<Body, 'needs_you' | 'retrying' | 'missed_while_paused'> & {
  starts: Float64Array;
  ends: Float64Array;
  codes: readonly Code[];
  counts: ReadonlyMap<Code, number>;
  /** The range that was requested. */
  range: MapRange;
  /** Whether the whole history would have too many intervals. */
  isTooLong: boolean;
  /** Whether it ends before now, because it would have too many intervals. */
  isCut: boolean;
};

/** Absent: the newest intervals, until now. */
type MapRange = { start?: string; end?: string };

/** The API's limit of intervals in a map. */
const MAX_INTERVALS = 100_000;
const SHORTEST_SECONDS = 60;

/** Polling interval while work is under way, and when idle. */
const REFRESH_MS = { busy: 2_000, idle: 15_000 };

/** @param from ISO: latest start of the map; absent: the first run or the first offered interval */
export function mapQuery(projectId: number, exportId: string, from: string | undefined) {
  const queryKey = [...exportKeys.intervals(projectId, exportId), 'map', from] as const;
  return queryOptions({
    queryKey,
    queryFn: async ({ signal, client }) => {
      const get = (query: MapRange) =>
        unwrap(
          api.GET('/api/environments/{project_id}/batch_exports/{id}/intervals/map/', {
            params: { path: { project_id: projectId, id: exportId }, query },
            signal,
          }),
        );
      /** @returns undefined if there are too many intervals */
      const getIfFew = (query: MapRange) =>
        get(query).catch((error: unknown) => {
          if (error instanceof ApiError && error.status === 400) return undefined;
          throw error;
        });
      // A refresh requests the same range, unless there are older runs by now. A history that was too long only grows.
      const before = client.getQueryData<IntervalMap>(queryKey);
      const again = before && (await getIfFew(before.range));
      if (again && (before.isTooLong || !(instantOf(again.history_start) < startOf(again, before.range))))
        return decoded(again, before.range, before.isTooLong);
      const newest = await get({});
      const first = startOf(newest, {});
      const earliest = Math.min(instantOf(from), instantOf(newest.history_start));
      if (!(earliest < first)) return decoded(newest, {});
      const whole = { start: isoOf(earliest) };
      const all = await getIfFew(whole);
      if (all) return decoded(all, whole);
      // Years of short intervals are too many for a map. It then begins at `from` if that is older than the newest ones.
      if (!(instantOf(from) < first)) return decoded(newest, {}, true);
      const range = rangeFrom(instantOf(from), newest);
      return decoded(await get(range), range, true);
    },
    // The grid stays while a longer or shorter history is loaded.
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => pollMs(state.data?.codes.some(isUnderWay) ? REFRESH_MS.busy : REFRESH_MS.idle),
  });
}

/** The path of the request whose answer is a map of the range. */
export function mapPath(projectId: number, exportId: string, { start, end }: MapRange): string {
  const query = new URLSearchParams({ ...(start && { start }), ...(end && { end }) }).toString();
  return `/api/environments/${projectId}/batch_exports/${exportId}/intervals/map/${query && `?${query}`}`;
}

export const DAY = 86_400_000;

export const isoOf = (instant: number) => new Date(instant).toISOString();

/** @returns infinity for what is no instant */
function instantOf(text: string | null | undefined): number {
  const instant = Date.parse(text ?? '');
  return Number.isNaN(instant) ? Infinity : instant;
}

const startOf = ({ boundaries }: Body, { start }: MapRange) => instantOf(start ?? boundaries[0]?.start);

/** @returns as many intervals as a map may have, or all until now */
function rangeFrom(start: number, { boundaries }: Body): MapRange {
  const shortest = Math.min(...boundaries.map(({ step_seconds }) => step_seconds));
  const seconds = Number.isFinite(shortest) ? shortest : SHORTEST_SECONDS;
  const end = start + (MAX_INTERVALS - 1) * seconds * 1000;
  return { start: isoOf(start), ...(end < Date.now() && { end: isoOf(end) }) };
}

function decoded(body: Body, range: MapRange, isTooLong = false): IntervalMap {
  const { boundaries, states, lengths, counts, ...rest } = body;
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const [starts, ends] = [new Float64Array(total), new Float64Array(total)];
  let number = 0;
  for (const { start, step_seconds, count } of boundaries) {
    const [from, step] = [Date.parse(start), step_seconds * 1000];
    for (let index = 0; index < count; index += 1, number += 1) {
      starts[number] = from + index * step;
      ends[number] = from + (index + 1) * step;
    }
  }
  const codes: Code[] = [];
  states.forEach((state, index) => {
    for (let left = lengths[index]!; left > 0; left -= 1) codes.push(state);
  });
  const found = new Map(Object.entries(counts) as [Code, number][]);
  return { ...rest, starts, ends, codes, counts: found, range, isTooLong, isCut: range.end !== undefined };
}

/** The numbers of the first and the last interval that lie within two instants. */
export type Range = { first: number; last: number };

export function rangeBetween(map: IntervalMap, start: string | undefined, end: string | undefined): Range | undefined {
  const [from, to] = [Date.parse(start ?? ''), Date.parse(end ?? '')];
  const first = map.starts.findIndex((one) => one >= from);
  const last = map.ends.findLastIndex((one) => one <= to);
  return first >= 0 && last >= first ? { first, last } : undefined;
}

/** The newest interval that the destination holds. */
export function deliveredOf({ codes, starts, ends }: IntervalMap) {
  const newest = codes.findLastIndex(isHeld);
  if (newest < 0) return null;
  return { start: isoOf(starts[newest]!), end: isoOf(ends[newest]!) };
}

/** Whether the destination holds an earlier delivery of an interval that the map names. */
export function isNamedHeld(
  { codes, ends }: IntervalMap,
  { data_interval_end: end }: { data_interval_end: string },
): boolean {
  return isHeld(codes[ends.indexOf(Date.parse(end))] ?? '--');
}
