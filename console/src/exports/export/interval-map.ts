/** All intervals of an export with their states: the only place that knows how the API packs them. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, ApiError, unwrap } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { pollMs } from '../../live/liveness.ts';
import { exportKeys } from '../query-keys.ts';
import { countIntervals } from '../words/cadence.ts';
import { isHeld, isUnderWay, type Code } from '../states/codes.ts';

type Body = components['schemas']['IntervalMap'];

/** Intervals by their number, the oldest is 0. */
export type IntervalMap = Pick<Body, 'needs_you' | 'retrying' | 'missed_while_paused'> & {
  starts: Float64Array;
  ends: Float64Array;
  codes: readonly Code[];
  counts: ReadonlyMap<Code, number>;
  /** Whether it ends before now, because it would have too many intervals. */
  isCut: boolean;
};

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
      const get = (query: { start?: string; end?: string } = {}) =>
        unwrap(
          api.GET('/api/environments/{project_id}/batch_exports/{id}/intervals/map/', {
            params: { path: { project_id: projectId, id: exportId }, query },
            signal,
          }),
        );
      /** Years of short intervals are too many for a map. It then shows the oldest ones if `from` asks for them, else the newest. */
      async function getFrom(at: number, newest: Body): Promise<IntervalMap> {
        const start = new Date(at).toISOString();
        // A range that was too long is not requested at each refresh, because it only grows.
        if (client.getQueryData<IntervalMap>(queryKey)?.isCut !== true)
          try {
            return decoded(await get({ start }));
          } catch (error) {
            if (!(error instanceof ApiError) || error.status !== 400) throw error;
          }
        if (from === undefined) return decoded(newest);
        const shortest = Math.min(...newest.boundaries.map(({ step_seconds }) => step_seconds));
        const seconds = Number.isFinite(shortest) ? shortest : SHORTEST_SECONDS;
        const end = new Date(at + (MAX_INTERVALS - 1) * seconds * 1000).toISOString();
        return { ...decoded(await get({ start, end })), isCut: true };
      }
      const map = await get();
      const candidateStarts = [from, map.history_start].flatMap((one) => (one ? Date.parse(one) : []));
      const earliest = Math.min(...candidateStarts);
      const first = map.boundaries[0] ? Date.parse(map.boundaries[0].start) : Infinity;
      return earliest < first ? getFrom(earliest, map) : decoded(map);
    },
    // The grid stays while a longer or shorter history is loaded.
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => pollMs(state.data?.codes.some(isUnderWay) ? REFRESH_MS.busy : REFRESH_MS.idle),
  });
}

function decoded({ boundaries, states, lengths, counts, ...rest }: Body): IntervalMap {
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
  return { ...rest, starts, ends, codes, counts: new Map(Object.entries(counts) as [Code, number][]), isCut: false };
}

/** The numbers of the first and the last interval that lie within two instants. */
export type Range = { first: number; last: number };

export function rangeBetween(map: IntervalMap, start: string | undefined, end: string | undefined): Range | undefined {
  const [from, to] = [Date.parse(start ?? ''), Date.parse(end ?? '')];
  const first = map.starts.findIndex((one) => one >= from);
  const last = map.ends.findLastIndex((one) => one <= to);
  return first >= 0 && last >= first ? { first, last } : undefined;
}

/** The newest interval that the destination holds, and how many it holds. */
export function deliveredOf({ codes, counts, starts, ends }: IntervalMap, interval: string) {
  const newest = codes.findLastIndex(isHeld);
  if (newest < 0) return null;
  const [start, end] = [new Date(starts[newest]!).toISOString(), new Date(ends[newest]!).toISOString()];
  const total = [...counts].reduce((sum, [code, count]) => (isHeld(code) ? sum + count : sum), 0);
  return { start, end, count: countIntervals(total, interval) };
}

/** Whether the destination holds an earlier delivery of an interval that the map names. */
export function isNamedHeld(
  { codes, ends }: IntervalMap,
  { data_interval_end: end }: { data_interval_end: string },
): boolean {
  return isHeld(codes[ends.indexOf(Date.parse(end))] ?? '--');
}
