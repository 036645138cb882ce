/** Creates a shared dashboard of the demo project on the first start. If a user deletes it or its link, later starts do not restore it. */
import type { ChangeContext } from '../../analytics/dashboards/change-context.ts';
import { makeFromTemplate } from '../../analytics/dashboards/creation.ts';
import { createSharing } from '../../analytics/sharing/sharing.ts';
import type { DashboardStores } from '../../analytics/dashboards/stores.ts';
import { COFFEE_SHOP } from '../../analytics/dashboards/templates/coffee-shop.ts';
import type { Demo } from '../../people/demo.store.ts';
import { rightsOfMember } from '../../people/access/rights.ts';
import { ALL_SCOPES } from '../../people/access/scopes.ts';
import type { StateFolder } from './state-folder.ts';

/** File with the dashboard's id. */
const FILE = 'demo-dashboard';

/** @returns the token of the dashboard's link; null if it has been removed */
export async function prepareDemoDashboard(
  stores: DashboardStores,
  demo: Demo,
  state: StateFolder,
): Promise<string | null> {
  const { projectId, organizationId, userId } = demo;
  const storedId = Number(await state.read(FILE));
  const sharing = createSharing(stores);
  const project = { id: projectId, organizationId, name: 'Demo' };

  if (storedId) {
    const dashboard = await stores.dashboards.find(projectId, storedId);
    if (!dashboard?.is_shared || dashboard.deleted) return null;
    return (await sharing.get({ project, object: { kind: 'dashboard', id: storedId } })).accessToken;
  }

  const caller: ChangeContext['caller'] = {
    keyId: null,
    userId,
    projectId: null,
    scopes: [ALL_SCOPES],
    onlyProjects: null,
    onlyOrganizations: null,
    session: null,
  };
  const rights = rightsOfMember({ userId, membership: { id: '', role: 'owner' }, rules: [] })!;
  const { id } = await stores.inTransaction(projectId, (tx) =>
    makeFromTemplate({ stores: tx, project, caller, rights }, COFFEE_SHOP, { fields: {}, tiles: [] }),
  );
  await state.writeSecret(FILE, `${id}\n`);
  const change = { project, author: caller, rights, object: { kind: 'dashboard', id } } as const;
  return (await sharing.change(change, { enabled: true })).accessToken;
}
