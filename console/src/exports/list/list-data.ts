/** Data of the list of exports. Only this file knows from which answers it comes. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, done } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { exportKeys } from '../query-keys.ts';
import { needsYou, type Code } from '../states/codes.ts';
import { destinationWords } from '../words/destination.ts';

export const STATES = ['needs_you', 'retrying', 'paused', 'on_time'] as const;
export type ListState = (typeof STATES)[number];

export type ListedExport = {
  id: string;
  name: string;
  /** In words. */
  destination: string;
  interval: string;
  state: ListState;
  createdAt: string;
  completeUntil: string | null;
  lagSeconds: number;
  targetSeconds: number | null;
  /** The newest 48 at most, oldest first. */
  cells: readonly Code[];
  /** Intervals that failed and are not tried again, and the start of the first of them. */
  undelivered: { count: number; since: string } | null;
  /** When what failed is tried again; null: nothing is, or it is not known. */
  nextTryAt: string | null;
  error: { detail: string; field: string | null } | null;
  pause: { by: string | null; reason: string | null; resumeAt: string | null; since: string | null } | null;
  /** Runs that ended without a delivery, newest first. */
  failedRuns: readonly string[];
};

export type ExportList = {
  exports: readonly ListedExport[];
  counts: Readonly<Record<ListState, number>>;
  /** When the first of those that are retrying is tried again. */
  nextTryAt: string | null;
  total: number;
};

export type ListFilter = { search?: string | undefined; state?: string | undefined };

/** Exports that a page shows at once. */
const MOST_LISTED = 500;
const REFRESH_MS = 15_000;

export function listQuery(projectId: number, { search = '', state }: ListFilter) {
  return queryOptions({
    queryKey: [...exportKeys.all(projectId), 'list'] as const,
    queryFn: async ({ signal }) => {
      const page = await done(
        api.GET('/api/environments/{project_id}/batch_exports/', {
          params: { path: { project_id: projectId }, query: { limit: MOST_LISTED } },
          signal,
        }),
      );
      return page.results.map(listed);
    },
    select: (exports): ExportList => filtered(exports, search, state),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
}

function filtered(exports: readonly ListedExport[], search: string, state: string | undefined): ExportList {
  const counts = { needs_you: 0, retrying: 0, paused: 0, on_time: 0 };
  for (const one of exports) counts[one.state] += 1;
  const words = search.toLowerCase();
  const shown = exports.filter(
    (one) =>
      (state === undefined || one.state === state) && `${one.name} ${one.destination}`.toLowerCase().includes(words),
  );
  const tries = exports.flatMap(({ nextTryAt }) => nextTryAt ?? []).sort();
  return {
    exports: shown.toSorted((one, other) => STATES.indexOf(one.state) - STATES.indexOf(other.state)),
    counts,
    nextTryAt: tries[0] ?? null,
    total: exports.length,
  };
}

type Body = components['schemas']['BatchExport'];

function listed(one: Body): ListedExport {
  const newest = new Map(one.latest_runs.toReversed().map((run) => [run.data_interval_end, run]));
  const runs = [...newest.values()].sort((a, b) => a.data_interval_end.localeCompare(b.data_interval_end));
  const cells = runs.map(({ status }) => CODE_OF_STATUS[status]);
  const failed = runs.filter((_, index) => needsYou(cells[index]!));
  const latestError = runs.findLast(({ latest_error }) => latest_error)?.latest_error;
  return {
    id: one.id,
    name: one.name,
    destination: destinationWords(one.destination),
    interval: one.interval,
    state: stateOf(one.paused, cells),
    createdAt: one.created_at,
    completeUntil: one.complete_until,
    lagSeconds: one.lag_seconds,
    targetSeconds: one.freshness_target_seconds,
    cells,
    undelivered: failed[0] ? { count: failed.length, since: failed[0].data_interval_start } : null,
    nextTryAt: null,
    error: latestError ? { detail: latestError, field: null } : null,
    pause: one.paused
      ? {
          by: one.paused_reason === null ? null : 'Sluice',
          reason: one.paused_reason,
          resumeAt: null,
          since: one.last_paused_at,
        }
      : null,
    failedRuns: failed.map(({ id }) => id).toReversed(),
  };
}

const CODE_OF_STATUS: Readonly<Record<Body['latest_runs'][number]['status'], Code>> = {
  Completed: 'hi',
  Failed: 'ny',
  FailedRetryable: 'nt',
  TimedOut: 'nt',
  Terminated: 'nt',
  Cancelled: 'ni',
  ContinuedAsNew: 'nr',
  Running: 'nr',
  Starting: 'nw',
};

function stateOf(isPaused: boolean, cells: readonly Code[]): ListState {
  if (cells.some(needsYou)) return 'needs_you';
  if (isPaused) return 'paused';
  return cells.some((code) => code[1] === 't') ? 'retrying' : 'on_time';
}
