/** A template that a dashboard is created from. */
import type { DashboardFields } from '../dashboards.store.ts';
import type { GivenTile } from '../tiles/schema.ts';

export type DashboardTemplate = Pick<DashboardFields, 'name' | 'description' | 'filters' | 'tags'> & {
  tiles: readonly GivenTile[];
};
