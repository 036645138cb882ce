/** Rows of invites, by whose links people join an organization. Only hashes of tokens are stored; `create` returns the token once. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Knex } from '../../platform/db/connection.ts';
import { NotFound } from '../../platform/errors.ts';
import { ORGANIZATION_ROLES, type OrganizationRole } from '../../platform/http/access.ts';

const VALID_DAYS = 3;

/** SQL for whether the sender is still an active member of the organization, with at least the invite's role. */
const SENT_BY_MEMBER = `exists (
  select 1 from organization_memberships sender join users on users.id = sender.user_id and users.is_active
   where sender.organization_id = organization_invites.organization_id
     and sender.user_id = organization_invites.created_by
     and array_position(:roles::text[], sender.role) >= array_position(:roles::text[], organization_invites.role))`;

export type NewInvite = {
  email: string;
  firstName: string;
  message: string;
  role: OrganizationRole;
  createdBy: number | null;
  /** Whether the inviter was shown the link, so using it does not prove control of the address. */
  linkShown: boolean;
};

export type Invite = NewInvite & {
  id: string;
  organizationId: string;
  /** Whether the mail server accepted the mail. */
  mailed: boolean;
  createdAt: string;
  expiresAt: string;
};

type Row = {
  id: string;
  organization_id: string;
  email: string;
  first_name: string;
  message: string;
  role: OrganizationRole;
  token_hash: Buffer;
  mailed: boolean;
  link_shown: boolean;
  created_by: number | null;
  created_at: string;
  expires_at: string;
};

function inviteFrom(row: Row): Invite {
  return {
    id: row.id,
    organizationId: row.organization_id,
    email: row.email,
    firstName: row.first_name,
    message: row.message,
    role: row.role,
    mailed: row.mailed,
    createdBy: row.created_by,
    linkShown: row.link_shown,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}

export function inviteStore(db: Knex) {
  const table = () => db<Row>('organization_invites');
  const validInvites = () =>
    table()
      .where('expires_at', '>', db.raw('now()'))
      .whereRaw(SENT_BY_MEMBER, { roles: [...ORGANIZATION_ROLES] });

  return {
    /** Creates an invite, replaces an earlier one to the same address, and deletes all expired ones. @returns the invite, and the link's token */
    async create(organizationId: string, invite: NewInvite): Promise<{ invite: Invite; token: string }> {
      await table()
        .where('expires_at', '<=', db.raw('now()'))
        .orWhereRaw('organization_id = ? and lower(email) = lower(?)', [organizationId, invite.email])
        .delete();
      const token = randomBytes(32).toString('base64url');
      const [row] = await table()
        .insert({
          id: randomUUID(),
          organization_id: organizationId,
          email: invite.email,
          first_name: invite.firstName,
          message: invite.message,
          role: invite.role,
          token_hash: hashOf(token),
          created_by: invite.createdBy,
          link_shown: invite.linkShown,
          expires_at: db.raw(`now() + interval '${VALID_DAYS} days'`),
        })
        .returning('*');
      return { invite: inviteFrom(row!), token };
    },

    /** Lists invites, newest first, without those that have expired or whose sender may no longer invite. */
    async list(organizationId: string, page: { limit: number; offset: number }) {
      const countRow = await validInvites().where({ organization_id: organizationId }).count({ count: '*' }).first();
      const rows = await validInvites()
        .where({ organization_id: organizationId })
        .orderBy([{ column: 'created_at', order: 'desc' }, { column: 'id' }])
        .limit(page.limit)
        .offset(page.offset);
      return { count: Number(countRow?.['count']), results: rows.map(inviteFrom) };
    },

    /** Lists the valid invites to an address, with the names of their organizations. */
    async listByEmail(email: string): Promise<(Invite & { organization: string })[]> {
      const rows = (await validInvites()
        .join('organizations', 'organizations.id', 'organization_invites.organization_id')
        .whereRaw('lower(email) = lower(?)', [email])
        .orderBy('organization_invites.created_at')
        .select('organization_invites.*', 'organizations.name as organization')) as (Row & { organization: string })[];
      return rows.map((row) => ({ ...inviteFrom(row), organization: row.organization }));
    },

    /** Finds an organization's valid invite to an address. */
    async findByEmail(organizationId: string, email: string): Promise<Invite | undefined> {
      const row = await validInvites()
        .where({ organization_id: organizationId })
        .whereRaw('lower(email) = lower(?)', [email])
        .first();
      return row && inviteFrom(row);
    },

    async markMailed(ids: readonly string[]): Promise<void> {
      await table().whereIn('id', ids).update({ mailed: true });
    },

    /** @throws NotFound */
    async delete(organizationId: string, id: string): Promise<Invite> {
      const [row] = await table().where({ organization_id: organizationId, id }).delete().returning('*');
      if (!row) throw new NotFound();
      return inviteFrom(row);
    },

    /** Deletes the invites that a member sent, all or those above a role, with which a removed or demoted member could regain access. */
    async deleteSentBy(
      member: { organizationId: string; user: { id: number } },
      above?: OrganizationRole,
    ): Promise<void> {
      const higher = ORGANIZATION_ROLES.slice(above === undefined ? 0 : ORGANIZATION_ROLES.indexOf(above) + 1);
      await table()
        .where({ organization_id: member.organizationId, created_by: member.user.id })
        .whereIn('role', higher)
        .delete();
    },

    /** Finds a valid invite by the token of its link. */
    async find(token: string): Promise<Invite | undefined> {
      const row = await validInvites()
        .where({ token_hash: hashOf(token) })
        .first();
      return row && inviteFrom(row);
    },

    /** Same as `find`, but uses the invite up. */
    async take(token: string): Promise<Invite | undefined> {
      const [row] = await validInvites()
        .where({ token_hash: hashOf(token) })
        .delete()
        .returning('*');
      return row && inviteFrom(row);
    },
  };
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
