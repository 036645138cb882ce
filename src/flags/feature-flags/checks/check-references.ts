/** Checks that a flag's conditions reference existing cohorts without filters on events, and active flags that do not depend on this flag. */
import { InvalidInput } from '../../../platform/errors.ts';
import type { Rights } from '../../../platform/http/access.ts';
import type { BoundFlagStores } from '../../stores.ts';
import { idOf } from './check-filters.ts';
import { conditionsOf, type FlagFilters, type Property } from '../filters.ts';
import { maySeeFlag } from '../linked.ts';
import type { Dependency } from '../references.store.ts';

type CheckedFlag = { id?: number; key: string; filters: FlagFilters };

/** @throws InvalidInput naming the condition */
export async function checkReferences(
  stores: BoundFlagStores,
  projectId: number,
  flag: CheckedFlag,
  rights: Pick<Rights, 'levelOf'> | undefined,
): Promise<void> {
  await checkCohorts(stores, projectId, flag.filters);
  await checkDependencies(stores, projectId, flag, rights);
}

async function checkCohorts({ references }: BoundFlagStores, projectId: number, filters: FlagFilters): Promise<void> {
  const conditions = conditionsOf(filters).filter(({ property }) => property.type === 'cohort');
  if (conditions.length === 0) return;
  const idsAt = conditions.map(({ property, attr }) => ({ id: idOf(property.value) ?? 0, attr: `${attr}__value` }));
  const used = await references.findCohortsWithReferences(
    projectId,
    idsAt.map(({ id }) => id),
  );
  const known = new Set(used.map(({ id }) => id));
  for (const { id, attr } of idsAt) {
    if (known.has(id)) continue;
    throw new InvalidInput(`Cohort with id ${id} does not exist`, attr, 'cohort_does_not_exist');
  }
  const behavioural = used.find((cohort) => cohort.behavioural);
  if (!behavioural) return;
  const attr = idsAt.find(({ id }) => id === behavioural.id)?.attr ?? idsAt[0]!.attr;
  throw new InvalidInput(
    `Cohort '${behavioural.name}' with filters on events cannot be used in feature flags.`,
    attr,
    'behavioral_cohort_found',
  );
}

async function checkDependencies(
  { references }: BoundFlagStores,
  projectId: number,
  flag: CheckedFlag,
  rights: Pick<Rights, 'levelOf'> | undefined,
): Promise<void> {
  const conditions = conditionsOf(flag.filters).filter(({ property }) => property.type === 'flag');
  if (conditions.length === 0) return;
  const byTarget = new Map(conditions.map(({ property, attr }) => [Number(property.key), `${attr}__key`]));
  const found = await references.findFlagsWithDependencies(projectId, [...byTarget.keys()]);
  // Keys and variants of hidden flags must not be revealed.
  const reached = found.map((ref) =>
    maySeeFlag(rights, ref) ? ref : { ...ref, key: `ID: ${ref.id}`, isHidden: true },
  );
  const byId = new Map(reached.map((ref) => [ref.id, ref]));
  for (const [id, attr] of byTarget) {
    if (id === flag.id) throw new InvalidInput(`Feature flag '${flag.key}' cannot depend on itself`, attr);
    const target = byId.get(id);
    if (!target) throw new InvalidInput(`Flag dependency references non-existent flag with ID ${id}`, attr);
    if (!target.active) {
      throw new InvalidInput(`Flag dependency references the disabled flag '${target.key}' (ID: ${id})`, attr);
    }
  }
  for (const { property, attr } of conditions) checkOutcome(property, byId.get(Number(property.key))!, attr);
  const path = flag.id === undefined ? undefined : findPath(flag.id, [...byTarget.keys()], byId);
  if (!path) return;
  const keys = [flag.key, ...path.map((id) => byId.get(id)!.key).slice(0, -1), flag.key];
  throw new InvalidInput(`Circular dependency detected: ${keys.join(' → ')}`, byTarget.get(path[0]!));
}

/** Checks the value to which a flag must evaluate: a boolean (also as text), a variant, or `holdout-<id>` for persons held out. */
function checkOutcome(
  property: Property,
  { key, variants, isHidden = false }: Dependency & { isHidden?: boolean },
  attr: string,
): void {
  const { value } = property;
  if (typeof value !== 'string' || variants.includes(value) || value.startsWith('holdout-')) return;
  if (value === 'true' || value === 'false') {
    property.value = value === 'true';
    return;
  }
  const choices = ['true', 'false', ...variants.map((variant) => `"${variant}"`)].join(', ');
  const outcomes = isHidden ? '' : ` It evaluates to ${choices}.`;
  throw new InvalidInput(
    `The flag '${key}' has no variant "${value.slice(0, 100)}".${outcomes}`,
    `${attr}__value`,
    'invalid_value',
  );
}

/** Finds the ids on a path from one of `starts` to `end`, both included; undefined if there is none. Visits each flag once. */
function findPath(
  end: number,
  starts: readonly number[],
  flags: ReadonlyMap<number, Dependency>,
): number[] | undefined {
  const cameFrom = new Map<number, number | undefined>(starts.map((start) => [start, undefined]));
  for (const [id] of cameFrom) {
    if (id === end) return pathBack(end, cameFrom);
    for (const next of flags.get(id)?.dependsOn ?? []) {
      if (!cameFrom.has(next)) cameFrom.set(next, id);
    }
  }
  return undefined;
}

function pathBack(end: number, cameFrom: ReadonlyMap<number, number | undefined>): number[] {
  const path: number[] = [];
  for (let id: number | undefined = end; id !== undefined; id = cameFrom.get(id)) path.unshift(id);
  return path;
}
