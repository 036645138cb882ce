/** Rows of API keys. A key itself passes through once, when it is made. */
import { randomUUID } from 'node:crypto';
import type { Knex } from '../db/connection.ts';
import type { Caller } from '../http/access.ts';
import { generateKey, hashOf, KEY_PREFIXES } from './keys.ts';

/** A personal key acts as its user, a project secret key as its project. */
export type KeyOwner = { userId: number } | { projectId: number };

export type ApiKey = {
  id: string;
  label: string;
  scopes: string[];
  last4: string;
  userId: number | null;
  projectId: number | null;
  createdAt: string;
  lastUsedAt: string | null;
};

type Row = {
  id: string;
  label: string;
  scopes: string[];
  hash: Buffer;
  last4: string;
  user_id: number | null;
  project_id: number | null;
  only_projects: number[] | null;
  only_organizations: string[] | null;
  created_at: string;
  last_used_at: string | null;
};

/** `last_used_at` is for people: exact to this. */
const LAST_USED_PRECISION = '1 minute';

function fromRow(row: Row): ApiKey {
  return {
    id: row.id,
    label: row.label,
    scopes: row.scopes,
    last4: row.last4,
    userId: row.user_id,
    projectId: row.project_id,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  };
}

function callerFrom(row: Row): Caller {
  const { id, scopes, user_id, project_id } = row;
  const limits = { onlyProjects: row.only_projects, onlyOrganizations: row.only_organizations };
  const key = { keyId: id, scopes, ...limits, session: null };
  if (user_id !== null) return { ...key, userId: user_id, projectId: null };
  return { ...key, userId: null, projectId: project_id! };
}

export function keyStore(db: Knex) {
  const table = () => db<Row>('api_keys');

  return {
    /** @returns the row, and the key: this is the only moment at which it is known */
    async create(owner: KeyOwner, { label, scopes }: { label: string; scopes: readonly string[] }) {
      const personal = 'userId' in owner;
      const key = generateKey(personal ? KEY_PREFIXES.personal : KEY_PREFIXES.projectSecret);
      const [row] = await table()
        .insert({
          id: randomUUID(),
          label,
          scopes: [...scopes],
          hash: hashOf(key),
          last4: key.slice(-4),
          ...(personal ? { user_id: owner.userId } : { project_id: owner.projectId }),
        })
        .returning('*');
      return { ...fromRow(row!), key };
    },

    /** Oldest first. */
    async list(owner: KeyOwner): Promise<ApiKey[]> {
      const rows = await table()
        .where('userId' in owner ? { user_id: owner.userId } : { project_id: owner.projectId })
        .orderBy(['created_at', 'id']);
      return rows.map(fromRow);
    },

    /** The key is worthless from now on. @returns whether there was one */
    async delete(id: string): Promise<boolean> {
      return (await table().where({ id }).delete()) > 0;
    },

    /** Who holds a key with this hash; notes that it was used. */
    async findCaller(hash: Buffer): Promise<Caller | undefined> {
      const stale = db.raw(`coalesce(last_used_at < now() - interval '${LAST_USED_PRECISION}', true) as stale`);
      const row: (Row & { stale: boolean }) | undefined = await table().where({ hash }).first('*', stale);
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
