/** Finds projects and organizations for the gatekeeper, before a caller is admitted. */
import type { Knex } from '../../platform/db/connection.ts';
import type { OrganizationRole, Project } from '../../platform/http/access.ts';

/** Policy of an organization about its members' keys. */
export type Policy = {
  name: string;
  /** Whether members who are not admins may use personal keys. */
  membersMayUseKeys: boolean;
};

export type FoundOrganization = {
  id: string;
  policy: Policy;
  membership: { id: string; role: OrganizationRole };
};

type ProjectRow = {
  id: number;
  name: string;
  organization_id: string;
  organization: string;
  members_can_use_personal_api_keys: boolean;
};

type OrganizationRow = {
  id: string;
  name: string;
  members_can_use_personal_api_keys: boolean;
  membership_id: string;
  role: OrganizationRole;
};

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

export function tenantStore(db: Knex) {
  return {
    async findProject(id: number): Promise<{ project: Project; policy: Policy } | undefined> {
      const row: ProjectRow | undefined = await db('projects')
        .join('organizations', 'organizations.id', 'projects.organization_id')
        .where('projects.id', id)
        .first(
          'projects.id',
          'projects.name',
          'projects.organization_id',
          'organizations.name as organization',
          'organizations.members_can_use_personal_api_keys',
        );
      if (!row) return undefined;
      return {
        project: { id: row.id, organizationId: row.organization_id, name: row.name },
        policy: { name: row.organization, membersMayUseKeys: row.members_can_use_personal_api_keys },
      };
    },

    /** Finds an organization that the user is in. */
    async findOrganization(userId: number, id: string): Promise<FoundOrganization | undefined> {
      if (!UUID.test(id)) return undefined;
      const row: OrganizationRow | undefined = await db('organization_memberships as member')
        .join('organizations', 'organizations.id', 'member.organization_id')
        .where({ 'member.user_id': userId, 'organizations.id': id })
        .first(
          'organizations.id',
          'organizations.name',
          'organizations.members_can_use_personal_api_keys',
          'member.id as membership_id',
          'member.role',
        );
      if (!row) return undefined;
      const policy = { name: row.name, membersMayUseKeys: row.members_can_use_personal_api_keys };
      return { id: row.id, policy, membership: { id: row.membership_id, role: row.role } };
    },
  };
}

export type TenantStore = ReturnType<typeof tenantStore>;
