/** Rows of roles: named groups of an organization's members, for access rules. */
import { randomUUID } from 'node:crypto';
import { SQL_STATE, sqlState } from '../../platform/db/sql-states.ts';
import type { Knex } from '../../platform/db/connection.ts';
import { InvalidInput, NotFound } from '../../platform/errors.ts';

export type Role = {
  id: string;
  organizationId: string;
  name: string;
  createdBy: number | null;
  createdAt: string;
};

/** `id`: of this row; `membershipId`: of the member's row in the organization. */
export type RoleMembership = { id: string; roleId: string; membershipId: string; joinedAt: string };

type Row = { id: string; organization_id: string; name: string; created_by: number | null; created_at: string };
type MembershipRow = { id: string; role_id: string; membership_id: string; joined_at: string };

function roleFrom(row: Row): Role {
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    createdBy: row.created_by,
    createdAt: row.created_at,
  };
}

function membershipFrom(row: MembershipRow): RoleMembership {
  return { id: row.id, roleId: row.role_id, membershipId: row.membership_id, joinedAt: row.joined_at };
}

const NAME_INDEX = 'roles_name';

export function roleStore(db: Knex) {
  const table = () => db<Row>('roles');
  const memberships = () => db<MembershipRow>('role_memberships');

  return {
    async list(organizationId: string, page: { limit: number; offset: number }) {
      const countRow = await table().where({ organization_id: organizationId }).count({ count: '*' }).first();
      const rows = await table()
        .where({ organization_id: organizationId })
        .orderByRaw('lower(name)')
        .limit(page.limit)
        .offset(page.offset);
      return { count: Number(countRow?.['count']), results: rows.map(roleFrom) };
    },

    /** @throws NotFound */
    async get(organizationId: string, id: string): Promise<Role> {
      const row = await table().where({ organization_id: organizationId, id }).first();
      if (!row) throw new NotFound();
      return roleFrom(row);
    },

    /** @throws InvalidInput when another role has the name */
    async create(organizationId: string, name: string, createdBy: number | null): Promise<Role> {
      const row = { id: randomUUID(), organization_id: organizationId, name, created_by: createdBy };
      const [made] = await throwIfNameTaken(table().insert(row).returning('*').then());
      return roleFrom(made!);
    },

    /** @throws InvalidInput when another role has the name; NotFound when the role was deleted meanwhile */
    async rename(id: string, name: string): Promise<Role> {
      const [row] = await throwIfNameTaken(table().where({ id }).update({ name }).returning('*').then());
      if (!row) throw new NotFound();
      return roleFrom(row);
    },

    /** Deletes a role with its memberships and its access rules. */
    async delete(id: string): Promise<void> {
      await table().where({ id }).delete();
    },

    /** Lists the memberships of the roles, in the order in which members joined. */
    async listMemberships(roleIds: readonly string[]): Promise<RoleMembership[]> {
      const rows = await memberships().whereIn('role_id', roleIds).orderBy(['joined_at', 'id']);
      return rows.map(membershipFrom);
    },

    /** @throws InvalidInput when the member has the role already */
    async addMember(roleId: string, membershipId: string): Promise<RoleMembership> {
      const [row] = await memberships()
        .insert({ id: randomUUID(), role_id: roleId, membership_id: membershipId })
        .onConflict(['role_id', 'membership_id'])
        .ignore()
        .returning('*');
      if (!row) throw new InvalidInput('User is already part of the role.', 'user_uuid');
      return membershipFrom(row);
    },

    /** @throws NotFound */
    async removeMember(roleId: string, id: string): Promise<RoleMembership> {
      const [row] = await memberships().where({ role_id: roleId, id }).delete().returning('*');
      if (!row) throw new NotFound();
      return membershipFrom(row);
    },
  };
}

/** @throws InvalidInput when another role has the name */
async function throwIfNameTaken<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: { constraint?: string }) => {
    if (sqlState(error) !== SQL_STATE.uniqueViolation || error.constraint !== NAME_INDEX) throw error;
    throw new InvalidInput('There is already a role with this name.', 'name', 'unique');
  });
}
