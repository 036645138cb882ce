/** Dashboards as clients see them. */
import type { Caller, Rights } from '../../platform/http/access.ts';
import { userOf } from '../../people/accounts/users.ts';
import type { Users } from '../../people/accounts/users.store.ts';
import type { Dashboard, ListedDashboard } from './dashboards.store.ts';
import type { Overrides } from '../insights/results/overlay.ts';
import { MAY_VIEW, privilegeOf } from './restriction.ts';
import { EVERYONE_EDITS, ONLY_COLLABORATORS_EDIT } from './restriction-level.ts';
import type { DashboardBody, ListedDashboardBody } from './schema.ts';
import type { TileBody } from './tiles/schema.ts';

/** The viewer; null: a stranger with a shared link, who sees neither access nor tags. */
export type Viewer = { caller: Pick<Caller, 'userId'>; rights: Rights } | null;

export type DashboardView = {
  viewer: Viewer;
  users: Users;
  tiles: TileBody[];
  /** Filters and variables for this view only. */
  overrides?: Overrides | undefined;
};

/** Presents a dashboard as lists show it. */
export function presentListed(
  dashboard: ListedDashboard,
  { viewer, users }: Pick<DashboardView, 'viewer' | 'users'>,
): ListedDashboardBody {
  return {
    id: dashboard.id,
    name: dashboard.name,
    description: dashboard.description,
    pinned: dashboard.pinned,
    created_at: dashboard.created_at,
    created_by: userOf(users, dashboard.created_by),
    is_shared: dashboard.is_shared,
    deleted: dashboard.deleted,
    creation_mode: dashboard.creation_mode,
    tags: viewer ? dashboard.tags : [],
    restriction_level: dashboard.restriction_level,
    ...accessOf(dashboard, viewer),
    access_control_version: dashboard.restriction_level > EVERYONE_EDITS ? 'v1' : 'v2',
    ...(dashboard.search_match_type && { search_match_type: dashboard.search_match_type }),
  };
}

/** Presents a whole dashboard, with its tiles. */
export function presentDashboard(dashboard: Dashboard, view: DashboardView): DashboardBody {
  const { filters, variables } = dashboard;
  return {
    ...presentListed(dashboard, view),
    last_accessed_at: dashboard.last_accessed_at,
    last_viewed_at: null,
    last_refresh: dashboard.last_refresh,
    team_id: dashboard.project_id,
    use_template: dashboard.use_template ?? '',
    use_dashboard: dashboard.use_dashboard,
    delete_insights: false,
    filters: { ...filters, ...view.overrides?.filters },
    variables: { ...variables, ...view.overrides?.variables },
    breakdown_colors: dashboard.breakdown_colors,
    data_color_theme_id: dashboard.data_color_theme_id,
    persisted_filters: orNull(filters),
    persisted_variables: orNull(variables),
    quick_filter_ids: [],
    tiles: view.tiles,
  };
}

function accessOf(dashboard: Dashboard, viewer: Viewer) {
  if (!viewer) {
    return {
      effective_restriction_level: ONLY_COLLABORATORS_EDIT,
      effective_privilege_level: MAY_VIEW,
      user_access_level: null,
    };
  }
  const { caller, rights } = viewer;
  return {
    effective_restriction_level: dashboard.restriction_level,
    effective_privilege_level: privilegeOf(dashboard, caller, rights),
    user_access_level: rights.levelOf('dashboard', { id: dashboard.id, createdBy: dashboard.created_by }),
  };
}

function orNull<Value extends object>(value: Value): Value | null {
  return Object.keys(value).length > 0 ? value : null;
}
