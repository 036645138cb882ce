/** Placeholders of fields that are not drawn and that strangers do not see: the same for every dashboard. */
import { BY_LINK } from '../insights/restriction.ts';
import type { InsightBody } from '../insights/schema.ts';
import { ONLY_COLLABORATORS_EDIT } from '../dashboards/restriction-level.ts';
import type { DashboardBody } from '../dashboards/schema.ts';
import type { TileBody } from '../dashboards/tiles/schema.ts';

/** All fields but those that are drawn, so a field that is added later must be drawn, or hidden here. */
type Others<Body, Drawn extends keyof Body> = Record<Exclude<keyof Body, Drawn>, unknown>;

export const HIDDEN_DASHBOARD_FIELDS = {
  pinned: false,
  created_at: null,
  created_by: null,
  last_accessed_at: null,
  last_viewed_at: null,
  is_shared: true,
  deleted: false,
  creation_mode: 'default',
  tags: [],
  ...BY_LINK,
  restriction_level: ONLY_COLLABORATORS_EDIT,
  access_control_version: 'v1',
  user_access_level: null,
  last_refresh: null,
  team_id: null,
  use_template: '',
  use_dashboard: null,
  delete_insights: false,
  filters: {},
  variables: {},
  breakdown_colors: [],
  data_color_theme_id: null,
  persisted_filters: null,
  persisted_variables: null,
  quick_filter_ids: [],
} as const satisfies Others<DashboardBody, 'id' | 'name' | 'description' | 'tiles'>;

type DrawnOfTile =
  | 'id'
  | 'order'
  | 'layouts'
  | 'color'
  | 'show_description'
  | 'transparent_background'
  | 'insight'
  | 'text'
  | 'button_tile'
  | 'error';

export const HIDDEN_TILE_FIELDS = {
  widget: null,
  filters_overrides: {},
  last_refresh: null,
  is_cached: false,
} as const satisfies Others<TileBody, DrawnOfTile>;

export const HIDDEN_TEXT_FIELDS = {
  created_by: null,
  last_modified_by: null,
  last_modified_at: null,
  team: null,
  dashboard_tiles: [],
} as const satisfies Others<NonNullable<TileBody['text']>, 'id' | 'body'>;

export const HIDDEN_BUTTON_FIELDS = { team: null, dashboard_tiles: [] } as const satisfies Others<
  NonNullable<TileBody['button_tile']>,
  'id' | 'url' | 'text' | 'placement' | 'style'
>;

type DrawnOfInsight =
  | 'id'
  | 'short_id'
  | 'name'
  | 'derived_name'
  | 'description'
  | 'query'
  | 'result'
  | 'columns'
  | 'hasMore'
  | 'timezone'
  | 'last_refresh'
  | 'error'
  | 'dashboards';

export const HIDDEN_INSIGHT_FIELDS = {
  filters: {},
  order: null,
  deleted: false,
  dashboard_tiles: [],
  types: null,
  resolved_date_range: null,
  is_cached: false,
  cache_target_age: null,
  next_allowed_client_refresh: null,
  query_status: null,
  filters_hash: null,
  created_at: null,
  created_by: null,
  updated_at: null,
  last_modified_at: null,
  last_modified_by: null,
  tags: [],
  favorited: false,
  saved: false,
  is_sample: false,
  ...BY_LINK,
  user_access_level: null,
  hogql: null,
  alerts: [],
  last_viewed_at: null,
} as const satisfies Others<InsightBody, DrawnOfInsight>;
