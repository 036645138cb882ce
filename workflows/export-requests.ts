/** The dispatcher of one export: the only caller of its schedule's backfill. Ends when no request is open. */
import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { DISPATCHING } from './policies.ts';

export type ExportRequestsInput = { exportId: string };

const wake = defineSignal('wake');

const { dispatchRequests } = proxyActivities<Activities>(DISPATCHING);

/** Limit of rounds, which bounds a history. */
const MAX_ROUNDS = 300;
const SHORTEST_WAIT_SECONDS = 1;
const LONGEST_WAIT_SECONDS = 15;

export async function exportRequests(input: ExportRequestsInput): Promise<void> {
  let isWoken = false;
  setHandler(wake, () => {
    isWoken = true;
  });

  let waitSeconds = SHORTEST_WAIT_SECONDS;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    isWoken = false;
    const { open, progressed } = await dispatchRequests(input);
    setCurrentDetails(`${open} requests open`);
    // A request that arrived during the activity has sent a signal, so another round follows.
    if (open === 0 && !isWoken) return;
    waitSeconds = progressed ? SHORTEST_WAIT_SECONDS : Math.min(waitSeconds * 1.5, LONGEST_WAIT_SECONDS);
    await condition(() => isWoken, waitSeconds * 1000);
  }
  await continueAsNew<typeof exportRequests>(input);
}
