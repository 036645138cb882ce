/** Entries of the audit log about dashboards, in the transaction of the change itself. */
import type { Project } from '../../platform/http/access.ts';
import type { Author } from '../../people/audit/audit-log.ts';
import type { AuditVerb, Change } from '../../people/audit/entry.ts';
import type { Dashboard } from './dashboards.store.ts';
import type { BoundDashboardStores } from './stores.ts';

/** Name of the kind in the log. */
export const SCOPE = 'Dashboard';

type By = { stores: Pick<BoundDashboardStores, 'auditLog'>; project: Project; caller: Author };

/** @param dashboard after the change */
export async function recordDashboardChange(
  { stores, project, caller: author }: By,
  activity: AuditVerb,
  { id: itemId, name, version }: Pick<Dashboard, 'id' | 'name' | 'version'>,
  changes: readonly Change[] = [],
): Promise<void> {
  const entry = { scope: SCOPE, type: 'dashboard', itemId, activity, name: name ?? '', version, changes };
  await stores.auditLog.record({ project, author, ...entry });
}
