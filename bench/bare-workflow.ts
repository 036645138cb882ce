/** The least that a durable run can be: what `bench/export/runs.ts` compares ours with. */
import { proxyActivities } from '@temporalio/workflow';

export type BareActivities = { nothing(): Promise<void> };

const { nothing } = proxyActivities<BareActivities>({ startToCloseTimeout: '1 minute' });

export async function bare(): Promise<void> {
  await nothing();
}
