/** The end of `sluice recover`: this database goes on as a new timeline, above all that an earlier one delivered. */
import { randomUUID } from 'node:crypto';
import type { TimelineWitness } from '../temporal/witness.ts';
import type { ExportStores } from '../stores.ts';

/**
 * Safe to repeat after a crash at any point: deliveries stay blocked until the new witness is there.
 * @param above the highest epoch that was found at a destination
 * @returns the new timeline's id
 * @throws Unavailable while Temporal does not answer
 */
export async function renewTimeline(
  { timeline }: Pick<ExportStores, 'timeline'>,
  witness: Pick<TimelineWitness, 'replace'>,
  above: number,
): Promise<string> {
  const next = randomUUID();
  await timeline.renew(next, above);
  await witness.replace(next);
  await timeline.endSwap({ previous: null, next });
  return timeline.id();
}
