/** Stages parts that hold one event each, from one reading of the interval. */
import type { EventReader } from '../../src/events/reading/read.ts';
import { severalAtOnce } from '../../src/exports/destinations/at-once.ts';
import type { PlanByEvent, PlannedPart } from '../../src/exports/domain/plan.ts';
import { markedParts } from '../../src/exports/formats/marked-parts.ts';
import type { PlannedRun } from './open-session.ts';
import { sourceOfRows, type RunPartSource } from './part-source.ts';

export type NumberedPart = { index: number; range: PlannedPart };

/** Files that are staged at once: each may have three pieces of eight MiB on their way to the store. */
const STAGED_AT_ONCE = 4;

type Staging = {
  /** Writes and records a part. @returns its rows */
  stage(part: NumberedPart, source: RunPartSource): Promise<number>;
  /** Key for hashed columns. */
  hashKey: string | null;
  signal: AbortSignal;
};

/**
 * Several parts are staged at once, so that the store's answers are awaited together, but only one of them reads rows at a time.
 * @param parts consecutive ones of a plan by event; those in `recorded` are staged already
 * @returns the rows that were staged
 */
export async function stageTogether(
  events: EventReader,
  { plan, slice }: PlannedRun,
  { parts, recorded }: { parts: readonly NumberedPart[]; recorded: ReadonlySet<number> },
  { stage, hashKey, signal }: Staging,
): Promise<number> {
  const places = placesOf(plan.byEvent!);
  const isMissing = ({ index }: NumberedPart) => !recorded.has(index);
  const missing = parts.filter(isMissing);
  if (missing.length === 0) return 0;
  // The reading marks the recorded parts in between, too, because it has their rows.
  const read = parts.slice(parts.findIndex(isMissing), parts.findLastIndex(isMissing) + 1);
  const placed = read.map(({ index, range: { from, to } }) => ({
    part: index,
    place: places[index]!,
    ...(from && { from }),
    ...(to && { to }),
  }));
  const reading = { events: plan.byEvent!.events.map(({ event }) => event), parts: placed };
  const failed = new AbortController();
  // Without a time limit: planning has held the user's expressions to one over the same rows, and the store sets the pace here.
  const options = { signal: AbortSignal.any([signal, failed.signal]), hashKey, seconds: 0 };
  const copied = events.copyParts(slice, plan.columns, reading, options);
  const numbers = missing.map(({ index }) => index);
  const { rowsOf, stop } = markedParts(copied, plan.columns.length, numbers);
  try {
    const rows = await severalAtOnce(
      missing,
      (part) => {
        const source = sourceOfRows(plan, part.range.rows, () => rowsOf(part.index));
        return stage(part, source).catch(async (error: unknown) => {
          // Otherwise the later parts would wait for their turn for ever, and the end of the reading for Postgres's next row.
          failed.abort(error);
          await stop(error);
          throw error;
        });
      },
      STAGED_AT_ONCE,
    );
    return rows.reduce((sum, count) => sum + count, 0);
  } finally {
    await stop(new Error('the parts are staged'));
  }
}

/** The place of each part's event among the plan's. */
function placesOf({ events }: PlanByEvent): number[] {
  return events.flatMap(({ parts }, place) => Array.from({ length: parts }, () => place));
}
