/** The smallest workflow that a durable run could be: the baseline that `bench/export/runs.ts` compares runs with. */
import { proxyActivities } from '@temporalio/workflow';

export type BareActivities = { nothing(): Promise<void> };

const { nothing } = proxyActivities<BareActivities>({ startToCloseTimeout: '1 minute' });

export async function bare(): Promise<void> {
  await nothing();
}
