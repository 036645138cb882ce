/** Insights as clients see them. */
import { userOf } from '../../people/accounts/users.ts';
import type { Users } from '../../people/accounts/users.store.ts';
import type { Rights } from '../../platform/http/access.ts';
import type { TileLocation } from '../dashboards/tiles/tiles.store.ts';
import type { Insight } from './insight.ts';
import { BY_LINK, UNRESTRICTED, type Restriction } from './restriction.ts';
import type { InsightResult } from './results/result.ts';
import type { InsightBody } from './schema.ts';

/** Context of an insight's answer. */
export type InsightView = {
  /** null: a stranger with a shared link, who sees neither access nor tags. */
  rights: Pick<Rights, 'levelOf'> | null;
  users: Users;
  result: InsightResult;
  /** Tiles of this insight. */
  locations: readonly TileLocation[];
  /** The restriction that its dashboards impose; absent if none does. */
  restriction?: Restriction;
};

export function presentInsight(insight: Insight, view: InsightView): InsightBody {
  const { rights, users, result, locations } = view;
  return {
    id: insight.id,
    short_id: insight.short_id,
    name: insight.name,
    derived_name: insight.derived_name,
    description: insight.description,
    query: insight.query,
    filters: {},
    order: null,
    deleted: insight.deleted,
    dashboards: locations.filter(({ deleted }) => !deleted).map(({ dashboard_id }) => dashboard_id),
    dashboard_tiles: locations.map(({ id, dashboard_id, deleted }) => ({ id, dashboard_id, deleted })),
    ...result,
    created_at: insight.created_at,
    created_by: userOf(users, insight.created_by),
    updated_at: insight.updated_at,
    last_modified_at: insight.last_modified_at,
    last_modified_by: userOf(users, insight.last_modified_by),
    tags: rights ? insight.tags : [],
    favorited: insight.favorited,
    saved: insight.saved,
    is_sample: insight.is_sample,
    ...(rights ? (view.restriction ?? UNRESTRICTED) : BY_LINK),
    user_access_level: rights?.levelOf('insight', { id: insight.id, createdBy: insight.created_by }) ?? null,
    hogql: null,
    alerts: [],
    last_viewed_at: null,
  };
}
