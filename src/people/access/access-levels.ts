/** Levels that access rules about a kind of object may set, and the level without a rule. */
import { LEVELS } from '../../platform/http/access.ts';
import { PROJECT_LEVELS, type Rule } from './rights.ts';
import { SCOPES } from './scopes.ts';

export type Levels = {
  /** Ordered from the lowest to the highest. */
  available: readonly Rule['level'][];
  /** Level without any rule. */
  byDefault: Rule['level'];
  minimum: Rule['level'];
  maximum: Rule['level'];
};

const OBJECT_LEVELS: Levels = { available: LEVELS, byDefault: 'editor', minimum: 'none', maximum: 'manager' };
const READ_ONLY_LEVELS: Levels = { ...OBJECT_LEVELS, byDefault: 'viewer', maximum: 'viewer' };
export const PROJECT_ACCESS_LEVELS: Levels = {
  available: PROJECT_LEVELS,
  byDefault: 'admin',
  minimum: 'none',
  maximum: 'admin',
};

/** Kinds in scopes that are not objects of a project, so they have no such rules. */
const KINDS_WITHOUT_RULES = ['access_control', 'organization', 'organization_member', 'project', 'user'];

/** The kinds of objects that rules can be about, as in scopes. */
export const KINDS: readonly string[] = [...new Set(SCOPES.map((scope) => scope.split(':')[0]!))].filter(
  (kind) => !KINDS_WITHOUT_RULES.includes(kind),
);

export function levelsOf(kind: string): Levels {
  const isWritable = (SCOPES as readonly string[]).includes(`${kind}:write`);
  return isWritable ? OBJECT_LEVELS : READ_ONLY_LEVELS;
}
