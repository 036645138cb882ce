/** Rows of projects, and which callers can access them. */
import type { Knex } from '../../platform/db/connection.ts';
import { NotFound } from '../../platform/errors.ts';
import type { Caller } from '../../platform/http/access.ts';

/** Settings of a project, which its members may change. */
export type ProjectSettings = {
  name: string;
  /** Whether the token alone may place events in the past. */
  historicalFromProjectKey: boolean;
  /** Whether events are stored without `$ip`. */
  anonymizeIps: boolean;
  /** 1: visitors without cookies are identified for a day; 0: their events are dropped. */
  cookielessServerHashMode: 0 | 1;
  /** IANA name of the time zone in which flags read dates without an offset. */
  timezone: string;
  /** How flags compare with true and false: 1 by truthiness, 2 by text. */
  propertyMatchingVersion: 1 | 2;
  /** Maximum number of flag requests per month; null for no limit. */
  flagRequestsPerMonth: number | null;
  /** For how many days events are kept; 0: for ever; null: as the installation says. */
  eventRetentionDays: number | null;
};

export type ProjectChanges = { [Name in keyof ProjectSettings]?: ProjectSettings[Name] | undefined };

export type Project = ProjectSettings & {
  id: number;
  uuid: string;
  organizationId: string;
  /** The public key, which identifies the project in capture. */
  apiToken: string;
  createdAt: string;
};

/** Facts about a project from other tables. */
export type ProjectFacts = {
  /** Whether an event has been captured. */
  hasEvents: boolean;
  /** Whether the project is closed to members without an access rule for it. */
  isPrivate: boolean;
};

type Row = {
  id: number;
  uuid: string;
  organization_id: string;
  name: string;
  api_token: string;
  historical_from_project_key: boolean;
  anonymize_ips: boolean;
  cookieless_server_hash_mode: 0 | 1;
  timezone: string;
  property_matching_version: 1 | 2;
  flag_requests_per_month: string | null;
  event_retention_days: number | null;
  created_at: string;
  updated_at: string;
};

function projectFrom(row: Row): Project {
  return {
    id: row.id,
    uuid: row.uuid,
    organizationId: row.organization_id,
    name: row.name,
    apiToken: row.api_token,
    historicalFromProjectKey: row.historical_from_project_key,
    anonymizeIps: row.anonymize_ips,
    cookielessServerHashMode: row.cookieless_server_hash_mode,
    timezone: row.timezone,
    propertyMatchingVersion: row.property_matching_version,
    flagRequestsPerMonth: row.flag_requests_per_month === null ? null : Number(row.flag_requests_per_month),
    eventRetentionDays: row.event_retention_days,
    createdAt: row.created_at,
  };
}

const COLUMNS: { readonly [Name in keyof ProjectSettings]: keyof Row } = {
  name: 'name',
  historicalFromProjectKey: 'historical_from_project_key',
  anonymizeIps: 'anonymize_ips',
  cookielessServerHashMode: 'cookieless_server_hash_mode',
  timezone: 'timezone',
  propertyMatchingVersion: 'property_matching_version',
  flagRequestsPerMonth: 'flag_requests_per_month',
  eventRetentionDays: 'event_retention_days',
};

function columnsOf(settings: ProjectChanges): Record<string, unknown> {
  const changedNames = (Object.keys(COLUMNS) as (keyof ProjectSettings)[]).filter(
    (name) => settings[name] !== undefined,
  );
  return Object.fromEntries(changedNames.map((name) => [COLUMNS[name], settings[name]]));
}

/** SQL for members whom rules give the level `none`. Rules about the member or their roles take precedence over those for everybody. */
const EXCLUDED_MEMBER = `member.role = 'member' and coalesce(
  (select bool_and(access_level = 'none') from access_controls
    where project_id = projects.id and resource = 'project'
      and (membership_id = member.id
        or role_id in (select role_id from role_memberships where membership_id = member.id))),
  (select bool_and(access_level = 'none') from access_controls
    where project_id = projects.id and resource = 'project' and membership_id is null and role_id is null),
  false)`;

export function projectStore(db: Knex) {
  const table = () => db<Row>('projects');

  /**
   * Query for the projects that a caller can access: a project key's own project, or the projects of the user's organizations that access
   * rules, policies about keys and the key's limits permit.
   */
  function accessibleProjects({ userId, keyId, projectId, onlyProjects, onlyOrganizations }: Caller) {
    if (projectId !== null) return table().where({ id: projectId });
    const member = db('organization_memberships as member')
      .whereRaw('member.organization_id = projects.organization_id')
      .where('member.user_id', userId)
      .whereRaw(`not (${EXCLUDED_MEMBER})`);
    if (keyId !== null) {
      const organizationsAllowingKeys = db('organizations')
        .select('id')
        .where({ members_can_use_personal_api_keys: true });
      member.where((condition) => {
        void condition.whereNot('member.role', 'member').orWhereIn('member.organization_id', organizationsAllowingKeys);
      });
    }
    const open = table().whereExists(member);
    if (onlyProjects) open.whereIn('id', onlyProjects);
    if (onlyOrganizations) open.whereIn('organization_id', onlyOrganizations);
    return open;
  }

  /** Finds the user's current project, if the caller can access it. */
  async function findCurrentProject(caller: Caller): Promise<Project | undefined> {
    const currentId = db('users').select('current_project_id').where({ id: caller.userId });
    const row = await accessibleProjects(caller).whereIn('id', currentId).first();
    return row && projectFrom(row);
  }

  return {
    /** @throws NotFound if the project does not exist, or the caller cannot access it */
    async get(caller: Caller, id: number): Promise<Project> {
      const row = await accessibleProjects(caller).where({ id }).first();
      if (!row) throw new NotFound();
      return projectFrom(row);
    },

    /** @throws NotFound */
    async getUuid(id: number): Promise<string> {
      const row = await table().where({ id }).first('uuid');
      if (!row) throw new NotFound();
      return row.uuid;
    },

    /** Gets a project by id alone, and locks it until the transaction ends. */
    async lock(id: number): Promise<Project> {
      const row = await table().where({ id }).forUpdate().first();
      if (!row) throw new NotFound();
      return projectFrom(row);
    },

    /**
     * Resolves `@current` to the id of a project: the public key's project, else the user's current project, else the only project that the
     * caller can access.
     * @throws NotFound if there is no such project, or more than one
     */
    async resolveCurrent(caller: Caller, apiToken: string | undefined): Promise<number> {
      if (apiToken !== undefined) {
        const row = await table().where({ api_token: apiToken }).first('id');
        if (!row) throw new NotFound('Project not found: `token` is not the public key of one.');
        return row.id;
      }
      const current = await findCurrentProject(caller);
      if (current) return current.id;
      const [only, second] = await accessibleProjects(caller).limit(2).select('id');
      if (!only) throw new NotFound('Project not found: this API key opens none.');
      if (!second) return only.id;
      throw new NotFound(
        'This API key opens several projects: give the id of one instead of `@current`, or its public key as `token`.',
      );
    },

    findCurrentProject,

    /** Finds the organization of the user's current project, or else the organizations of all accessible projects. */
    async findCurrentOrganizations(caller: Caller): Promise<string[]> {
      const current = await findCurrentProject(caller);
      if (current) return [current.organizationId];
      const rows = await accessibleProjects(caller).distinct('organization_id');
      return rows.map(({ organization_id: id }) => id);
    },

    async findFirst(organizationId: string): Promise<number | undefined> {
      const row = await table().where({ organization_id: organizationId }).orderBy('id').first('id');
      return row?.id;
    },

    async create(
      organizationId: string,
      apiToken: string,
      settings: ProjectChanges & { name: string },
    ): Promise<Project> {
      const [row] = await table()
        .insert({ organization_id: organizationId, api_token: apiToken, ...columnsOf(settings) })
        .returning('*');
      return projectFrom(row!);
    },

    /** Omitted fields keep their values. @throws NotFound */
    async change(id: number, settings: ProjectChanges & { apiToken?: string }): Promise<Project> {
      const { apiToken } = settings;
      const [row] = await table()
        .where({ id })
        .update({
          ...columnsOf(settings),
          ...(apiToken !== undefined && { api_token: apiToken }),
          updated_at: db.raw('now()'),
        })
        .returning('*');
      if (!row) throw new NotFound();
      return projectFrom(row);
    },

    async findFacts(ids: readonly number[]): Promise<ReadonlyMap<number, ProjectFacts>> {
      const { rows } = await db.raw<{ rows: { id: number; has_events: boolean; is_private: boolean }[] }>(
        `select id,
           exists (select from event_ids where project_id = projects.id) as has_events,
           exists (select from access_controls where project_id = projects.id and resource = 'project'
             and access_level = 'none' and membership_id is null and role_id is null) as is_private
         from projects where id = any (?)`,
        [[...ids]],
      );
      return new Map(rows.map((row) => [row.id, { hasEvents: row.has_events, isPrivate: row.is_private }]));
    },

    /** The project of a public key, and the instant from which its events are kept. */
    async findByToken(apiToken: string): Promise<(Project & { retainedFrom: string | null }) | undefined> {
      const row = await table()
        .leftJoin('event_retention as retention', 'retention.project_id', 'projects.id')
        .where({ api_token: apiToken })
        .first<(Row & { retained_from: string | null }) | undefined>('projects.*', 'retention.retained_from');
      return row && { ...projectFrom(row), retainedFrom: row.retained_from };
    },

    /** Lists projects by id. @param filter `search`: a substring of the name; `organizationId`: only projects of this organization */
    async list(
      caller: Caller,
      page: { limit: number; offset: number },
      filter: { search?: string | undefined; organizationId?: string } = {},
    ): Promise<{ count: number; results: Project[] }> {
      const { search, organizationId } = filter;
      const matchingRows = () =>
        accessibleProjects(caller).modify((query) => {
          if (search) void query.whereRaw('strpos(lower(name), lower(?)) > 0', [search]);
          if (organizationId !== undefined) void query.where({ organization_id: organizationId });
        });
      const countRow = (await matchingRows().count({ count: '*' }).first()) as unknown as { count: string };
      const rows = (await matchingRows().orderBy('id').limit(page.limit).offset(page.offset)) as Row[];
      return { count: Number(countRow.count), results: rows.map(projectFrom) };
    },
  };
}

export type ProjectStore = ReturnType<typeof projectStore>;
