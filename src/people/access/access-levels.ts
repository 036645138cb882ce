/** Levels that access rules about a kind of object may set, and the level without a rule. */
import { LEVELS } from '../../platform/http/access.ts';
import { PROJECT_LEVELS, type Rule } from './rights.ts';
import { SCOPES } from './scopes.ts';

export type Levels = {
  /** Ordered from the lowest to the highest. */
  available: readonly Rule['level'][];
  /** Level without any rule. */
  usual: Rule['level'];
  minimum: Rule['level'];
  maximum: Rule['level'];
};

const OF_OBJECTS: Levels = { available: LEVELS, usual: 'editor', minimum: 'none', maximum: 'manager' };
const OF_WHAT_IS_ONLY_READ: Levels = { ...OF_OBJECTS, usual: 'viewer', maximum: 'viewer' };
export const OF_PROJECTS: Levels = { available: PROJECT_LEVELS, usual: 'admin', minimum: 'none', maximum: 'admin' };

/** Kinds in scopes that are not objects of a project, so they have no such rules. */
const NOT_OBJECTS = ['access_control', 'organization', 'organization_member', 'project', 'user'];

/** The kinds of objects that rules can be about, as in scopes. */
export const KINDS: readonly string[] = [...new Set(SCOPES.map((scope) => scope.split(':')[0]!))].filter(
  (kind) => !NOT_OBJECTS.includes(kind),
);

export function levelsOf(kind: string): Levels {
  const isWritten = (SCOPES as readonly string[]).includes(`${kind}:write`);
  return isWritten ? OF_OBJECTS : OF_WHAT_IS_ONLY_READ;
}
