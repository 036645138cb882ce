/** Entries of the audit log about a dashboard's tiles: each tile that differs, as it was and as it is. */
import { changesBetween } from '../../../people/audit/audit-log.ts';
import { type Change } from '../../../people/audit/entry.ts';
import type { Dashboard } from '../dashboards.store.ts';
import { recordDashboardChange, SCOPE } from '../log.ts';
import type { ChangeContext } from '../change-context.ts';
import { ensureMayRestrictInsights, findRestrictedInsights } from '../../insights/restriction.ts';
import type { BoundDashboardStores } from '../stores.ts';
import { enforceTileLimit } from './tile-limit.ts';
import { fieldsOf } from './tiles.store.ts';

type LoggedDashboard = Pick<Dashboard, 'id' | 'project_id'>;

/**
 * Does the work and returns its changes to the dashboard, for the log entry that the caller writes.
 * @throws InvalidInput when the dashboard would have too many tiles
 */
export async function collectTileChanges(
  { stores }: Pick<ChangeContext, 'stores'>,
  dashboard: LoggedDashboard,
  work: () => Promise<unknown>,
): Promise<Change[]> {
  const before = await loadLoggedFields(stores, dashboard);
  await work();
  const after = await loadLoggedFields(stores, dashboard);
  const count = { before: Object.keys(before).length, after: Object.keys(after).length };
  await enforceTileLimit(stores, dashboard.id, count);
  const changes = changesBetween(SCOPE, before, after);
  return changes.map((change) => ({ ...change, field: 'tiles' }));
}

/**
 * Does the work, logs its changes to the dashboard and raises the version; without changes it does neither.
 * @returns what the work returns
 * @throws InvalidInput when the dashboard would have too many tiles
 * @throws PermissionDenied when it would restrict an insight that the caller may not change
 */
export async function withChangesLogged<T>(
  context: ChangeContext,
  dashboard: Dashboard,
  work: () => Promise<T>,
): Promise<T> {
  const { stores, project } = context;
  const restricted = await findRestrictedInsights(stores, dashboard);
  let result: T;
  const changes = await collectTileChanges(context, dashboard, async () => (result = await work()));
  await ensureMayRestrictInsights(context, dashboard, restricted);
  if (changes.length > 0) {
    await stores.dashboards.touch(project.id, dashboard.id);
    await recordDashboardChange(context, 'updated', await stores.dashboards.get(project.id, dashboard.id), changes);
  }
  return result!;
}

/** Loads the logged fields of the shown tiles, by id. */
async function loadLoggedFields(
  stores: BoundDashboardStores,
  { id, project_id }: LoggedDashboard,
): Promise<Record<string, unknown>> {
  const tiles = await stores.tiles.listLive(id);
  const texts = await stores.texts.findByIds(
    project_id,
    tiles.flatMap(({ text_id }) => text_id ?? []),
  );
  const buttons = await stores.buttons.findByIds(
    project_id,
    tiles.flatMap(({ button_id }) => button_id ?? []),
  );
  const entries = tiles.map((tile) => {
    const { insight_id, text_id, button_id } = tile;
    const { url, text, placement, style } = buttons.get(button_id ?? '') ?? {};
    const content = {
      ...(insight_id !== null && { insight: insight_id }),
      ...(text_id !== null && { text: texts.get(text_id)?.body ?? null }),
      ...(button_id !== null && { button_tile: { url, text, placement, style } }),
    };
    return [tile.id, { id: tile.id, ...content, ...fieldsOf(tile) }] as const;
  });
  return Object.fromEntries(entries);
}
