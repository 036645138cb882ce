/** The end of `sluice recover`: this database continues as a new timeline, with epochs above those of all earlier deliveries. */
import { randomUUID } from 'node:crypto';
import type { TimelineWitness } from '../temporal/witness.ts';
import type { ExportStores } from '../stores.ts';

/**
 * Safe to repeat after a crash at any point, because deliveries stay blocked until the new witness exists.
 * @param highestEpoch the highest epoch that was found at a destination
 * @returns the new timeline's id
 * @throws Unavailable while Temporal does not answer
 */
export async function renewTimeline(
  { timeline }: Pick<ExportStores, 'timeline'>,
  witness: Pick<TimelineWitness, 'replace'>,
  highestEpoch: number,
): Promise<string> {
  const next = randomUUID();
  await timeline.renew(next, highestEpoch);
  await witness.replace(next);
  await timeline.endSwap({ previous: null, next });
  return timeline.getId();
}
