/** Repairs inconsistencies and delivers notices; its schedule starts it every 45 seconds. See `activities/rounds/reconcile.ts`. */
import { patched, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { Repairs } from '../activities/rounds/reconcile.ts';
import { RECONCILING } from './policies.ts';

const { reconcileAll, deliverNotifications } = proxyActivities<Activities>(RECONCILING);

export async function reconcile(): Promise<Repairs> {
  const repairs = await reconcileAll();
  if (patched('notifications')) await deliverNotifications();
  return repairs;
}
