/** Rows of users with the fields that only they see, and those for logging in. */
import { randomUUID } from 'node:crypto';
import type { Knex } from '../../platform/db/connection.ts';
import { Conflict, NotFound } from '../../platform/errors.ts';
import { ORGANIZATION_ROLES } from '../../platform/http/access.ts';
import { userFrom, type User, type UserRow } from './users.store.ts';

export const THEME_MODES = ['light', 'dark', 'system'] as const;
export type ThemeMode = (typeof THEME_MODES)[number];

/** Fields of their account that users may change. */
export type Profile = Pick<User, 'firstName' | 'lastName' | 'hedgehogConfig' | 'roleAtOrganization'> & {
  themeMode: ThemeMode | null;
  /** The project that `@current` stands for. */
  currentProjectId: number | null;
};

export type ProfileChanges = { [Name in keyof Profile]?: Profile[Name] | undefined };

export type Account = User &
  Profile & {
    isActive: boolean;
    passwordHash: string | null;
    createdAt: string;
    /** Whether the account was created by a link that others had seen, so perhaps not by the owner of the address. */
    isUnproven: boolean;
  };

export type NewAccount = {
  email: string;
  passwordHash: string;
  firstName?: string;
  lastName?: string;
  roleAtOrganization?: string | undefined;
  isEmailVerified?: boolean;
  isUnproven?: boolean;
};

type Row = UserRow & {
  is_active: boolean;
  is_unproven: boolean;
  password_hash: string | null;
  current_project_id: number | null;
  theme_mode: ThemeMode | null;
  created_at: string;
  updated_at: string;
};

function accountFrom(row: Row): Account {
  return {
    ...userFrom(row),
    isActive: row.is_active,
    passwordHash: row.password_hash,
    currentProjectId: row.current_project_id,
    themeMode: row.theme_mode,
    createdAt: row.created_at,
    isUnproven: row.is_unproven,
  };
}

const COLUMNS: { readonly [Name in keyof Profile]: keyof Row } = {
  firstName: 'first_name',
  lastName: 'last_name',
  hedgehogConfig: 'hedgehog_config',
  roleAtOrganization: 'role_at_organization',
  themeMode: 'theme_mode',
  currentProjectId: 'current_project_id',
};

export function accountStore(db: Knex) {
  const table = () => db<Row>('users');
  const now = () => db.raw('now()');

  return {
    /** @throws NotFound */
    async get(id: number): Promise<Account> {
      const row = await table().where({ id }).first();
      if (!row) throw new NotFound();
      return accountFrom(row);
    },

    /** Finds an account by its address, ignoring case. */
    async findByEmail(email: string): Promise<Account | undefined> {
      const row = await table().whereRaw('lower(email) = lower(?)', [email]).first();
      return row && accountFrom(row);
    },

    /** Same as `findByEmail`, but locks the account until the transaction ends. */
    async lockByEmail(email: string): Promise<Account | undefined> {
      const row = await table().whereRaw('lower(email) = lower(?)', [email]).forUpdate().first();
      return row && accountFrom(row);
    },

    /** Marks the account as created by the owner of the address. */
    async markProven(id: number, { isEmailVerified }: { isEmailVerified: boolean }): Promise<void> {
      await table()
        .where({ id })
        .update({ is_unproven: false, updated_at: now(), ...(isEmailVerified && { is_email_verified: true }) });
    },

    /** Whether a user is an admin of all organizations of an account, with at least the account's role in each. */
    async mayReplace(id: number, byUserId: number | null): Promise<boolean> {
      const { rows } = await db.raw<{ rows: unknown[] }>(
        `select 1 from organization_memberships as theirs
         where theirs.user_id = :id and not exists (
           select 1 from organization_memberships as own join users on users.id = own.user_id and users.is_active
           where own.user_id = :byUserId and own.organization_id = theirs.organization_id and own.role <> 'member'
             and array_position(:roles::text[], own.role) >= array_position(:roles::text[], theirs.role))
         limit 1`,
        { id, byUserId, roles: [...ORGANIZATION_ROLES] },
      );
      return rows.length === 0;
    },

    /** Deactivates an account permanently, deletes its sessions, keys, invites and memberships, and frees its address. Its objects stay. */
    async retire(id: number): Promise<void> {
      // tooth: account-retired
      for (const ownedTable of ['sessions', 'one_time_links', 'api_keys', 'organization_memberships']) {
        await db(ownedTable).where({ user_id: id }).delete();
      }
      await db('organization_invites').where({ created_by: id }).delete();
      await table()
        .where({ id })
        .update({
          email: db.raw(`uuid || '@replaced.invalid'`),
          is_active: false,
          is_unproven: false,
          password_hash: null,
          current_project_id: null,
          updated_at: now(),
        });
    },

    /** @throws Conflict when another account has the address */
    async create(account: NewAccount): Promise<Account> {
      const uuid = randomUUID();
      const [row] = await table()
        .insert({
          uuid,
          distinct_id: uuid,
          email: account.email,
          password_hash: account.passwordHash,
          first_name: account.firstName ?? '',
          last_name: account.lastName ?? '',
          role_at_organization: account.roleAtOrganization ?? '',
          is_email_verified: account.isEmailVerified ?? false,
          is_unproven: account.isUnproven ?? false,
        })
        .onConflict(db.raw('(lower(email))'))
        .ignore()
        .returning('*');
      if (!row) throw new Conflict('There is an account with this email address already.');
      return accountFrom(row);
    },

    /** Omitted fields keep their values. */
    async change(id: number, changes: ProfileChanges): Promise<void> {
      const changedNames = (Object.keys(COLUMNS) as (keyof Profile)[]).filter((name) => changes[name] !== undefined);
      if (changedNames.length === 0) return;
      const columns = Object.fromEntries(changedNames.map((name) => [COLUMNS[name], changes[name]]));
      await table()
        .where({ id })
        .update({ ...columns, updated_at: now() });
    },

    /** Sets a password, and invalidates all existing links to the account. Call in a transaction. */
    async setPassword(id: number, passwordHash: string): Promise<void> {
      // tooth: password-ends-links
      await db('one_time_links').where({ user_id: id }).delete();
      await table().where({ id }).update({ password_hash: passwordHash, updated_at: now() });
    },

    /** Lists accounts by email address, for the operator. */
    async list(): Promise<Account[]> {
      return (await table().orderBy('email')).map(accountFrom);
    },
  };
}
