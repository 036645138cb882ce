/** Data intervals that ended in an export's latest pause and were not delivered, which unpausing with a backfill delivers. */
import { hasMark } from '../domain/interval-codes.ts';
import type { DataInterval, Tiling } from '../domain/intervals.ts';
import type { Millis } from '../domain/millis.ts';
import type { Pause } from '../domain/pauses.ts';
import { piecesEnding, type Pieces } from '../domain/pieces.ts';
import type { ExportStores } from '../stores.ts';
import { expiredRange, type ExpiringExport } from './expired.ts';
import { codesOf } from './interval-cells.ts';
import { offeredFact, pausedRange, type OfferedBounds } from './offered.ts';

/** The start of the first missed interval, the end of the last one, and their number. */
export type MissedIntervals = DataInterval & { intervals: number };

export type PausedExport = OfferedBounds & ExpiringExport & { id: string; tiling: Tiling; pauses: readonly Pause[] };

/** Limit of the newest intervals of a pause that are examined. */
export const MAX_MISSED = 10_000;

/** Missed intervals by export, in one query for all of them; an export that missed none is left out. */
export async function findMissed(
  { intervalFacts }: Pick<ExportStores, 'intervalFacts'>,
  exports: readonly PausedExport[],
  now: Millis,
): Promise<Map<string, MissedIntervals>> {
  const candidates = exports.flatMap((pausedExport) => {
    const pieces = intervalsEndedInPause(pausedExport, now);
    return pieces.total === 0 ? [] : [{ ...pausedExport, pieces, window: windowOf(pausedExport.id, pieces) }];
  });
  if (candidates.length === 0) return new Map();
  const facts = await intervalFacts.listFacts(candidates.map(({ window }) => window));
  return new Map(
    candidates.flatMap((pausedExport, index): [string, MissedIntervals][] => {
      const codes = codesOf(
        pausedExport.pieces,
        [
          ...facts[index]!,
          offeredFact(pausedExport),
          expiredRange(pausedExport, pausedExport.tiling),
          ...pausedExport.pauses.map(pausedRange),
        ],
        0,
      );
      const missed = [];
      for (let number = 0; number < pausedExport.pieces.total; number += 1)
        if (hasMark(codes.of(number), 'p')) missed.push(number);
      const [first, last] = [missed[0], missed.at(-1)];
      if (first === undefined || last === undefined) return [];
      const bounds = { start: pausedExport.pieces.interval(first).start, end: pausedExport.pieces.interval(last).end };
      return [[pausedExport.id, { ...bounds, intervals: missed.length }]];
    }),
  );
}

/** The newest intervals that ended in the latest pause. */
function intervalsEndedInPause({ tiling, pauses, ...offering }: PausedExport, now: Millis): Pieces {
  const latest = pauses.reduce<Pause | undefined>((a, b) => (a && a.pausedAt > b.pausedAt ? a : b), undefined);
  const none = piecesEnding(tiling, now, now);
  if (!latest) return none;
  const [paused, offered] = [pausedRange(latest), offeredFact(offering)];
  const [from, to] = [Math.max(paused.from, offered.from), Math.min(paused.to, offered.to, now)];
  if (from >= to) return none;
  const all = piecesEnding(tiling, from, to);
  return all.total <= MAX_MISSED ? all : piecesEnding(tiling, all.interval(all.total - MAX_MISSED).start, to);
}

function windowOf(exportId: string, { total, interval }: Pieces) {
  return { exportId, from: interval(0).start, to: interval(total - 1).end };
}
