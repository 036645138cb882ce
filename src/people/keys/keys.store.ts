/** Rows of API keys. Only hashes are stored; keys are returned once, when they are created or rolled. */
import { randomUUID } from 'node:crypto';
import type { Knex } from '../../platform/db/connection.ts';
import type { Caller } from '../../platform/http/access.ts';
import { generateKey, hashOf, KEY_PREFIXES } from './keys.ts';

/** A personal key acts as its user, a project secret key as its project. */
export type KeyOwner = { userId: number } | { projectId: number };

/** Fields of a key that can change. */
export type KeySettings = {
  label: string;
  description: string;
  scopes: readonly string[];
  /** Projects that the key can access; null for all that its owner can access. */
  onlyProjects: readonly number[] | null;
  onlyOrganizations: readonly string[] | null;
  /** When the key expires; null for never. */
  expiresAt: string | null;
};

export type KeyChanges = { [Name in keyof KeySettings]?: KeySettings[Name] | undefined };

/** Fields of a new key; only label and scopes are required. */
export type NewKey = Pick<KeySettings, 'label' | 'scopes'> & KeyChanges & { createdBy?: number | null };

export type ApiKey = KeySettings & {
  id: string;
  last4: string;
  userId: number | null;
  projectId: number | null;
  createdAt: string;
  /** User who created the key, for keys of a project. */
  createdBy: number | null;
  lastUsedAt: string | null;
  lastRolledAt: string | null;
};

/** A new or rolled key with its value, which is shown only once. */
export type IssuedKey = ApiKey & { key: string };

type Row = {
  id: string;
  label: string;
  description: string;
  scopes: readonly string[];
  hash: Buffer;
  last4: string;
  user_id: number | null;
  project_id: number | null;
  only_projects: readonly number[] | null;
  only_organizations: readonly string[] | null;
  created_at: string;
  created_by: number | null;
  expires_at: string | null;
  last_used_at: string | null;
  last_rolled_at: string | null;
  former_hash: Buffer | null;
  former_hash_until: string | null;
};

/** Precision of `last_used_at`, which is only shown to users. */
const LAST_USED_PRECISION = '1 minute';

function keyFrom(row: Row): ApiKey {
  return {
    id: row.id,
    label: row.label,
    description: row.description,
    scopes: row.scopes,
    last4: row.last4,
    userId: row.user_id,
    projectId: row.project_id,
    onlyProjects: row.only_projects,
    onlyOrganizations: row.only_organizations,
    createdAt: row.created_at,
    createdBy: row.created_by,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    lastRolledAt: row.last_rolled_at,
  };
}

/** Columns to change; knex leaves out undefined ones. */
function columnsOf(settings: KeyChanges): Partial<Row> {
  const columns: { [Name in keyof Row]?: Row[Name] | undefined } = {
    label: settings.label,
    description: settings.description,
    scopes: settings.scopes,
    only_projects: settings.onlyProjects,
    only_organizations: settings.onlyOrganizations,
    expires_at: settings.expiresAt,
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}

function callerFrom(row: Row): Caller {
  const { id, scopes, user_id, project_id } = row;
  const limits = { onlyProjects: row.only_projects, onlyOrganizations: row.only_organizations };
  const key = { keyId: id, scopes, ...limits, session: null };
  if (user_id !== null) return { ...key, userId: user_id, projectId: null };
  return { ...key, userId: null, projectId: project_id! };
}

function generateKeyFor(owner: KeyOwner): string {
  return generateKey('userId' in owner ? KEY_PREFIXES.personal : KEY_PREFIXES.projectSecret);
}

function ownerColumns(owner: KeyOwner): Partial<Pick<Row, 'user_id' | 'project_id'>> {
  return 'userId' in owner ? { user_id: owner.userId } : { project_id: owner.projectId };
}

export function keyStore(db: Knex) {
  const table = () => db<Row>('api_keys');

  return {
    async create(owner: KeyOwner, settings: NewKey): Promise<IssuedKey> {
      const key = generateKeyFor(owner);
      const [row] = await table()
        .insert({
          ...columnsOf(settings),
          id: randomUUID(),
          hash: hashOf(key),
          last4: key.slice(-4),
          created_by: settings.createdBy ?? null,
          ...ownerColumns(owner),
        })
        .returning('*');
      return { ...keyFrom(row!), key };
    },

    /** Lists an owner's keys, newest first. */
    async list(owner: KeyOwner): Promise<ApiKey[]> {
      const rows = await table()
        .where(ownerColumns(owner))
        .orderBy([
          { column: 'created_at', order: 'desc' },
          { column: 'id', order: 'desc' },
        ]);
      return rows.map(keyFrom);
    },

    /** Counts the owner's keys, and locks the owner, so concurrent creations wait until the transaction ends. */
    async countForUpdate(owner: KeyOwner): Promise<number> {
      const [table, id] = 'userId' in owner ? ['users', owner.userId] : ['projects', owner.projectId];
      await db(table as string)
        .where({ id })
        .forNoKeyUpdate()
        .first('id');
      const countRows = await db('api_keys').where(ownerColumns(owner)).count<{ count: string }[]>({ count: '*' });
      return Number(countRows[0]!.count);
    },

    async find(owner: KeyOwner, id: string): Promise<ApiKey | undefined> {
      const row = await table()
        .where({ ...ownerColumns(owner), id })
        .first();
      return row && keyFrom(row);
    },

    /** Same as `find`, but locks the key until the transaction ends. */
    async lock(owner: KeyOwner, id: string): Promise<ApiKey | undefined> {
      const row = await table()
        .where({ ...ownerColumns(owner), id })
        .forUpdate()
        .first();
      return row && keyFrom(row);
    },

    /** Finds the user or project that a key belongs to. */
    async findOwner(id: string): Promise<KeyOwner | undefined> {
      const row = await table().where({ id }).first('user_id', 'project_id');
      if (!row) return undefined;
      return row.user_id !== null ? { userId: row.user_id } : { projectId: row.project_id! };
    },

    /** Finds the project of a project's key, or the organizations that a personal key can access. */
    async findProjectAndOrganizations(key: ApiKey): Promise<{ id: number | null; organizationId: string }[]> {
      const { rows } = await db.raw<{ rows: { id: number | null; organization_id: string }[] }>(
        `select id, organization_id from projects where id = :projectId
         union
         select null, organization_id from organization_memberships as member
           where user_id = :userId
             and (:organizations::uuid[] is null or organization_id = any (:organizations))
             and (:projects::int[] is null
               or exists (select from projects where projects.organization_id = member.organization_id and projects.id = any (:projects)))`,
        {
          projectId: key.projectId,
          userId: key.userId,
          organizations: key.onlyOrganizations,
          projects: key.onlyProjects,
        },
      );
      return rows.map((row) => ({ id: row.id, organizationId: row.organization_id }));
    },

    /** Omitted fields keep their values. */
    async change(owner: KeyOwner, id: string, changes: KeyChanges): Promise<ApiKey | undefined> {
      const [row] = await table()
        .where({ ...ownerColumns(owner), id })
        .update({ ...columnsOf(changes), id })
        .returning('*');
      return row && keyFrom(row);
    },

    /**
     * Replaces the key's value by a new one.
     * @param graceSeconds how long the old value stays valid
     */
    async roll(owner: KeyOwner, id: string, graceSeconds: number): Promise<IssuedKey | undefined> {
      const key = generateKeyFor(owner);
      const ends = db.raw(`now() + ? * interval '1 second'`, [graceSeconds]);
      const [row] = await table()
        .where({ ...ownerColumns(owner), id })
        .update({
          hash: hashOf(key),
          last4: key.slice(-4),
          last_rolled_at: db.fn.now(),
          former_hash: graceSeconds > 0 ? db.raw('hash') : null,
          former_hash_until: graceSeconds > 0 ? ends : null,
        })
        .returning('*');
      return row && { ...keyFrom(row), key };
    },

    /** Deletes a key, which is then invalid. @returns whether it existed */
    async delete(owner: KeyOwner, id: string): Promise<boolean> {
      return (
        (await table()
          .where({ ...ownerColumns(owner), id })
          .delete()) > 0
      );
    },

    /** Deletes all keys of an owner, which are then invalid. */
    async deleteAll(owner: KeyOwner): Promise<void> {
      await table().where(ownerColumns(owner)).delete();
    },

    /** Finds the caller of a valid key by its hash, and updates when the key was last used. */
    async findCaller(hash: Buffer): Promise<Caller | undefined> {
      // tooth: key-expiry
      // tooth: key-grace
      // tooth: key-of-active-user
      const { rows } = await db.raw<{ rows: (Row & { stale: boolean })[] }>(
        `select api_keys.*, coalesce(last_used_at < now() - interval '${LAST_USED_PRECISION}', true) as stale
           from api_keys left join users on users.id = api_keys.user_id
           where (hash = :hash or (former_hash = :hash and former_hash_until > now()))
             and (expires_at is null or expires_at > now())
             and coalesce(users.is_active, true)`,
        { hash },
      );
      const [row] = rows;
      if (!row) return undefined;
      if (row.stale)
        await table()
          .where({ id: row.id })
          .update({ last_used_at: db.raw('now()') });
      return callerFrom(row);
    },
  };
}

export type KeyStore = ReturnType<typeof keyStore>;
