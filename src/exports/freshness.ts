/** Freshness as a number: how far an export has delivered, and how long the next interval has been due. */
import { isoMicros, millisOf } from './domain/instants.ts';
import { progressOf, type Progress } from './domain/freshness.ts';
import type { Millis } from './domain/intervals.ts';
import type { WatchedExport } from './freshness.store.ts';
import type { ExportStores } from './stores.ts';

export type Freshness = {
  /** Every interval up to here that should be delivered is; null until one is. ISO. */
  completeUntil: string | null;
  /** How long the first interval that should be delivered and is not has been due; 0: none is. */
  lagSeconds: number;
};

export type LookedAt = { watched: WatchedExport; freshness: Freshness };

type Stores = Pick<ExportStores, 'batchExports' | 'freshness'>;

/** Intervals of one export that one look at the ledger reads. */
const PAGE = 500;
/** No interval is longer. */
const LONGEST_MS = 32 * 24 * 3_600_000;

/** Looks at several exports at once; those that are deleted are left out. Does as many queries for one as for a hundred. */
export async function lookAt(stores: Stores, ids: readonly string[]): Promise<LookedAt[]> {
  const [exports, tilings, pauses, clock] = await Promise.all([
    stores.freshness.watched(ids),
    stores.batchExports.tilings(ids),
    stores.freshness.pauses(ids),
    stores.batchExports.now(),
  ]);
  const now = millisOf(clock);
  const progress = new Map<string, Progress>(
    exports.map(({ id, completeUntil }) => [id, { completeUntil: completeUntil ?? undefined, dueSince: undefined }]),
  );
  for (let rest = exports; rest.length > 0;) {
    const since = new Map(
      rest.map((one) => [one.id, progress.get(one.id)!.completeUntil ?? one.beginning - LONGEST_MS]),
    );
    const delivered = await stores.freshness.delivered(since, PAGE);
    rest = rest.filter(({ id, beginning, endAt }) => {
      const { completeUntil } = progress.get(id)!;
      const ends = delivered.get(id) ?? [];
      const isCut = ends.length === PAGE;
      const to = Math.min(now, endAt ?? Infinity, isCut ? ends.at(-1)! : Infinity);
      const expected = { tiling: tilings.get(id)!, pauses: pauses.get(id)!, after: completeUntil ?? beginning, to };
      const further = progressOf(expected, new Set(ends));
      progress.set(id, { ...further, completeUntil: further.completeUntil ?? completeUntil });
      return isCut && further.completeUntil !== undefined && further.dueSince === undefined;
    });
  }
  return exports.map((watched) => ({ watched, freshness: freshnessOf(progress.get(watched.id)!, now) }));
}

function freshnessOf({ completeUntil, dueSince }: Progress, now: Millis): Freshness {
  return {
    completeUntil: completeUntil === undefined ? null : isoMicros(completeUntil),
    lagSeconds: dueSince === undefined ? 0 : Math.floor((now - dueSince) / 1000),
  };
}
