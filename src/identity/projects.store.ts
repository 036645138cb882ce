/** Rows of projects, and who belongs to them. */
import type { Knex } from '../db/connection.ts';
import { NotFound } from '../errors.ts';
import type { Caller } from '../http/access.ts';

/** What a project's owners may change. */
export type ProjectSettings = {
  /** Whether the token alone may place events in the past. */
  historicalFromProjectKey: boolean;
  /** Whether events are stored without `$ip`. */
  anonymizeIps: boolean;
  /** IANA name: by its clock flags read dates that do not say theirs. */
  timezone: string;
  /** How flags compare with true and false: 1 by truth, 2 by text. */
  propertyMatchingVersion: 1 | 2;
  /** Requests for flags that are answered in one month; null: all. */
  flagRequestsPerMonth: number | null;
};

export type ProjectChanges = { [Name in keyof ProjectSettings]?: ProjectSettings[Name] | undefined };

export type Project = ProjectSettings & {
  id: number;
  organizationId: string;
  name: string;
  /** Public: names the project in capture. */
  apiToken: string;
  createdAt: string;
};

type Row = {
  id: number;
  organization_id: string;
  name: string;
  api_token: string;
  historical_from_project_key: boolean;
  anonymize_ips: boolean;
  timezone: string;
  property_matching_version: 1 | 2;
  flag_requests_per_month: string | null;
  created_at: string;
};

function fromRow(row: Row): Project {
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    apiToken: row.api_token,
    historicalFromProjectKey: row.historical_from_project_key,
    anonymizeIps: row.anonymize_ips,
    timezone: row.timezone,
    propertyMatchingVersion: row.property_matching_version,
    flagRequestsPerMonth: row.flag_requests_per_month === null ? null : Number(row.flag_requests_per_month),
    createdAt: row.created_at,
  };
}

export function projectStore(db: Knex) {
  const table = () => db<Row>('projects');

  /** The projects that a caller may enter: a key's own, or those of its user's organizations that the key is not kept from, by its limits or theirs. */
  function openTo({ userId, keyId, projectId, onlyProjects, onlyOrganizations }: Caller) {
    if (projectId !== null) return table().where({ id: projectId });
    const organizations = db('organization_memberships').select('organization_id').where({ user_id: userId });
    if (keyId !== null) {
      const wantingKeys = db('organizations').select('id').where({ members_can_use_personal_api_keys: true });
      organizations.where((one) => one.whereNot({ role: 'member' }).orWhereIn('organization_id', wantingKeys));
    }
    const open = table().whereIn('organization_id', organizations);
    if (onlyProjects) open.whereIn('id', onlyProjects);
    if (onlyOrganizations) open.whereIn('organization_id', onlyOrganizations);
    return open;
  }

  return {
    /** @throws NotFound when there is none, or none that the caller may enter */
    async get(caller: Caller, id: number): Promise<Project> {
      const row = await openTo(caller).where({ id }).first();
      if (!row) throw new NotFound();
      return fromRow(row);
    },

    /**
     * The id of the project that `@current` stands for: that of the public key, else the only one that the caller's key opens.
     * @throws NotFound when that is none, or one of several
     */
    async current(caller: Caller, apiToken: string | undefined): Promise<number> {
      if (apiToken !== undefined) {
        const row = await table().where({ api_token: apiToken }).first('id');
        if (!row) throw new NotFound('Project not found: `token` is not the public key of one.');
        return row.id;
      }
      const [only, second] = await openTo(caller).limit(2).select('id');
      if (!only) throw new NotFound('Project not found: this API key opens none.');
      if (!second) return only.id;
      throw new NotFound(
        'This API key opens several projects: give the id of one instead of `@current`, or its public key as `token`.',
      );
    },

    /** What is not given stays as it is. @throws NotFound when there is no such project */
    async change(id: number, settings: ProjectChanges): Promise<Project> {
      const { rows } = await db.raw<{ rows: Row[] }>(
        `update projects set
           historical_from_project_key = coalesce(?, historical_from_project_key),
           anonymize_ips = coalesce(?, anonymize_ips),
           timezone = coalesce(?, timezone),
           property_matching_version = coalesce(?, property_matching_version),
           flag_requests_per_month = case when ? then ? else flag_requests_per_month end
         where id = ? returning *`,
        [
          settings.historicalFromProjectKey ?? null,
          settings.anonymizeIps ?? null,
          settings.timezone ?? null,
          settings.propertyMatchingVersion ?? null,
          // Null is a value: no quota.
          settings.flagRequestsPerMonth !== undefined,
          settings.flagRequestsPerMonth ?? null,
          id,
        ],
      );
      if (!rows[0]) throw new NotFound();
      return fromRow(rows[0]);
    },

    async findByToken(apiToken: string): Promise<Project | undefined> {
      const row = await table().where({ api_token: apiToken }).first();
      return row && fromRow(row);
    },

    /** By id. */
    async list(
      caller: Caller,
      page: { limit: number; offset: number },
    ): Promise<{ count: number; results: Project[] }> {
      const counted = (await openTo(caller).count({ count: '*' }).first()) as { count: string };
      const rows = await openTo(caller).orderBy('id').limit(page.limit).offset(page.offset);
      return { count: Number(counted.count), results: rows.map(fromRow) };
    },
  };
}

export type ProjectStore = ReturnType<typeof projectStore>;
