/** Organizations on the wire. */
import type { OrganizationRole } from '../../platform/http/access.ts';
import { Type, type Static } from '../../platform/schema.ts';
import type { OwnOrganization } from './organizations.store.ts';

/** Upstream's numbers for roles of members. */
export const LEVEL_OF = { member: 1, admin: 8, owner: 15 } as const satisfies Record<OrganizationRole, number>;
export type MembershipLevel = (typeof LEVEL_OF)[OrganizationRole];

export const MembershipLevel = Type.Union([Type.Literal(1), Type.Literal(8), Type.Literal(15)], {
  description: 'The level of the membership: 1 for member, 8 for admin, 15 for owner.',
});

export function roleOf(level: MembershipLevel): OrganizationRole {
  return level === LEVEL_OF.owner ? 'owner' : level === LEVEL_OF.admin ? 'admin' : 'member';
}

export const organizationSettings = {
  members_can_invite: Type.Boolean({ description: 'Whether members who are not admins may invite others.' }),
  members_can_use_personal_api_keys: Type.Boolean({
    description: 'Whether personal API keys of members who are not admins grant access to the organization.',
  }),
  allow_publicly_shared_resources: Type.Boolean({
    description: 'Whether objects in the projects of the organization may be shared by a public link.',
  }),
};

/** An organization in the lists of `/api/users/@me/`. */
export const OrganizationStubBody = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    slug: Type.String(),
    logo_media_id: Type.Null(),
    membership_level: MembershipLevel,
    members_can_use_personal_api_keys: Type.Boolean(),
    is_active: Type.Literal(true),
    is_not_active_reason: Type.Null(),
    is_pending_deletion: Type.Literal(false),
  },
  { title: 'OrganizationStub' },
);

export const OrganizationBody = Type.Object(
  {
    ...OrganizationStubBody.properties,
    ...organizationSettings,
    enforce_2fa: Type.Literal(false),
    available_product_features: Type.Array(Type.Unknown(), {
      description: 'Always empty: there are no separately sold features.',
    }),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
  },
  { title: 'Organization' },
);

export function presentOrganizationStub(organization: OwnOrganization): Static<typeof OrganizationStubBody> {
  return {
    id: organization.id,
    name: organization.name,
    slug: slugOf(organization.name),
    logo_media_id: null,
    membership_level: LEVEL_OF[organization.role],
    members_can_use_personal_api_keys: organization.membersCanUsePersonalApiKeys,
    is_active: true,
    is_not_active_reason: null,
    is_pending_deletion: false,
  };
}

export function presentOrganization(organization: OwnOrganization): Static<typeof OrganizationBody> {
  return {
    ...presentOrganizationStub(organization),
    members_can_invite: organization.membersCanInvite,
    allow_publicly_shared_resources: organization.allowPubliclySharedResources,
    enforce_2fa: false,
    available_product_features: [],
    created_at: organization.createdAt,
    updated_at: organization.updatedAt,
  };
}

/** Slug for display; no route finds an organization by it. */
function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}]+/gu, '-')
    .replace(/^-|-$/g, '');
}
