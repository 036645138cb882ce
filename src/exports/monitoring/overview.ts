/** Overview of a project's exports; those that need a person come first. The number of queries does not depend on the number of exports. */
import type { Visible } from '../../platform/http/access.ts';
import type { BatchExport } from '../batch-exports/batch-export.ts';
import { anyDestination } from '../destinations/index.ts';
import { millisOf } from '../domain/instants.ts';
import { startOfIntervalAt, intervalEndingAt, type DataInterval, type Tiling } from '../domain/intervals.ts';
import type { Millis } from '../domain/millis.ts';
import type { Pause } from '../domain/pauses.ts';
import { piecesEnding, type Pieces } from '../domain/pieces.ts';
import { batchesOf } from '../domain/slices.ts';
import { explainNeed, explainRetry, type NeedsYou, type Retrying } from '../intervals/interval-attention.ts';
import { codesOf, eachCode, runLengths, type RunLengths } from '../intervals/interval-cells.ts';
import type { NewestRun } from '../intervals/interval-facts.store.ts';
import { expiredRange } from '../intervals/expired.ts';
import { findMissed, type MissedIntervals } from '../intervals/missed-intervals.ts';
import { factsOfAll, offeredFact, pausedRange } from '../intervals/offered.ts';
import type { ExportStores } from '../stores.ts';
import { describeBlock } from '../timeline/timeline-guard.ts';
import { attentionOf, type Attention } from './attention.ts';
import { measureFreshness, type Freshness } from './freshness.ts';

/** States of an export, the most urgent for people first. */
export const OVERVIEW_STATES = ['needs_you', 'retrying', 'behind', 'paused', 'on_time'] as const;
export type OverviewState = (typeof OVERVIEW_STATES)[number];

export type OverviewQuery = { search: string; states: readonly OverviewState[]; limit: number; offset: number };

export type ExportWithState = {
  batchExport: BatchExport;
  /** The destination's label, for people. */
  label: string;
  state: OverviewState;
  freshness: Freshness;
  attention: Attention;
};

export type OverviewItem = ExportWithState & {
  /** The newest data intervals that have ended; `recent` has a code for each. */
  bounds: Pieces;
  recent: RunLengths;
  /** Error of the newest interval that needs a person, else of the newest that Sluice will retry. */
  lastError: (NeedsYou | Retrying) | undefined;
  nextTryAt: string | null;
  newestDelivery: DataInterval | undefined;
  missed: MissedIntervals | undefined;
};

export type Overview = {
  count: number;
  totals: Record<OverviewState, number>;
  results: OverviewItem[];
  /** Why all deliveries are blocked; null if they are not. */
  blocked: string | null;
};

/** Limit of exports in an overview, which takes the newest ones of the project. */
export const MAX_EXPORTS = 2_000;
/** Number of newest intervals that are shown for each export. */
const RECENT_INTERVALS = 48;
/** Lag above which an export without a freshness target counts as behind. */
const DEFAULT_TARGET_SECONDS = 15 * 60;
/** Limit of an export's retried intervals whose next tries are compared. */
const MAX_RETRIED = 20;
const FRESHNESS_BATCH = 200;

export type Overviews = ReturnType<typeof exportOverviews>;

export function exportOverviews({ stores }: { stores: ExportStores }) {
  return {
    async of(projectId: number, visible: Visible, query: OverviewQuery): Promise<Overview> {
      const { results } = await stores.batchExports.list(projectId, { limit: MAX_EXPORTS, offset: 0 }, visible);
      const matches = results
        .map((batchExport) => ({ batchExport, label: labelOf(batchExport) }))
        .filter(matchesSearch(query.search));
      const ids = matches.map(({ batchExport }) => batchExport.id);
      const [troubled, pauses, freshness, { blocked }] = await Promise.all([
        stores.troubledIntervals.listFacts(ids),
        stores.freshness.listPauses(ids),
        loadFreshness(ids),
        stores.timeline.getState(),
      ]);
      const all = matches.flatMap((match): ExportWithState[] => {
        const { id } = match.batchExport;
        const exportFreshness = freshness.get(id);
        // The export was deleted meanwhile.
        if (!exportFreshness) return [];
        const attention = attentionOf(match.batchExport, pauses.get(id) ?? [], troubled.get(id));
        return [
          {
            ...match,
            freshness: exportFreshness,
            attention,
            state: stateOf(match.batchExport, exportFreshness, attention),
          },
        ];
      });
      const byState = Map.groupBy(all, ({ state }) => state);
      const ordered = OVERVIEW_STATES.filter(
        (name) => query.states.length === 0 || query.states.includes(name),
      ).flatMap((state) => byState.get(state) ?? []);
      const page = ordered.slice(query.offset, query.offset + query.limit);
      return {
        count: ordered.length,
        totals: Object.fromEntries(
          OVERVIEW_STATES.map((name) => [name, byState.get(name)?.length ?? 0]),
        ) as Overview['totals'],
        results: await loadDetails(page, pauses),
        blocked: blocked === null ? null : describeBlock(blocked),
      };
    },
  };

  async function loadFreshness(ids: readonly string[]): Promise<Map<string, Freshness>> {
    const found = new Map<string, Freshness>();
    for (const batch of batchesOf(ids, FRESHNESS_BATCH))
      for (const { watched, freshness } of await measureFreshness(stores, batch)) found.set(watched.id, freshness);
    return found;
  }

  async function loadDetails(
    page: readonly ExportWithState[],
    pauses: ReadonlyMap<string, Pause[]>,
  ): Promise<OverviewItem[]> {
    const ids = page.map(({ batchExport }) => batchExport.id);
    const [tilings, clock] = await Promise.all([stores.batchExports.tilings(ids), stores.batchExports.now()]);
    const now = millisOf(clock);
    const detailed = page.map((item) => {
      const { id } = item.batchExport;
      return {
        ...item,
        tiling: tilings.get(id)!,
        pauses: pauses.get(id) ?? [],
        bounds: recentOf(tilings.get(id)!, now),
      };
    });
    const [facts, missed, runs, newestDeliveries] = await Promise.all([
      stores.intervalFacts.listFacts(
        detailed.map(({ batchExport, bounds }) => ({
          exportId: batchExport.id,
          from: bounds.interval(0).start,
          to: bounds.interval(bounds.total - 1).end,
        })),
      ),
      findMissed(
        stores,
        detailed.map((item) => ({ ...item.batchExport, tiling: item.tiling, pauses: item.pauses })),
        now,
      ),
      stores.intervalFacts.listNewestRuns(detailed.flatMap(intervalsToLookUp)),
      stores.freshness.listNewestDeliveries(ids),
    ]);
    const runsOf = Map.groupBy(runs, ({ exportId }) => exportId);
    return detailed.map((item, index) => {
      const { batchExport, bounds, attention } = item;
      const ranges = [
        ...facts[index]!,
        offeredFact(batchExport),
        expiredRange(batchExport, item.tiling),
        ...item.pauses.map(pausedRange),
      ];
      const newest = new Map((runsOf.get(batchExport.id) ?? []).map((run) => [run.end, run]));
      return {
        ...item,
        recent: runLengths(eachCode(bounds.total, codesOf(bounds, ranges, factsOfAll(batchExport)))),
        missed: missed.get(batchExport.id),
        newestDelivery: newestDeliveries.get(batchExport.id),
        ...errorsOf(attention, newest),
      };
    });
  }
}

function labelOf({ destinationType, destinationConfig }: BatchExport): string {
  return anyDestination(destinationType).label(destinationConfig);
}

function matchesSearch(search: string) {
  const text = search.trim().toLowerCase();
  return ({ batchExport, label }: Pick<ExportWithState, 'batchExport' | 'label'>) =>
    [batchExport.name, label, batchExport.destinationType, batchExport.model, batchExport.id].some((name) =>
      name.toLowerCase().includes(text),
    );
}

function stateOf(
  { paused, freshnessTargetSeconds }: BatchExport,
  { lagSeconds }: Freshness,
  attention: Attention,
): OverviewState {
  if (attention.needsYou.length > 0) return 'needs_you';
  if (attention.retrying.length > 0) return 'retrying';
  if (paused) return 'paused';
  return lagSeconds > (freshnessTargetSeconds ?? DEFAULT_TARGET_SECONDS) ? 'behind' : 'on_time';
}

/** The newest intervals that have ended. */
function recentOf(tiling: Tiling, now: Millis): Pieces {
  let start = startOfIntervalAt(tiling, now);
  for (let count = 0; count < RECENT_INTERVALS; count += 1) start = intervalEndingAt(tiling, start)?.start ?? start;
  return piecesEnding(tiling, start, now);
}

/** Intervals whose runs are looked up: the newest that needs a person, and some that Sluice will retry. */
function intervalsToLookUp({ batchExport, attention }: ExportWithState): { exportId: string; end: Millis }[] {
  return [...attention.needsYou.slice(0, 1), ...attention.retrying.slice(0, MAX_RETRIED)].map(({ end }) => ({
    exportId: batchExport.id,
    end,
  }));
}

function errorsOf({ needsYou, retrying }: Attention, runs: ReadonlyMap<Millis, NewestRun>) {
  const needErrors = needsYou
    .slice(0, 1)
    .map((interval) => explainNeed(bounds(interval), interval.facts, runs.get(interval.end)));
  const retryErrors = retrying
    .slice(0, MAX_RETRIED)
    .map((interval) => explainRetry(bounds(interval), runs.get(interval.end), interval.isGap));
  const tries = retryErrors.flatMap(({ nextTryAt }) => nextTryAt ?? []).sort();
  return { lastError: needErrors[0] ?? retryErrors[0], nextTryAt: tries[0] ?? null };
}

const bounds = ({ start, end }: DataInterval): DataInterval => ({ start, end });
