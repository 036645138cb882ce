/** Entries of the activity log about dashboards, in the transaction of the change itself. */
import type { Project } from '../http/access.ts';
import type { ActivityVerb, Author, Change } from '../identity/activity.ts';
import type { Dashboard } from './dashboards.store.ts';
import type { DashboardBound } from './stores.ts';

/** Name of the kind in the log. */
export const SCOPE = 'Dashboard';

type By = { stores: Pick<DashboardBound, 'activity'>; project: Project; caller: Author };

/** @param dashboard after the change */
export async function recordOf(
  { stores, project, caller: author }: By,
  activity: ActivityVerb,
  { id: itemId, name, version }: Pick<Dashboard, 'id' | 'name' | 'version'>,
  changes: readonly Change[] = [],
): Promise<void> {
  const entry = { scope: SCOPE, type: 'dashboard', itemId, activity, name: name ?? '', version, changes };
  await stores.activity.record({ project, author, ...entry });
}
