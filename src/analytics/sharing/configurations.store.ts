/**
 * Rows of sharing: each object has a current configuration, and rows of its former tokens, which open it a little longer. The settings of
 * the current one apply to all tokens of an object.
 */
import { omitUndefined } from '../../platform/omit-undefined.ts';
import type { Knex } from '../../platform/db/connection.ts';
import type { ShareSettings } from './settings.ts';

/** The shared object. */
export type SharedObject = { kind: 'dashboard' | 'insight'; id: number };

export type SharingConfiguration = {
  id: number;
  projectId: number;
  object: SharedObject;
  accessToken: string;
  enabled: boolean;
  settings: ShareSettings | null;
  passwordRequired: boolean;
  /** ISO: when all links of the object stop working; null: never. */
  expiresAt: string | null;
  /** ISO: when the token was created. */
  createdAt: string;
};

export type SharingFields = Pick<
  SharingConfiguration,
  'accessToken' | 'enabled' | 'settings' | 'passwordRequired' | 'expiresAt'
>;

export type ConfigurationRow = {
  id: number;
  project_id: number;
  dashboard_id: number | null;
  insight_id: number | null;
  access_token: string;
  enabled: boolean;
  settings: ShareSettings | null;
  password_required: boolean;
  created_at: string;
  /** Expiry of a former token; null on the current row. */
  expires_at: string | null;
  shared_until: string | null;
};

export function configurationFrom(row: ConfigurationRow): SharingConfiguration {
  const { dashboard_id: dashboardId, insight_id: insightId } = row;
  return {
    id: row.id,
    projectId: row.project_id,
    // The table has exactly one of the two ids.
    object: dashboardId === null ? { kind: 'insight', id: insightId! } : { kind: 'dashboard', id: dashboardId },
    accessToken: row.access_token,
    enabled: row.enabled,
    settings: row.settings,
    passwordRequired: row.password_required,
    expiresAt: row.shared_until,
    createdAt: row.created_at,
  };
}

/** Whether the links are expired, by the clock of this process. When a link is opened, the database's clock decides. */
export function isExpired({ expiresAt }: Pick<SharingConfiguration, 'expiresAt'>): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now();
}

export function isOpen(configuration: Pick<SharingConfiguration, 'enabled' | 'expiresAt'>): boolean {
  return configuration.enabled && !isExpired(configuration);
}

function objectColumns(projectId: number, { kind, id }: SharedObject) {
  return { project_id: projectId, [`${kind}_id`]: id };
}

export function configurationStore(db: Knex) {
  const table = () => db<ConfigurationRow>('sharing_configurations');

  return {
    /** Finds the current configuration. */
    async find(projectId: number, object: SharedObject): Promise<SharingConfiguration | undefined> {
      const row = await table().where(objectColumns(projectId, object)).whereNull('expires_at').first();
      return row && configurationFrom(row);
    },

    /** Does nothing when the object has a configuration already. */
    async insert(projectId: number, object: SharedObject, accessToken: string): Promise<void> {
      await table()
        .insert({ ...objectColumns(projectId, object), access_token: accessToken })
        .onConflict()
        .ignore();
    },

    /** Changes the given fields; with another token, the link counts as created now. */
    async update(
      configuration: SharingConfiguration,
      { accessToken, enabled, settings, passwordRequired, expiresAt }: Partial<SharingFields>,
    ): Promise<SharingConfiguration> {
      const changes = {
        ...(accessToken !== undefined && { access_token: accessToken, created_at: db.fn.now() }),
        ...omitUndefined({ enabled, settings, password_required: passwordRequired, shared_until: expiresAt }),
      };
      if (Object.keys(changes).length === 0) return configuration;
      const { projectId, id } = configuration;
      const rows = await table().where({ project_id: projectId, id }).update(changes).returning('*');
      return configurationFrom(rows[0]!);
    },

    /** Lets the configuration's token open the object for some more seconds. */
    async keepFormer({ projectId, object, accessToken }: SharingConfiguration, seconds: number): Promise<void> {
      await table().insert({
        ...objectColumns(projectId, object),
        access_token: accessToken,
        expires_at: db.raw(`clock_timestamp() + make_interval(secs => ?)`, [seconds]),
      });
    },

    async dropFormer({ projectId, object }: SharingConfiguration): Promise<void> {
      await table().where(objectColumns(projectId, object)).whereNotNull('expires_at').delete();
    },

    /** Whether the organization lets its members share anything. */
    async isAllowed(organizationId: string): Promise<boolean> {
      const row: { allowed: boolean } | undefined = await db('organizations')
        .where({ id: organizationId })
        .first({ allowed: 'allow_publicly_shared_resources' });
      return row?.allowed ?? false;
    },
  };
}
