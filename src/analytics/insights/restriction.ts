/** Effects of restricted dashboards on the insights on them (upstream's permissions v1). */
import { PermissionDenied } from '../../platform/errors.ts';
import { reaches, type Caller, type FindProtected, type Rights } from '../../platform/http/access.ts';
import type { ChangeContext } from '../dashboards/change-context.ts';
import type { Dashboard } from '../dashboards/dashboards.store.ts';
import { MAY_EDIT, MAY_VIEW, mayEdit, type Privilege } from '../dashboards/restriction.ts';
import { EVERYONE_EDITS, ONLY_COLLABORATORS_EDIT, type RestrictionLevel } from '../dashboards/restriction-level.ts';
import type { BoundDashboardStores } from '../dashboards/stores.ts';
import type { OwnedTileLocation } from '../dashboards/tiles/tiles.store.ts';
import type { InsightLocation, InsightStore } from './insights.store.ts';

export type Restriction = {
  effective_restriction_level: RestrictionLevel;
  effective_privilege_level: Privilege;
};

/** Restriction of insights on no restricted dashboard. */
export const UNRESTRICTED: Restriction = {
  effective_restriction_level: EVERYONE_EDITS,
  effective_privilege_level: MAY_EDIT,
};

/** Restriction for strangers with a link, who may change nothing. */
export const BY_LINK: Restriction = {
  effective_restriction_level: ONLY_COLLABORATORS_EDIT,
  effective_privilege_level: MAY_VIEW,
};

const NO_EDIT = "You don't have edit permissions for this insight.";

/**
 * An insight is as restricted as the most restricted dashboard with it. Editing takes the right to edit all of its dashboards; otherwise callers
 * could bypass a restriction by adding the insight to a dashboard of their own. (For upstream, one dashboard is enough.)
 */
export function restrictionOf(
  locations: readonly InsightLocation[],
  caller: Pick<Caller, 'userId'>,
  rights: Rights,
): Restriction {
  const live = locations.filter(({ deleted }) => !deleted);
  if (live.every((location) => location.restriction_level === EVERYONE_EDITS)) return UNRESTRICTED;
  return {
    effective_restriction_level: ONLY_COLLABORATORS_EDIT,
    effective_privilege_level: mayEditInsight(live, caller, rights) ? MAY_EDIT : MAY_VIEW,
  };
}

/** Tiles on dashboards that the caller sees: others are left out. */
export function visibleLocations<Location extends OwnedTileLocation>(
  locations: readonly Location[],
  rights: Pick<Rights, 'levelOf'>,
): Location[] {
  return locations.filter(({ dashboard_id: id, created_by: createdBy }) =>
    reaches(rights.levelOf('dashboard', { id, createdBy }), 'viewer'),
  );
}

/** Whether the insight's dashboards let the caller change it; levels are checked elsewhere. */
export function mayEditInsight(
  locations: readonly InsightLocation[],
  caller: Pick<Caller, 'userId'>,
  rights: Rights,
): boolean {
  return locations.every((location) => location.deleted || mayEdit(location, caller, rights));
}

/** @returns ids of the insights that the dashboard's restriction covers: all on its tiles, also deleted insights, but not deleted tiles */
export async function findRestrictedInsights(
  { tiles }: Pick<BoundDashboardStores, 'tiles'>,
  { id, deleted, restriction_level }: Pick<Dashboard, 'id' | 'deleted' | 'restriction_level'>,
): Promise<number[]> {
  if (deleted || restriction_level === EVERYONE_EDITS) return [];
  return (await tiles.listAll(id)).flatMap((tile) => (tile.deleted ? [] : (tile.insight_id ?? [])));
}

/**
 * Ensures that a dashboard's restriction covers no further insight that the caller may not change.
 * @param dashboard the dashboard after the change
 * @param previous ids of the insights that the restriction covered before
 * @throws PermissionDenied
 */
export async function ensureMayRestrictInsights(
  { stores, project, caller, rights }: ChangeContext,
  dashboard: Dashboard,
  previous: readonly number[] = [],
): Promise<void> {
  const allowed = new Set(previous);
  const ids = (await findRestrictedInsights(stores, dashboard)).filter((id) => !allowed.has(id));
  const insights = await stores.insights.withDeleted(project.id, ids);
  const locations = await stores.insights.findLocations(project.id, ids);
  for (const { id, created_by: createdBy } of insights) {
    const hasLevel = reaches(rights.levelOf('insight', { id, createdBy }), 'editor');
    if (hasLevel && mayEditInsight(locations.get(id) ?? [], caller, rights)) continue;
    throw new PermissionDenied(
      `You don't have edit permissions for insight ${id}, which this restricted dashboard would restrict, too.`,
    );
  }
}

/** Lets the gatekeeper find insights by id or short id, also deleted ones, because they can be restored. */
export function protectedInsights(stores: Pick<InsightStore, 'find' | 'findLocations'>): FindProtected {
  return async (projectId, reference) => {
    const insight = await stores.find(projectId, reference);
    if (!insight) return undefined;
    const { id, created_by: createdBy, deleted } = insight;
    const locations = (await stores.findLocations(projectId, [id])).get(id) ?? [];
    const refusal = (caller: Caller, rights: Rights) =>
      mayEditInsight(locations, caller, rights) ? undefined : NO_EDIT;
    const name = insight.name ?? insight.short_id;
    return { id, createdBy, name, deleted, refusal };
  };
}
