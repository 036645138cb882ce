/** Rows of users, as shown in other objects. */
import type { Knex } from '../../platform/db/connection.ts';

export type User = {
  id: number;
  uuid: string;
  distinctId: string;
  firstName: string;
  lastName: string;
  email: string;
  isEmailVerified: boolean;
  hedgehogConfig: Record<string, unknown>;
  roleAtOrganization: string;
};

export type UserRow = {
  id: number;
  uuid: string;
  distinct_id: string;
  first_name: string;
  last_name: string;
  email: string;
  is_email_verified: boolean;
  hedgehog_config: Record<string, unknown>;
  role_at_organization: string;
};

export function userFrom(row: UserRow): User {
  return {
    id: row.id,
    uuid: row.uuid,
    distinctId: row.distinct_id,
    firstName: row.first_name,
    lastName: row.last_name,
    email: row.email,
    isEmailVerified: row.is_email_verified,
    hedgehogConfig: row.hedgehog_config,
    roleAtOrganization: row.role_at_organization,
  };
}

/** Users by their ids. */
export type Users = ReadonlyMap<number, User>;

export function userStore(db: Knex) {
  return {
    /** Finds users in one query; ids that are null or unknown are left out. */
    async findByIds(ids: Iterable<number | null>): Promise<Users> {
      const userIds = [...new Set(ids)].filter((id) => id !== null);
      if (userIds.length === 0) return new Map();
      const rows = await db<UserRow>('users').whereIn('id', userIds);
      return new Map(rows.map((row) => [row.id, userFrom(row)]));
    },
  };
}

export type UserStore = ReturnType<typeof userStore>;
