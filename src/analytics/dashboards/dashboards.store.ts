/**
 * Rows of dashboards. Fields have the same names in the table, in code and on the wire, because most are only passed on. Writers
 * hold the project's lock (`stores.inTransaction`). Instants are ISO texts with microseconds.
 */
import type { Knex } from '../../platform/db/connection.ts';
import { NotFound } from '../../platform/errors.ts';
import { listDashboards, type DashboardQuery, type SearchMatch } from './list.store.ts';
import type { RestrictionLevel } from './restriction-level.ts';

export const CREATION_MODES = ['default', 'template', 'duplicate', 'unlisted'] as const;
export type CreationMode = (typeof CREATION_MODES)[number];

type Json = Readonly<Record<string, unknown>>;

/** Fields of a dashboard that users set. */
export type DashboardFields = {
  name: string | null;
  description: string;
  pinned: boolean;
  deleted: boolean;
  restriction_level: RestrictionLevel;
  /** Laid over the queries of its tiles. */
  filters: Json;
  /** Values by the id of the variable. */
  variables: Json;
  breakdown_colors: unknown[];
  data_color_theme_id: number | null;
  tags: string[];
  last_accessed_at: string | null;
};

export type Dashboard = DashboardFields & {
  id: number;
  project_id: number;
  creation_mode: CreationMode;
  /** Number of changes to the dashboard and its tiles. */
  version: number;
  created_by: number | null;
  created_at: string;
  last_refresh: string | null;
  /** The built-in template that it was made from. */
  use_template: string | null;
  /** The dashboard that it was copied from. */
  use_dashboard: number | null;
  /** Whether the current link is enabled, and not expired. */
  is_shared: boolean;
  /** Users who may edit it though it is restricted. */
  editors: number[];
};

export type Origin = Partial<Pick<Dashboard, 'use_template' | 'use_dashboard'>>;
export type NewDashboard = Partial<DashboardFields> &
  Origin &
  Pick<Dashboard, 'project_id' | 'creation_mode' | 'created_by'>;

/** A dashboard in a list; after a search, with the kind of match. */
export type ListedDashboard = Dashboard & { search_match_type?: SearchMatch };

/** Includes the data that lists need, so no dashboard takes a further query. */
const COLUMNS = `dashboards.*,
  exists (select from sharing_configurations as link
    where link.dashboard_id = dashboards.id and link.expires_at is null and link.enabled
      and (link.shared_until is null or link.shared_until > clock_timestamp())) as is_shared,
  array(select user_id from dashboard_collaborators as collaborator
    where collaborator.dashboard_id = dashboards.id and level = 37 order by user_id) as editors`;

export function dashboardStore(db: Knex) {
  const table = () => db<Dashboard>('dashboards');

  async function find(projectId: number, id: number): Promise<Dashboard | undefined> {
    const rows: Dashboard[] = await table().where({ project_id: projectId, id }).select(db.raw(COLUMNS));
    return rows[0];
  }

  async function get(projectId: number, id: number): Promise<Dashboard> {
    const found = await find(projectId, id);
    if (!found || found.deleted) throw new NotFound();
    return found;
  }

  return {
    /** @throws NotFound for one that is not there, or deleted */
    get,

    /** Finds deleted dashboards too. */
    find,

    /** Dashboards that are not deleted. */
    async list(projectId: number, query: DashboardQuery): Promise<{ count: number; results: ListedDashboard[] }> {
      const { count, rows } = await listDashboards(db, projectId, query, COLUMNS);
      return { count, results: rows as ListedDashboard[] };
    },

    /** The unlisted dashboard of the tag, unless it is deleted. */
    async findUnlisted(projectId: number, tag: string): Promise<Pick<Dashboard, 'id'> | undefined> {
      return table()
        .where({ project_id: projectId, creation_mode: 'unlisted', deleted: false })
        .whereRaw('? = any (tags)', [tag])
        .first('id');
    },

    async insert(dashboard: NewDashboard): Promise<Dashboard> {
      const [row] = await table().insert(columnsOf(dashboard)).returning('id');
      return (await find(dashboard.project_id, row!.id))!;
    },

    /** Raises the version. @throws NotFound */
    async update(projectId: number, id: number, changes: Partial<DashboardFields>): Promise<Dashboard> {
      await table()
        .where({ project_id: projectId, id })
        .update({ ...columnsOf(changes), version: db.raw('version + 1') });
      const changed = await find(projectId, id);
      if (!changed) throw new NotFound();
      return changed;
    },

    /** Raises the version, because something on the dashboard changed. */
    async touch(projectId: number, id: number): Promise<void> {
      await table()
        .where({ project_id: projectId, id })
        .update({ version: db.raw('version + 1') });
    },

    /** Records a view of the dashboard. @throws NotFound for one that is not there, or deleted */
    async recordView(projectId: number, id: number): Promise<Dashboard> {
      await table()
        .where({ project_id: projectId, id, deleted: false })
        .update({ last_accessed_at: db.raw('clock_timestamp()') });
      return get(projectId, id);
    },
  };
}

/** Encodes lists as JSON, because the driver would send them as Postgres arrays. */
function columnsOf<Fields extends Partial<DashboardFields>>(fields: Fields): Fields {
  if (!fields.breakdown_colors) return fields;
  return { ...fields, breakdown_colors: JSON.stringify(fields.breakdown_colors) };
}

export type DashboardStore = ReturnType<typeof dashboardStore>;
