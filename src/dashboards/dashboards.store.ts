/** Rows of dashboards. Writers hold the project's turn (`stores.inTransaction`); instants are ISO text with microseconds. */
import type { Knex } from '../db/connection.ts';
import { NotFound } from '../errors.ts';
import type { RestrictionLevel } from './restriction.ts';

export const CREATION_MODES = ['default', 'template', 'duplicate', 'unlisted'] as const;
export type CreationMode = (typeof CREATION_MODES)[number];

type Json = Record<string, unknown>;

export type Dashboard = {
  id: number;
  projectId: number;
  name: string | null;
  description: string;
  pinned: boolean;
  deleted: boolean;
  creationMode: CreationMode;
  restrictionLevel: RestrictionLevel;
  /** Laid over the queries of its tiles. */
  filters: Json;
  /** By id of the variable. */
  variables: Json;
  breakdownColors: unknown[];
  dataColorThemeId: number | null;
  tags: string[];
  /** Counts its changes and those of its tiles. */
  version: number;
  createdBy: number | null;
  createdAt: string;
  lastAccessedAt: string | null;
  lastRefresh: string | null;
  /** Whether the link that counts is open. */
  isShared: boolean;
  /** Users who may edit it though it is restricted. */
  editors: number[];
};

/** What may be said of a dashboard; the rest follows from it. */
export type DashboardFields = Omit<
  Dashboard,
  'id' | 'projectId' | 'version' | 'createdBy' | 'createdAt' | 'lastRefresh' | 'isShared' | 'editors'
>;

export type DashboardRow = {
  id: number;
  project_id: number;
  name: string | null;
  description: string;
  pinned: boolean;
  deleted: boolean;
  creation_mode: CreationMode;
  restriction_level: RestrictionLevel;
  filters: Json;
  variables: Json;
  breakdown_colors: unknown[];
  data_color_theme_id: number | null;
  tags: string[];
  version: number;
  created_by: number | null;
  created_at: string;
  last_accessed_at: string | null;
  last_refresh: string | null;
  is_shared: boolean;
  editors: number[];
};

/** What a list needs of a dashboard comes with its row: no further query for each. */
export const DASHBOARD_COLUMNS = `dashboards.*,
  exists (select from sharing_configurations as link
    where link.dashboard_id = dashboards.id and link.expires_at is null and link.enabled) as is_shared,
  array(select user_id from dashboard_collaborators as collaborator
    where collaborator.dashboard_id = dashboards.id and level = 37 order by user_id) as editors`;

export function dashboardFrom(row: DashboardRow): Dashboard {
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    description: row.description,
    pinned: row.pinned,
    deleted: row.deleted,
    creationMode: row.creation_mode,
    restrictionLevel: row.restriction_level,
    filters: row.filters,
    variables: row.variables,
    breakdownColors: row.breakdown_colors,
    dataColorThemeId: row.data_color_theme_id,
    tags: row.tags,
    version: row.version,
    createdBy: row.created_by,
    createdAt: row.created_at,
    lastAccessedAt: row.last_accessed_at,
    lastRefresh: row.last_refresh,
    isShared: row.is_shared,
    editors: row.editors,
  };
}

/** The columns of a dashboard's fields are what clients call them. */
export const COLUMN = {
  name: 'name',
  description: 'description',
  pinned: 'pinned',
  deleted: 'deleted',
  creationMode: 'creation_mode',
  restrictionLevel: 'restriction_level',
  filters: 'filters',
  variables: 'variables',
  breakdownColors: 'breakdown_colors',
  dataColorThemeId: 'data_color_theme_id',
  tags: 'tags',
  lastAccessedAt: 'last_accessed_at',
} as const satisfies Record<keyof DashboardFields, keyof DashboardRow>;

function toColumns(fields: Partial<DashboardFields>): Partial<DashboardRow> {
  const entries = Object.entries(fields) as [keyof DashboardFields, unknown][];
  // Postgres would take a JavaScript list for one of its own.
  const written = entries.map(([name, value]) => [
    COLUMN[name],
    name === 'breakdownColors' ? JSON.stringify(value) : value,
  ]);
  return Object.fromEntries(written) as Partial<DashboardRow>;
}

export function dashboardStore(db: Knex) {
  const table = () => db<DashboardRow>('dashboards');

  async function find(projectId: number, id: number): Promise<Dashboard | undefined> {
    const rows: DashboardRow[] = await table().where({ project_id: projectId, id }).select(db.raw(DASHBOARD_COLUMNS));
    return rows[0] && dashboardFrom(rows[0]);
  }

  /** @throws NotFound for one that is not there, or deleted */
  async function get(projectId: number, id: number): Promise<Dashboard> {
    const found = await find(projectId, id);
    if (!found || found.deleted) throw new NotFound();
    return found;
  }

  return {
    get,
    /** Also a deleted one. */
    find,

    async insert(projectId: number, createdBy: number | null, fields: DashboardFields): Promise<Dashboard> {
      const [row] = await table()
        .insert({ project_id: projectId, created_by: createdBy, ...toColumns(fields) })
        .returning('id');
      return (await find(projectId, row!.id))!;
    },

    /** Raises the version. @throws NotFound */
    async update(projectId: number, id: number, fields: Partial<DashboardFields>): Promise<Dashboard> {
      await table()
        .where({ project_id: projectId, id })
        .update({ ...toColumns(fields), version: db.raw('version + 1') as never });
      const changed = await find(projectId, id);
      if (!changed) throw new NotFound();
      return changed;
    },

    /** Raises the version: something on it changed. */
    async touch(projectId: number, id: number): Promise<void> {
      await table()
        .where({ project_id: projectId, id })
        .update({ version: db.raw('version + 1') as never });
    },

    /** Somebody looked at it. @throws NotFound for one that is not there, or deleted */
    async access(projectId: number, id: number): Promise<Dashboard> {
      await table()
        .where({ project_id: projectId, id, deleted: false })
        .update({ last_accessed_at: db.raw('clock_timestamp()') as never });
      return get(projectId, id);
    },
  };
}

export type DashboardStore = ReturnType<typeof dashboardStore>;
