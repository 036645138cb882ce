/**
 * What somebody may do in a project, computed from the rules that apply to them. Pure: the rules are read once for a request.
 * Rule by rule as upstream does it, except that lists follow the same computation as single objects.
 */
import {
  LEVELS,
  type Level,
  type OrganizationRole,
  type Protected,
  type Rights,
  type Visible,
} from '../http/access.ts';

/** A rule that applies to the caller: everybody's, their own, or that of a role they have. */
export type Rule = {
  /** The kind of object, as in scopes; `project`: the project itself. */
  resource: string;
  /** null: all objects of the kind. */
  resourceId: string | null;
  /** Whether it is for this member or a role of theirs, and not for everybody. */
  specific: boolean;
  level: Level | ProjectLevel;
};

/** Standing in a project. */
export type ProjectLevel = 'none' | 'member' | 'admin';

/** Objects without any rule are open to everybody in the project. */
const DEFAULT_LEVEL: Level = 'editor';

type Standing = { userId: number; membership: { id: string; role: OrganizationRole }; rules: readonly Rule[] };

/** @returns null when the rules keep the member out of the project */
export function rightsOfMember({ userId, membership, rules }: Standing): Rights | null {
  const isOrganizationAdmin = membership.role !== 'member';
  const standing = projectLevel(rules);
  if (standing === 'none' && !isOrganizationAdmin) return null;
  const isProjectAdmin = isOrganizationAdmin || standing === 'admin';
  const byKind = new Map<string, Rule[]>();
  for (const rule of rules) byKind.set(rule.resource, [...(byKind.get(rule.resource) ?? []), rule]);

  function levelOf(resource: string, object?: Protected): Level {
    if (isOrganizationAdmin) return 'manager';
    if (object && object.createdBy === userId) return 'manager';
    return levelByRules(byKind.get(resource) ?? [], object && String(object.id));
  }

  function visible(resource: string): Visible {
    if (isOrganizationAdmin) return { madeBy: userId, except: [] };
    const ofKind = byKind.get(resource) ?? [];
    const named = [...new Set(ofKind.flatMap(({ resourceId }) => resourceId ?? []))];
    const hidden = (id: string) => levelByRules(ofKind, id) === 'none';
    if (levelByRules(ofKind, undefined) === 'none') return { madeBy: userId, only: named.filter((id) => !hidden(id)) };
    return { madeBy: userId, except: named.filter(hidden) };
  }

  return { membership, isProjectAdmin, levelOf, visible };
}

/** A key of the project is nobody in particular: rules are about people. It edits everything, and decides about nobody's access. */
export const RIGHTS_OF_PROJECT_KEY: Rights = {
  membership: null,
  isProjectAdmin: false,
  levelOf: () => DEFAULT_LEVEL,
  visible: () => ({ madeBy: null, except: [] }),
};

/** The highest of what is said of this person and object, else of this kind of object, else of the object to everybody. */
function levelByRules(rules: readonly Rule[], id: string | undefined): Level {
  const ofObject = rules.filter(({ resourceId }) => id !== undefined && resourceId === id);
  return (
    highest(ofObject.filter(({ specific }) => specific)) ??
    highest(rules.filter(({ resourceId }) => resourceId === null)) ??
    highest(ofObject) ??
    DEFAULT_LEVEL
  );
}

function highest(rules: readonly Rule[]): Level | undefined {
  const levels = rules.map(({ level }) => LEVELS.indexOf(level as Level));
  return LEVELS[Math.max(-1, ...levels)];
}

/** undefined: no rule says anything. */
function projectLevel(rules: readonly Rule[]): ProjectLevel | undefined {
  const ofProject = rules.filter(({ resource }) => resource === 'project');
  const specific = ofProject.filter((rule) => rule.specific);
  const deciding = specific.length > 0 ? specific : ofProject;
  const levels = deciding.map(({ level }) => level);
  return (['admin', 'member', 'none'] as const).find((level) => levels.includes(level));
}
