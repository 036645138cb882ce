/** Access rules on the wire. */
import { LEVELS } from '../../platform/http/access.ts';
import { nullable, stringEnum, Type, type Static } from '../../platform/schema.ts';
import type { Levels } from './access-levels.ts';
import type { AccessControl } from './access-controls.store.ts';
import type { UserWithAccess } from './access-controls.ts';
import { PROJECT_LEVELS } from './rights.ts';

const Level = stringEnum([...new Set([...LEVELS, ...PROJECT_LEVELS])]);
const Id = Type.String({ format: 'uuid' });
const Instant = Type.String({ format: 'date-time' });

export const AccessControlBody = Type.Object(
  {
    access_level: Level,
    resource: Type.String({ description: 'The kind of object, as in scopes.' }),
    resource_id: nullable(Type.String(), { description: 'The ID of the object; null for all objects of the kind.' }),
    organization_member: nullable(Id, {
      description: 'The ID of the membership; null if the rule applies to a role or to everyone.',
    }),
    role: nullable(Id),
    created_by: nullable(Type.Integer({ description: 'The ID of the user who created the rule; null if unknown.' })),
    created_at: Instant,
    updated_at: Instant,
  },
  { title: 'AccessControl' },
);

const putFields = {
  access_level: nullable(Type.String({ description: 'The access level to set; null to remove the rule.' })),
  organization_member: Type.Optional(
    nullable(Type.String({ description: 'The ID of the membership to which the rule applies.' })),
  ),
  role: Type.Optional(nullable(Type.String({ description: 'The ID of the role whose members the rule applies to.' }))),
};

export const AccessControlPutBody = Type.Object(putFields, {
  title: 'AccessControlPut',
  description: 'An access rule for a member, a role or, without either, everyone.',
});
export type AccessControlPutBody = Static<typeof AccessControlPutBody>;

export const ResourceAccessControlPutBody = Type.Object(
  { ...putFields, resource: Type.String({ minLength: 1 }) },
  { title: 'ResourceAccessControlPut', description: 'An access rule for all objects of a kind.' },
);

export const AccessControlsBody = Type.Object(
  {
    access_controls: Type.Array(AccessControlBody),
    available_access_levels: Type.Array(Level),
    default_access_level: Level,
    minimum_access_level: Level,
    maximum_access_level: Level,
    user_access_level: nullable(Level, {
      description: 'The access level of the caller; null for a key of the project, which has no user.',
    }),
    user_can_edit_access_levels: Type.Boolean(),
  },
  { title: 'AccessControls' },
);

export const UsersWithAccessBody = Type.Object(
  {
    users: Type.Array(
      Type.Object({
        user_id: Id,
        access_level: Level,
        access_source: stringEnum([
          'creator',
          'organization_admin',
          'explicit_member',
          'explicit_role',
          'project_admin',
          'default',
        ]),
        organization_membership_id: Id,
        organization_membership_level: stringEnum(['member', 'admin', 'owner']),
      }),
    ),
    total_count: Type.Integer(),
  },
  { title: 'UsersWithAccess' },
);

export function presentAccessControl(rule: AccessControl): Static<typeof AccessControlBody> {
  return {
    access_level: rule.level,
    resource: rule.resource,
    resource_id: rule.resourceId,
    organization_member: rule.membershipId,
    role: rule.roleId,
    created_by: rule.createdBy,
    created_at: rule.createdAt,
    updated_at: rule.updatedAt,
  };
}

/** @param caller `level` of the caller, and whether the caller `decides` about the access of others */
export function presentAccessControls(
  rules: readonly AccessControl[],
  { available, byDefault, minimum, maximum }: Levels,
  caller: { level: Static<typeof Level> | null; decides: boolean },
): Static<typeof AccessControlsBody> {
  return {
    access_controls: rules.map(presentAccessControl),
    available_access_levels: [...available],
    default_access_level: byDefault,
    minimum_access_level: minimum,
    maximum_access_level: maximum,
    user_access_level: caller.level,
    user_can_edit_access_levels: caller.decides,
  };
}

export function presentUsersWithAccess(users: readonly UserWithAccess[]): Static<typeof UsersWithAccessBody> {
  return {
    users: users.map(({ userUuid, level, source, membership }) => ({
      user_id: userUuid,
      access_level: level,
      access_source: source,
      organization_membership_id: membership.id,
      organization_membership_level: membership.role as 'member' | 'admin' | 'owner',
    })),
    total_count: users.length,
  };
}
