/**
 * The witness of the timeline, outside of Postgres: it holds a nonce that the database replaces again and again. A database that was
 * restored, or copied, knows an outdated nonce. See `src/exports/timeline/timeline-guard.ts`.
 */
import { condition, continueAsNew, defineUpdate, setHandler } from '@temporalio/workflow';
import { SWAP, type Swap } from '../src/exports/domain/witness.ts';

export type TimelineWitnessInput = { nonce: string };

const swap = defineUpdate<boolean, [Swap]>(SWAP);

/** Keeps each workflow history short: a swap adds about five entries. The witness itself lives as long as the installation. */
const MAX_SWAPS = 500;

/** Never ends. A swap answers whether the witness held the expected nonce; if not, the nonce stays unchanged. */
export async function timelineWitness({ nonce }: TimelineWitnessInput): Promise<void> {
  let current = nonce;
  let swaps = 0;
  setHandler(swap, ({ expected, next }) => {
    swaps += 1;
    // The witness holds `next` if the answer to an earlier call was lost.
    const agrees = current === expected || current === next;
    if (agrees) current = next;
    return agrees;
  });
  await condition(() => swaps >= MAX_SWAPS);
  await continueAsNew<typeof timelineWitness>({ nonce: current });
}
