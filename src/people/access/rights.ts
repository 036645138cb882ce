/**
 * Computes the rights of a caller in a project from the rules that apply to them, without I/O. Follows upstream's precedence of rules,
 * except that lists apply the same rules as single objects.
 */
import { PermissionDenied } from '../../platform/errors.ts';
import {
  LEVELS,
  reaches,
  type Level,
  type OrganizationRole,
  type Protected,
  type Rights,
  type Visible,
} from '../../platform/http/access.ts';

/** A rule that applies to the caller. */
export type Rule = {
  /** The kind of object as in scopes, or `project` for the project itself. */
  resource: string;
  /** Null for all objects of the kind. */
  resourceId: string | null;
  /** Whether the rule applies to this member, to one of the member's roles, or to everybody. */
  subject: 'member' | 'role' | 'everybody';
  level: Level | ProjectLevel;
};

export const PROJECT_LEVELS = ['none', 'member', 'admin'] as const;
/** Level of a member in a project itself. */
export type ProjectLevel = (typeof PROJECT_LEVELS)[number];

/** Level for objects without a rule, for everybody in the project. */
const DEFAULT_LEVEL: Level = 'editor';

/** A member of the project's organization, and the rules of the project that apply to them. */
export type MemberWithRules = {
  userId: number;
  membership: { id: string; role: OrganizationRole };
  rules: readonly Rule[];
};

/** @returns null when the rules keep the member out of the project */
export function rightsOfMember({ userId, membership, rules }: MemberWithRules): Rights | null {
  const isOrganizationAdmin = membership.role !== 'member';
  const ownProjectLevel = projectLevel(rules);
  if (ownProjectLevel === 'none' && !isOrganizationAdmin) return null;
  const isProjectAdmin = isOrganizationAdmin || ownProjectLevel === 'admin';
  const byKind = Map.groupBy(rules, ({ resource }) => resource);

  function levelOf(resource: string, object?: Protected): Level {
    if (isOrganizationAdmin || object?.createdBy === userId) return 'manager';
    return levelByRules(byKind.get(resource) ?? [], object && String(object.id));
  }

  function visible(resource: string): Visible {
    if (isOrganizationAdmin) return { madeBy: userId, except: [] };
    const rulesOfKind = byKind.get(resource) ?? [];
    const namedIds = [...new Set(rulesOfKind.flatMap(({ resourceId }) => resourceId ?? []))];
    const isHidden = (id: string) => levelByRules(rulesOfKind, id) === 'none';
    if (levelByRules(rulesOfKind, undefined) === 'none')
      return { madeBy: userId, only: namedIds.filter((id) => !isHidden(id)) };
    return { madeBy: userId, except: namedIds.filter(isHidden) };
  }

  return { membership, isProjectAdmin, levelOf, visible };
}

/** Rights of a project secret key. Rules are about members, so none applies: it may edit everything, but not change access. */
export const RIGHTS_OF_PROJECT_KEY: Rights = {
  membership: null,
  isProjectAdmin: false,
  levelOf: () => DEFAULT_LEVEL,
  visible: () => ({ madeBy: null, except: [] }),
};

/** Whether the caller may change access to an object: its managers may, and project admins. */
export function mayChangeAccess(rights: Rights, resource: string, object: Protected): boolean {
  return rights.isProjectAdmin || rights.levelOf(resource, object) === 'manager';
}

/** @throws PermissionDenied when the caller may not decide about access to the object */
export function ensureMayChangeAccess(rights: Rights, resource: string, object: Protected): void {
  if (!mayChangeAccess(rights, resource, object))
    throw new PermissionDenied(`Must be manager to modify ${resource} permissions.`);
}

/** Ensures that the caller may create objects of a kind, or change the given one. @throws PermissionDenied */
export function ensureEditor(rights: Rights, resource: string, object?: Protected): void {
  if (reaches(rights.levelOf(resource, object), 'editor')) return;
  throw new PermissionDenied('You do not have editor access to this resource.');
}

/** Sources of a member's level with an object, in upstream's order. */
export type AccessSource =
  'creator' | 'organization_admin' | 'explicit_member' | 'explicit_role' | 'project_admin' | 'default';

export function sourceOf(member: MemberWithRules, rights: Rights, resource: string, object: Protected): AccessSource {
  const { userId, membership, rules } = member;
  if (object.createdBy === userId) return 'creator';
  if (membership.role !== 'member') return 'organization_admin';
  const level = rights.levelOf(resource, object);
  const decidingRules = rules.filter(
    (rule) => rule.resource === resource && rule.resourceId === String(object.id) && rule.level === level,
  );
  if (decidingRules.some(({ subject }) => subject === 'member')) return 'explicit_member';
  if (decidingRules.some(({ subject }) => subject === 'role')) return 'explicit_role';
  return rights.isProjectAdmin ? 'project_admin' : 'default';
}

/** @returns the level with a kind by the rules for everybody, for shared links, which belong to no member */
export function levelForEverybody(rules: readonly Rule[], resource: string): Level {
  return levelByRules(
    rules.filter((rule) => rule.resource === resource && !isSpecific(rule)),
    undefined,
  );
}

/**
 * Returns the highest level of the first of these groups that has a rule: rules for this person and object, rules for this kind of object,
 * rules for everybody and this object.
 */
function levelByRules(rules: readonly Rule[], id: string | undefined): Level {
  const rulesOfObject = rules.filter(({ resourceId }) => id !== undefined && resourceId === id);
  return (
    highest(rulesOfObject.filter(isSpecific)) ??
    highest(rules.filter(({ resourceId }) => resourceId === null)) ??
    highest(rulesOfObject) ??
    DEFAULT_LEVEL
  );
}

function isSpecific({ subject }: Rule): boolean {
  return subject !== 'everybody';
}

function highest(rules: readonly Rule[]): Level | undefined {
  const levels = rules.map(({ level }) => LEVELS.indexOf(level as Level));
  return LEVELS[Math.max(-1, ...levels)];
}

/** Level in the project by its rules; undefined without a rule. */
export function projectLevel(rules: readonly Rule[]): ProjectLevel | undefined {
  const rulesOfProject = rules.filter(({ resource }) => resource === 'project');
  const specific = rulesOfProject.filter(isSpecific);
  const decidingRules = specific.length > 0 ? specific : rulesOfProject;
  const levels = decidingRules.map(({ level }) => level);
  return PROJECT_LEVELS.toReversed().find((level) => levels.includes(level));
}
