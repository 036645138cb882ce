/** Rows of organizations, as their members see them. */
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { randomUUID } from 'node:crypto';
import type { Knex } from '../../platform/db/connection.ts';
import { NotFound } from '../../platform/errors.ts';
import type { OrganizationRole } from '../../platform/http/access.ts';

/** Fields that an organization's admins may change. */
export type OrganizationSettings = {
  name: string;
  membersCanInvite: boolean;
  membersCanUsePersonalApiKeys: boolean;
  allowPubliclySharedResources: boolean;
};

export type Organization = OrganizationSettings & {
  id: string;
  createdAt: string;
  updatedAt: string;
};

/** Organization with the caller's role in it. */
export type OwnOrganization = Organization & { role: OrganizationRole };

type Row = {
  id: string;
  name: string;
  members_can_invite: boolean;
  members_can_use_personal_api_keys: boolean;
  allow_publicly_shared_resources: boolean;
  created_at: string;
  updated_at: string;
};

function organizationFrom(row: Row): Organization {
  return {
    id: row.id,
    name: row.name,
    membersCanInvite: row.members_can_invite,
    membersCanUsePersonalApiKeys: row.members_can_use_personal_api_keys,
    allowPubliclySharedResources: row.allow_publicly_shared_resources,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function organizationStore(db: Knex) {
  const table = () => db<Row>('organizations');

  return {
    /** @throws NotFound */
    async get(id: string): Promise<Organization> {
      const row = await table().where({ id }).first();
      if (!row) throw new NotFound('Organization not found.');
      return organizationFrom(row);
    },

    /** Same as `get`, but locks the organization, and so changes to its members, until the transaction ends. */
    async lock(id: string): Promise<Organization> {
      const row = await table().where({ id }).forUpdate().first();
      if (!row) throw new NotFound('Organization not found.');
      return organizationFrom(row);
    },

    /** Finds organizations with this id or name. */
    async findByIdOrName(idOrName: string): Promise<Organization[]> {
      return (await table().whereRaw('id::text = ? or name = ?', [idOrName, idOrName])).map(organizationFrom);
    },

    async create(name: string): Promise<Organization> {
      const [row] = await table().insert({ id: randomUUID(), name }).returning('*');
      return organizationFrom(row!);
    },

    /** Omitted fields keep their values. @throws NotFound */
    async change(
      id: string,
      changes: { [Name in keyof OrganizationSettings]?: OrganizationSettings[Name] | undefined },
    ) {
      const [row] = await table()
        .where({ id })
        .update({
          ...omitUndefined({
            name: changes.name,
            members_can_invite: changes.membersCanInvite,
            members_can_use_personal_api_keys: changes.membersCanUsePersonalApiKeys,
            allow_publicly_shared_resources: changes.allowPubliclySharedResources,
          }),
          updated_at: db.raw('now()'),
        })
        .returning('*');
      if (!row) throw new NotFound('Organization not found.');
      return organizationFrom(row);
    },

    /** Lists the organizations of a user, oldest first. @param only ids of organizations; null for all */
    async listByUser(userId: number, only: readonly string[] | null = null): Promise<OwnOrganization[]> {
      const wanted = table()
        .join('organization_memberships as member', 'member.organization_id', 'organizations.id')
        .where('member.user_id', userId)
        .orderBy(['organizations.created_at', 'organizations.id']);
      if (only) wanted.whereIn('organizations.id', only);
      const rows = (await wanted.select('organizations.*', 'member.role')) as (Row & { role: OrganizationRole })[];
      return rows.map((row) => ({ ...organizationFrom(row), role: row.role }));
    },
  };
}

export type OrganizationStore = ReturnType<typeof organizationStore>;
