/**
 * Rights to change a restricted dashboard (upstream's permissions v1). Levels and rules apply to any object;
 * a dashboard may also be limited to its collaborators.
 */
import { PermissionDenied } from '../../platform/errors.ts';
import type { Caller, FindProtected, Rights } from '../../platform/http/access.ts';
import type { Dashboard, DashboardStore } from './dashboards.store.ts';
import { EVERYONE_EDITS } from './restriction-level.ts';

export const MAY_VIEW = 21;
export const MAY_EDIT = 37;

/** The privilege that a restriction leaves one person. */
export type Privilege = typeof MAY_VIEW | typeof MAY_EDIT;

export const NO_EDIT = "You don't have edit permissions for this dashboard.";
const NO_RESTRICTION =
  'Only the dashboard owner and project admins have the restriction rights required to change the ' +
  "dashboard's restriction level.";

type RestrictedDashboard = Pick<Dashboard, 'created_by' | 'restriction_level' | 'editors'>;
/** The caller, of whom only the user matters here. */
type CallerUser = Pick<Caller, 'userId'>;

/** Whether the caller may set the restriction and always edit: the creator, and admins of the project. */
export function maySetRestriction(
  { created_by }: Pick<Dashboard, 'created_by'>,
  { userId }: CallerUser,
  rights: Rights,
): boolean {
  return rights.isProjectAdmin || (userId !== null && userId === created_by);
}

/** @throws PermissionDenied */
export function ensureMaySetRestriction(
  dashboard: Pick<Dashboard, 'created_by'>,
  caller: CallerUser,
  rights: Rights,
): void {
  if (!maySetRestriction(dashboard, caller, rights)) throw new PermissionDenied(NO_RESTRICTION);
}

export function privilegeOf(dashboard: RestrictedDashboard, caller: CallerUser, rights: Rights): Privilege {
  if (dashboard.restriction_level === EVERYONE_EDITS) return MAY_EDIT;
  if (maySetRestriction(dashboard, caller, rights)) return MAY_EDIT;
  return dashboard.editors.some((userId) => userId === caller.userId) ? MAY_EDIT : MAY_VIEW;
}

/** Whether the restriction lets the caller change the dashboard; levels are checked elsewhere. */
export function mayEdit(dashboard: RestrictedDashboard, caller: CallerUser, rights: Rights): boolean {
  return privilegeOf(dashboard, caller, rights) === MAY_EDIT;
}

/** Lets the gatekeeper find dashboards, also deleted ones, because they can be restored. */
export function protectedDashboards({ find }: Pick<DashboardStore, 'find'>): FindProtected {
  return async (projectId, id) => {
    const dashboard = isDashboardId(id) ? await find(projectId, Number(id)) : undefined;
    if (!dashboard) return undefined;
    const refusal = (caller: Caller, rights: Rights) => (mayEdit(dashboard, caller, rights) ? undefined : NO_EDIT);
    const { created_by: createdBy, deleted } = dashboard;
    return { id: dashboard.id, name: dashboard.name ?? '', createdBy, deleted, refusal };
  };
}

const MAX_ID = 2 ** 31 - 1;

function isDashboardId(text: string): boolean {
  return /^\d{1,10}$/.test(text) && Number(text) <= MAX_ID;
}
