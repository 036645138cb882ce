/** Manages access rules of single objects, of whole kinds and of the project, and lists who has access because of them. */
import { InvalidInput, NotFound } from '../../platform/errors.ts';
import {
  LEVELS,
  type Caller,
  type FindProtected,
  type Project,
  type ProtectedFound,
} from '../../platform/http/access.ts';
import { levelsOf, type Levels } from './access-levels.ts';
import type { AccessControl, RuleSubject, RuleTarget } from './access-controls.store.ts';
import { projectLevel, rightsOfMember, sourceOf, type AccessSource, type Rule } from './rights.ts';
import type { BoundIdentityStores, IdentityStores } from '../stores.ts';

export type AccessControlsOptions = {
  stores: IdentityStores;
  /** Lookups, by kind, of the objects that have access controls of their own. */
  protectedObjects: Readonly<Record<string, FindProtected>>;
};

/** A requested rule; without a level, the rule is removed. */
export type WantedRule = { level: string | null; organizationMember?: string | null; role?: string | null };

/** Audit log's identification of the object whose rules change. */
export type RuledObject = { scope: string; type?: string; itemId: string | number; name: string };

export type UserWithAccess = {
  userUuid: string;
  level: Rule['level'];
  source: AccessSource;
  membership: { id: string; role: string };
};

export function accessControls({ stores, protectedObjects }: AccessControlsOptions) {
  return {
    listOfObject: stores.accessControls.listOfObject,
    listOfKinds: stores.accessControls.listOfKinds,

    /** Finds a protected object. @throws NotFound */
    async object(resource: string, projectId: number, id: string): Promise<ProtectedFound> {
      const object = await protectedObjects[resource]?.(projectId, id);
      if (!object) throw new NotFound();
      return object;
    },

    /** Creates, changes or removes a rule, without checking the caller's rights. @throws InvalidInput naming the field */
    async put(
      project: Project,
      caller: Caller,
      target: RuleTarget,
      rule: WantedRule,
      { levels = levelsOf(target.resource), loggedObject }: { levels?: Levels; loggedObject: RuledObject },
    ): Promise<AccessControl | undefined> {
      const level = parseLevel(rule.level, target.resource, levels);
      const subject = await findSubject(project.id, rule);
      const setRule = async ({ accessControls: rules }: BoundIdentityStores) => {
        if (level !== null) return rules.put(project.id, target, subject, { level, userId: caller.userId });
        await rules.delete(project.id, target, subject);
        return undefined;
      };
      return stores.inTransaction(async (tx) => {
        const before = await tx.accessControls.findAndLock(project.id, target, subject);
        const after = await setRule(tx);
        if (before?.level === after?.level) return after;
        await tx.auditLog.record({
          project,
          author: caller,
          ...loggedObject,
          activity: 'updated',
          changes: [
            {
              type: loggedObject.scope,
              action: before ? (after ? 'changed' : 'deleted') : 'created',
              field: 'access_control',
              before: before ? loggedFieldsOf(before) : null,
              after: after ? loggedFieldsOf(after) : null,
            },
          ],
        });
        return after;
      });
    },

    /** Lists the members who may at least view an object, with the sources of their levels, highest level first. */
    async usersWithAccess(projectId: number, resource: string, object: ProtectedFound): Promise<UserWithAccess[]> {
      const members = await stores.accessControls.listMembers(projectId);
      return members
        .flatMap((member): UserWithAccess[] => {
          const rights = rightsOfMember(member);
          const level = rights?.levelOf(resource, object) ?? 'none';
          if (!rights || level === 'none') return [];
          const source = sourceOf(member, rights, resource, object);
          return [{ userUuid: member.userUuid, level, source, membership: member.membership }];
        })
        .sort((a, b) => rankOf(b) - rankOf(a) || a.userUuid.localeCompare(b.userUuid));
    },

    /** Returns the caller's level in a project; null for keys of a project. */
    async projectLevelOf({ userId }: Caller, projectId: number): Promise<Rule['level'] | null> {
      if (userId === null) return null;
      const member = await stores.accessControls.findMember(projectId, userId);
      if (!member) return null;
      return member.membership.role === 'member' ? (projectLevel(member.rules) ?? 'admin') : 'admin';
    },
  };

  async function findSubject(projectId: number, rule: WantedRule): Promise<RuleSubject> {
    const membershipId = rule.organizationMember ?? null;
    const roleId = rule.role ?? null;
    if (membershipId !== null && !UUID.test(membershipId)) {
      throw new InvalidInput(`Invalid organization member id. ${MEMBER_ID_HINT}`, 'organization_member');
    }
    if (membershipId !== null && !(await stores.accessControls.hasMember(projectId, membershipId))) {
      throw doesNotExist(membershipId, 'organization_member', ` ${MEMBER_ID_HINT}`);
    }
    if (roleId !== null && !UUID.test(roleId)) throw new InvalidInput('Must be a valid UUID.', 'role');
    if (roleId !== null && !(await stores.accessControls.hasRole(projectId, roleId)))
      throw doesNotExist(roleId, 'role');
    if (membershipId !== null && roleId !== null) {
      throw new InvalidInput('You can not scope an access control to both a member and a role.');
    }
    return { membershipId, roleId };
  }
}

export type AccessControls = ReturnType<typeof accessControls>;

/** Hint in errors, because a user's `uuid` is easily confused with the id of a membership. */
const MEMBER_ID_HINT = "Use the 'id' field from the /api/organizations/<organization_id>/members/ endpoint.";
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function parseLevel(level: string | null, kind: string, { available, minimum, maximum }: Levels) {
  if (level === null) return null;
  const parsed = available.find((candidate) => candidate === level);
  if (parsed === undefined) {
    throw new InvalidInput(`Invalid access level. Must be one of: ${available.join(', ')}`, 'access_level');
  }
  if (available.indexOf(parsed) < available.indexOf(minimum)) {
    throw new InvalidInput(`Access level cannot be set below the minimum '${minimum}' for ${kind}.`, 'access_level');
  }
  if (available.indexOf(parsed) > available.indexOf(maximum)) {
    throw new InvalidInput(`Access level cannot be set above the maximum '${maximum}' for ${kind}.`, 'access_level');
  }
  return parsed;
}

function doesNotExist(id: string, attr: string, hint = ''): InvalidInput {
  return new InvalidInput(`Invalid pk "${id}" - object does not exist.${hint}`, attr, 'does_not_exist');
}

function loggedFieldsOf({ resource, resourceId, level, membershipId, roleId }: AccessControl) {
  return {
    resource,
    resource_id: resourceId,
    access_level: level,
    organization_member: membershipId,
    role: roleId,
  };
}

function rankOf({ level }: UserWithAccess): number {
  return LEVELS.findIndex((candidate) => candidate === level);
}
