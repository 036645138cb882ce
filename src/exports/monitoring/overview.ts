/** Overview of a project's exports; those that need a person come first. The number of queries does not depend on the number of exports. */
import type { Visible } from '../../platform/http/access.ts';
import type { BatchExport } from '../batch-exports/batch-export.ts';
import { anyDestination } from '../destinations/index.ts';
import { millisOf } from '../domain/instants.ts';
import { startOfIntervalAt, intervalEndingAt, type DataInterval, type Tiling } from '../domain/intervals.ts';
import type { Millis } from '../domain/millis.ts';
import type { Pause } from '../domain/pauses.ts';
import { piecesEnding, type Pieces } from '../domain/pieces.ts';
import { slicesOf } from '../domain/slices.ts';
import { needsYou, retrying, type NeedsYou, type Retrying } from '../intervals/interval-attention.ts';
import { codesOf, eachCode, runLengths, type RunLengths } from '../intervals/interval-cells.ts';
import type { NewestRun } from '../intervals/interval-facts.store.ts';
import { missedInPauses, type Missed } from '../intervals/missed-intervals.ts';
import { alwaysOf, offeredRange, pausedRange } from '../intervals/offered.ts';
import type { ExportStores } from '../stores.ts';
import { describeBlock } from '../timeline/timeline-guard.ts';
import { attentionOf, type Attention } from './attention.ts';
import { lookAt, type Freshness } from './freshness.ts';

/** Standings of an export, the most urgent for people first. */
export const STANDINGS = ['needs_you', 'retrying', 'behind', 'paused', 'on_time'] as const;
export type Standing = (typeof STANDINGS)[number];

export type Wanted = { search: string; standings: readonly Standing[]; limit: number; offset: number };

export type Overseen = {
  batchExport: BatchExport;
  /** The destination's label, for people. */
  label: string;
  standing: Standing;
  freshness: Freshness;
  attention: Attention;
};

export type OverseenInDetail = Overseen & {
  /** The newest data intervals that have ended; `recent` has a code for each. */
  bounds: Pieces;
  recent: RunLengths;
  /** Error of the newest interval that needs a person, else of the newest that is tried again. */
  lastError: (NeedsYou | Retrying) | undefined;
  nextTryAt: string | null;
  missed: Missed | undefined;
};

export type Overview = {
  count: number;
  totals: Record<Standing, number>;
  results: OverseenInDetail[];
  /** Why all deliveries are blocked; null if they are not. */
  blocked: string | null;
};

/** Limit of exports in an overview, which takes the newest ones of the project. */
export const MAX_OVERSEEN = 2_000;
/** Number of newest intervals that are shown for each export. */
const RECENT = 48;
/** Lag above which an export without a freshness target counts as behind. */
const USUAL_TARGET_SECONDS = 15 * 60;
/** Limit of an export's retried intervals whose next tries are compared. */
const MAX_TRIED = 20;
const LOOKED_AT_ONCE = 200;

export type Overviews = ReturnType<typeof exportOverviews>;

export function exportOverviews({ stores }: { stores: ExportStores }) {
  return {
    async of(projectId: number, visible: Visible, wanted: Wanted): Promise<Overview> {
      const { results } = await stores.batchExports.list(projectId, { limit: MAX_OVERSEEN, offset: 0 }, visible);
      const named = results.map((one) => ({ batchExport: one, label: labelOf(one) })).filter(matching(wanted.search));
      const ids = named.map(({ batchExport }) => batchExport.id);
      const [troubled, pauses, freshness, { blocked }] = await Promise.all([
        stores.troubledIntervals.troubledFacts(ids),
        stores.freshness.pauses(ids),
        freshnessOf(ids),
        stores.timeline.state(),
      ]);
      const facts = Map.groupBy(troubled, ({ exportId }) => exportId);
      const all = named.flatMap((one): Overseen[] => {
        const { id } = one.batchExport;
        const fresh = freshness.get(id);
        // The export was deleted meanwhile.
        if (!fresh) return [];
        const attention = attentionOf(one.batchExport, pauses.get(id) ?? [], facts.get(id) ?? []);
        return [{ ...one, freshness: fresh, attention, standing: standingOf(one.batchExport, fresh, attention) }];
      });
      const byStanding = Map.groupBy(all, ({ standing }) => standing);
      const ordered = STANDINGS.filter(
        (one) => wanted.standings.length === 0 || wanted.standings.includes(one),
      ).flatMap((standing) => byStanding.get(standing) ?? []);
      const page = ordered.slice(wanted.offset, wanted.offset + wanted.limit);
      return {
        count: ordered.length,
        totals: Object.fromEntries(
          STANDINGS.map((one) => [one, byStanding.get(one)?.length ?? 0]),
        ) as Overview['totals'],
        results: await detailsOf(page, pauses),
        blocked: blocked === null ? null : describeBlock(blocked),
      };
    },
  };

  async function freshnessOf(ids: readonly string[]): Promise<Map<string, Freshness>> {
    const found = new Map<string, Freshness>();
    for (const batch of slicesOf(ids, LOOKED_AT_ONCE))
      for (const { watched, freshness } of await lookAt(stores, batch)) found.set(watched.id, freshness);
    return found;
  }

  async function detailsOf(
    page: readonly Overseen[],
    pauses: ReadonlyMap<string, Pause[]>,
  ): Promise<OverseenInDetail[]> {
    const ids = page.map(({ batchExport }) => batchExport.id);
    const [tilings, clock] = await Promise.all([stores.batchExports.tilings(ids), stores.batchExports.now()]);
    const now = millisOf(clock);
    const looked = page.map((one) => {
      const { id } = one.batchExport;
      return {
        ...one,
        tiling: tilings.get(id)!,
        pauses: pauses.get(id) ?? [],
        bounds: recentOf(tilings.get(id)!, now),
      };
    });
    const [facts, missed, runs] = await Promise.all([
      stores.intervalFacts.facts(
        looked.map(({ batchExport, bounds }) => ({
          exportId: batchExport.id,
          from: bounds.interval(0).start,
          to: bounds.interval(bounds.total - 1).end,
        })),
      ),
      missedInPauses(
        stores,
        looked.map((one) => ({ ...one.batchExport, tiling: one.tiling, pauses: one.pauses })),
        now,
      ),
      stores.intervalFacts.newestRuns(looked.flatMap(namedOf)),
    ]);
    const runsOf = Map.groupBy(runs, ({ exportId }) => exportId);
    return looked.map((one, index) => {
      const { batchExport, bounds, attention } = one;
      const ranges = [...facts[index]!, offeredRange(batchExport), ...one.pauses.map(pausedRange)];
      const newest = new Map((runsOf.get(batchExport.id) ?? []).map((run) => [run.end, run]));
      return {
        ...one,
        recent: runLengths(eachCode(bounds.total, codesOf(bounds, ranges, alwaysOf(batchExport)))),
        missed: missed.get(batchExport.id),
        ...errorsOf(attention, newest),
      };
    });
  }
}

function labelOf({ destinationType, destinationConfig }: BatchExport): string {
  return anyDestination(destinationType).label(destinationConfig);
}

function matching(search: string) {
  const text = search.trim().toLowerCase();
  return ({ batchExport, label }: Pick<Overseen, 'batchExport' | 'label'>) =>
    [batchExport.name, label, batchExport.destinationType, batchExport.model, batchExport.id].some((one) =>
      one.toLowerCase().includes(text),
    );
}

function standingOf(
  { paused, freshnessTargetSeconds }: BatchExport,
  { lagSeconds }: Freshness,
  attention: Attention,
): Standing {
  if (attention.needsYou.length > 0) return 'needs_you';
  if (attention.retrying.length > 0) return 'retrying';
  if (paused) return 'paused';
  return lagSeconds > (freshnessTargetSeconds ?? USUAL_TARGET_SECONDS) ? 'behind' : 'on_time';
}

/** The newest intervals that have ended. */
function recentOf(tiling: Tiling, now: Millis): Pieces {
  let start = startOfIntervalAt(tiling, now);
  for (let count = 0; count < RECENT; count += 1) start = intervalEndingAt(tiling, start)?.start ?? start;
  return piecesEnding(tiling, start, now);
}

/** Intervals whose runs are looked up: the newest that needs a person, and some that are tried again. */
function namedOf({ batchExport, attention }: Overseen): { exportId: string; end: Millis }[] {
  return [...attention.needsYou.slice(0, 1), ...attention.retrying.slice(0, MAX_TRIED)].map(({ end }) => ({
    exportId: batchExport.id,
    end,
  }));
}

function errorsOf({ needsYou: needing, retrying: tried }: Attention, runs: ReadonlyMap<Millis, NewestRun>) {
  const waiting = needing.slice(0, 1).map((one) => needsYou(bounds(one), one.facts, runs.get(one.end)));
  const retried = tried.slice(0, MAX_TRIED).map((one) => retrying(bounds(one), runs.get(one.end), one.isGap));
  const tries = retried.flatMap(({ nextTryAt }) => nextTryAt ?? []).sort();
  return { lastError: waiting[0] ?? retried[0], nextTryAt: tries[0] ?? null };
}

const bounds = ({ start, end }: DataInterval): DataInterval => ({ start, end });
