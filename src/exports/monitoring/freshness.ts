/** Measures freshness: how far an export has delivered, and how long the next interval has been due. */
import { isoMicros, millisOf } from '../domain/instants.ts';
import { progressOf, type Progress } from '../domain/freshness.ts';
import type { Millis } from '../domain/millis.ts';
import { sourceStartOfExport } from '../intervals/expired.ts';
import type { WatchedExport } from './freshness.store.ts';
import type { TroubleSummary } from './troubles.store.ts';
import type { ExportStores } from '../stores.ts';

export type Freshness = {
  /** Instant up to which every due interval is delivered and up to date; null until one is. ISO. */
  completeUntil: string | null;
  /** For how long the oldest undelivered interval has been due, or an interval outdated, whichever is longer; 0 if there is none. */
  lagSeconds: number;
  troubles: TroubleSummary['counts'];
};

/** `deliveredUntil`: like `completeUntil`, but outdated intervals count as delivered. */
export type MeasuredFreshness = { watched: WatchedExport; freshness: Freshness; deliveredUntil: Millis | undefined };

type Stores = Pick<ExportStores, 'batchExports' | 'freshness' | 'troubles'>;

const NO_TROUBLE: TroubleSummary = {
  counts: { stale: 0, unsettled: 0, gave_up: 0 },
  outdatedSince: null,
  firstOutdatedStart: null,
};

/** Limit of intervals of each export in one query of the ledger. */
const ENDS_PER_QUERY = 500;
/** Longer than any data interval. */
const LONGEST_MS = 32 * 24 * 3_600_000;

/** Computes the freshness of several exports, without deleted ones. The number of queries does not depend on the number of exports. */
export async function measureFreshness(stores: Stores, ids: readonly string[]): Promise<MeasuredFreshness[]> {
  const [exports, tilings, pauses, troubles, clock] = await Promise.all([
    stores.freshness.listWatchedExports(ids),
    stores.batchExports.tilings(ids),
    stores.freshness.listPauses(ids),
    stores.troubles.listSummaries(ids),
    stores.batchExports.now(),
  ]);
  const now = millisOf(clock);
  const withRetention = exports.filter(({ hasRetention }) => hasRetention).map(({ id }) => id);
  const sourceStarts = new Map(
    (await stores.batchExports.listByIds(withRetention)).map((one) => [one.id, sourceStartOfExport(one)]),
  );
  const progress = new Map<string, Progress>(
    exports.map(({ id, completeUntil }) => [id, { completeUntil: completeUntil ?? undefined, dueSince: undefined }]),
  );
  for (let remaining = exports; remaining.length > 0;) {
    const since = new Map(
      remaining.map((item) => [item.id, progress.get(item.id)!.completeUntil ?? item.intervalsEndAfter - LONGEST_MS]),
    );
    const delivered = await stores.freshness.listDeliveredEnds(since, ENDS_PER_QUERY);
    remaining = remaining.filter(({ id, intervalsEndAfter, endAt }) => {
      const { completeUntil } = progress.get(id)!;
      const ends = delivered.get(id) ?? [];
      const isLimited = ends.length === ENDS_PER_QUERY;
      const to = Math.min(now, endAt ?? Infinity, isLimited ? ends.at(-1)! : Infinity);
      const expected = {
        tiling: tilings.get(id)!,
        pauses: pauses.get(id)!,
        sourceStart: sourceStarts.get(id) ?? -Infinity,
        after: completeUntil ?? intervalsEndAfter,
        to,
      };
      const further = progressOf(expected, new Set(ends));
      progress.set(id, { ...further, completeUntil: further.completeUntil ?? completeUntil });
      return isLimited && further.completeUntil !== undefined && further.dueSince === undefined;
    });
  }
  return exports.map((watched) => {
    const progressOfExport = progress.get(watched.id)!;
    const freshness = freshnessOf(
      progressOfExport,
      troubles.get(watched.id) ?? NO_TROUBLE,
      watched.intervalsEndAfter,
      now,
    );
    return { watched, freshness, deliveredUntil: progressOfExport.completeUntil };
  });
}

/**
 * Computes the freshness of several exports at once; if that fails because of one of them, one by one.
 * @param onFailure receives the error of each export that failed
 */
export async function measureEach(
  stores: Stores,
  ids: readonly string[],
  onFailure: (id: string, error: unknown) => void,
): Promise<MeasuredFreshness[]> {
  const all = await measureFreshness(stores, ids).catch(() => undefined);
  if (all) return all;
  const measured: MeasuredFreshness[] = [];
  for (const id of ids) {
    await measureFreshness(stores, [id]).then(
      (batch) => measured.push(...batch),
      (error: unknown) => onFailure(id, error),
    );
  }
  return measured;
}

function freshnessOf(
  { completeUntil, dueSince }: Progress,
  { counts, outdatedSince, firstOutdatedStart }: TroubleSummary,
  beginning: Millis,
  now: Millis,
): Freshness {
  // Data are complete at most up to the start of the first outdated interval; if that is the export's first one, they are not complete at all.
  const limit =
    firstOutdatedStart === null ? Infinity : firstOutdatedStart <= beginning ? -Infinity : firstOutdatedStart;
  const until = completeUntil === undefined ? -Infinity : Math.min(completeUntil, limit);
  const behindSince = Math.min(dueSince ?? now, outdatedSince ?? now);
  return {
    completeUntil: until === -Infinity ? null : isoMicros(until),
    lagSeconds: Math.max(0, Math.floor((now - behindSince) / 1000)),
    troubles: counts,
  };
}
