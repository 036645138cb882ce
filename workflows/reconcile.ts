/** Once a minute: makes true again whatever drifted. See `activities/reconcile.ts` for what that is. */
import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { Repairs } from '../activities/reconcile.ts';
import { CARETAKING } from './policies.ts';

const { reconcileAll } = proxyActivities<Activities>(CARETAKING);

export async function reconcile(): Promise<Repairs> {
  return reconcileAll();
}
