/** Rows of memberships: the members of organizations, with their roles. */
import type { Knex } from '../../platform/db/connection.ts';
import { NotFound } from '../../platform/errors.ts';
import type { OrganizationRole } from '../../platform/http/access.ts';
import { userFrom, type User, type UserRow } from '../accounts/users.store.ts';

export type Member = {
  /** Id of the membership. */
  id: string;
  organizationId: string;
  role: OrganizationRole;
  user: User;
  joinedAt: string;
  updatedAt: string;
};

type Row = {
  id: string;
  organization_id: string;
  user_id: number;
  role: OrganizationRole;
  created_at: string;
  updated_at: string;
};

type JoinedRow = UserRow & {
  membership_id: string;
  organization_id: string;
  role: OrganizationRole;
  joined_at: string;
  membership_updated_at: string;
};

function memberFrom(row: JoinedRow): Member {
  return {
    id: row.membership_id,
    organizationId: row.organization_id,
    role: row.role,
    user: userFrom(row),
    joinedAt: row.joined_at,
    updatedAt: row.membership_updated_at,
  };
}

export function memberStore(db: Knex) {
  const table = () => db<Row>('organization_memberships');
  const memberRows = (organizationId: string) =>
    db('organization_memberships as member')
      .join('users', 'users.id', 'member.user_id')
      .where('member.organization_id', organizationId)
      .select(
        'users.*',
        'member.id as membership_id',
        'member.organization_id',
        'member.role',
        'member.created_at as joined_at',
        'member.updated_at as membership_updated_at',
      );

  return {
    /** Lists members in the order in which they joined. */
    async list(organizationId: string, page: { limit: number; offset: number }) {
      const countRow = await table().where({ organization_id: organizationId }).count({ count: '*' }).first();
      const rows: JoinedRow[] = await memberRows(organizationId)
        .orderBy(['member.created_at', 'users.id'])
        .limit(page.limit)
        .offset(page.offset);
      return { count: Number(countRow?.['count']), results: rows.map(memberFrom) };
    },

    /** Finds members by the ids of their memberships. */
    async findByIds(organizationId: string, ids: readonly string[]): Promise<Member[]> {
      const rows: JoinedRow[] = await memberRows(organizationId).whereIn('member.id', ids).orderBy('member.created_at');
      return rows.map(memberFrom);
    },

    /** @throws NotFound when the user is not a member */
    async get(organizationId: string, userUuid: string): Promise<Member> {
      const row: JoinedRow | undefined = await memberRows(organizationId).where('users.uuid', userUuid).first();
      if (!row) throw new NotFound();
      return memberFrom(row);
    },

    /** Whether a member has this address. */
    async hasEmail(organizationId: string, email: string): Promise<boolean> {
      const row: unknown = await memberRows(organizationId).whereRaw('lower(users.email) = lower(?)', [email]).first();
      return row !== undefined;
    },

    async countOwners(organizationId: string): Promise<number> {
      const countRow = await table()
        .where({ organization_id: organizationId, role: 'owner' })
        .count({ count: '*' })
        .first();
      return Number(countRow?.['count']);
    },

    /** Does nothing if the user is a member already. @returns whether they were added */
    async add(organizationId: string, userId: number, role: OrganizationRole): Promise<boolean> {
      const added = await table()
        .insert({ organization_id: organizationId, user_id: userId, role })
        .onConflict(['organization_id', 'user_id'])
        .ignore()
        .returning('id');
      return added.length > 0;
    },

    async setRole(id: string, role: OrganizationRole): Promise<void> {
      await table()
        .where({ id })
        .update({ role, updated_at: db.raw('now()') });
    },

    /** Removes a member with their roles and access rules, and clears their current project if the organization owns it. */
    async remove({ id, organizationId, user }: Member): Promise<void> {
      await table().where({ id }).delete();
      await db('users')
        .where({ id: user.id })
        .whereIn('current_project_id', db('projects').select('id').where({ organization_id: organizationId }))
        .update({ current_project_id: null });
    },
  };
}
