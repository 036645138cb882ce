/** Data of the list of exports. Only this file knows the underlying requests. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { pollMs } from '../../live/live-state.ts';
import { isEditor } from '../access.ts';
import { exportKeys } from '../query-keys.ts';
import { needsYou, type Code } from '../states/codes.ts';
import { labelWords } from '../words/destination.ts';
import { isFixable } from '../words/error-links.tsx';
import { pauseOf, type PauseOf } from '../words/pause.tsx';

type Body = components['schemas']['BatchExportOverview'];

export type ListState = Body['state'];
/** States in the order in which they are counted and listed. */
export const STATES = ['needs_you', 'retrying', 'behind', 'paused', 'on_time'] as const satisfies readonly ListState[];

export type ListedExport = {
  id: string;
  name: string;
  /** The destination in words. */
  destination: string;
  interval: string;
  state: ListState;
  completeUntil: string | null;
  lagSeconds: number;
  targetSeconds: number | null;
  /** An instant in the interval that is delivered next; null if intervals are due. */
  inNextInterval: string | null;
  startAt: string | null;
  /** The newest 48 intervals, oldest first. */
  cells: readonly Code[];
  delivered: { start: string; end: string } | null;
  /** Intervals that failed and are not retried automatically; `held` of them have an earlier delivery that stands. */
  undelivered: { count: number; deliveredBefore: number; since: Since } | null;
  /** Intervals that are retried automatically. */
  retrying: number;
  /** Whether the counts of `undelivered` and `retrying` are minimums. */
  areCountsMinimums: boolean;
  /** Time of the next retry; null: none, or unknown. */
  nextTryAt: string | null;
  error: { detail: string | null; field: string | null; runId: string | null; canFix: boolean } | null;
  pause: PauseOf | null;
  /** Intervals that the latest pause has left out. */
  missed: Body['missed_while_paused'];
  /** Whether the viewer may change and retry it. */
  canEdit: boolean;
};

/** `start` of the first undelivered interval if `cells` show all of them, else of the newest. */
type Since = { start: string; isFirst: boolean } | null;

export type ExportList = {
  exports: readonly ListedExport[];
  counts: Readonly<Record<ListState, number>>;
  /** Time of the next retry of any listed export. */
  nextTryAt: string | null;
  /** Number of exports in the project, or found by the text, in any state. */
  total: number;
  /** Number of exports that the filter finds; may be more than are listed. */
  found: number;
  /** The reason why the installation delivers nothing at all. */
  blocked: string | null;
  /** Whether the viewer may make an export. */
  canCreate: boolean;
};

export type ListFilter = { search?: string | undefined; state?: string | undefined };

/** Exports that a page shows at once. */
const MAX_LISTED = 500;
const REFRESH_MS = 15_000;

export function listQuery(projectId: number, filter: ListFilter) {
  const search = filter.search ?? '';
  // A typed address may name an unknown state; all are shown then.
  const state = STATES.find((one) => one === filter.state);
  return queryOptions({
    queryKey: [...exportKeys.all(projectId), 'list', { search, state }] as const,
    queryFn: async ({ signal }): Promise<ExportList> => {
      const query = { limit: MAX_LISTED, search, ...(state && { state: [state] }) };
      const path = { project_id: projectId };
      const page = await unwrap(
        api.GET('/api/environments/{project_id}/batch_exports/overview/', { params: { path, query }, signal }),
      );
      const exports = page.results.map(listedExportOf);
      const tries = exports.flatMap((one) => (one.state === 'retrying' && one.nextTryAt) || []).sort();
      return {
        exports,
        counts: page.totals,
        nextTryAt: tries[0] ?? null,
        total: Object.values(page.totals).reduce((sum, count) => sum + count, 0),
        found: page.count,
        blocked: page.deliveries_blocked,
        canCreate: isEditor(page.user_access_level),
      };
    },
    placeholderData: keepPreviousData,
    refetchInterval: () => pollMs(REFRESH_MS),
  });
}

function listedExportOf(overview: Body): ListedExport {
  const { states, lengths } = overview.recent;
  const cells = states.flatMap((code, index) => Array<Code>(lengths[index]!).fill(code));
  return {
    id: overview.id,
    name: overview.name,
    destination: labelWords(overview.destination),
    interval: overview.interval,
    state: overview.state,
    completeUntil: overview.complete_until,
    lagSeconds: overview.lag_seconds,
    targetSeconds: overview.freshness_target_seconds,
    inNextInterval: overview.lag_seconds === 0 ? new Date().toISOString() : null,
    startAt: overview.start_at,
    cells,
    delivered: overview.newest_delivery && {
      start: overview.newest_delivery.data_interval_start,
      end: overview.newest_delivery.data_interval_end,
    },
    undelivered:
      overview.needs_you > 0
        ? { count: overview.needs_you, deliveredBefore: overview.needs_you_held, since: sinceOf(overview, cells) }
        : null,
    retrying: overview.retrying,
    areCountsMinimums: overview.counts_are_minimums,
    nextTryAt: overview.next_try_at,
    error: overview.last_error && {
      detail: overview.last_error.detail,
      field: overview.last_error.error?.field ?? null,
      canFix: isFixable(overview.last_error.error),
      runId: overview.last_error.run_id,
    },
    pause: overview.pause && pauseOf(overview.pause),
    missed: overview.missed_while_paused,
    canEdit: isEditor(overview.user_access_level),
  };
}

function sinceOf({ needs_you, recent, last_error }: Body, cells: readonly Code[]): Since {
  const first = cells.findIndex(needsYou);
  if (first >= 0 && cells.filter(needsYou).length === needs_you) {
    let number = first;
    for (const { start, step_seconds, count } of recent.boundaries) {
      if (number < count) {
        return { start: new Date(Date.parse(start) + number * step_seconds * 1000).toISOString(), isFirst: true };
      }
      number -= count;
    }
  }
  return last_error && { start: last_error.data_interval_start, isFirst: needs_you === 1 };
}
