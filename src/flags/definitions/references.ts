/** Finds the references in stored filters to flags and cohorts, which are by id; malformed ones are ignored. */
import { sortByDependencies } from '../evaluation/dependency-order.ts';
import type { CohortDefinition } from '../evaluation/definitions.ts';
import type { Json } from '../../conditions/operators/json-values.ts';
import { elementsOf, fieldsOf, integerOf, type Fields } from '../../conditions/operators/stored-json.ts';
import type { StoredDefinitions, StoredFlag } from './stored-definitions.ts';

/** The condition sets of a flag. */
export function conditionsOf({ filters }: Pick<StoredFlag, 'filters'>): readonly Fields[] {
  return elementsOf(fieldsOf(filters)['groups']).map(fieldsOf);
}

/** The property filters of a condition set. */
export function propertiesOf(condition: Fields): readonly Fields[] {
  return elementsOf(condition['properties']).map(fieldsOf);
}

/** The property filters of a cohort, at any depth. */
export function leavesOf({ filters }: CohortDefinition): Fields[] {
  const leaves: Fields[] = [];
  const queue: (Json | undefined)[] = [fieldsOf(filters)['properties']];
  for (const node of queue) {
    const fields = fieldsOf(node);
    if (Object.hasOwn(fields, 'values')) queue.push(...elementsOf(fields['values']));
    else leaves.push(fields);
  }
  return leaves;
}

/** The ids of the cohorts that a cohort references directly. */
function referencedCohortIds(cohort: CohortDefinition | undefined): number[] {
  const leaves = cohort && !cohort.isStatic ? leavesOf(cohort) : [];
  return leaves.map(cohortIdOf).filter((id) => id !== undefined);
}

/** The id of the flag that a property filter tests; undefined for other filters. */
export function flagIdOf(property: Fields): number | undefined {
  return property['type'] === 'flag' ? integerOf(property['key']) : undefined;
}

/** The id of the cohort that a property filter tests; undefined for other filters. */
export function cohortIdOf(property: Fields): number | undefined {
  return property['type'] === 'cohort' ? integerOf(property['value']) : undefined;
}

/** Longer chains would make descriptions of many flags huge. */
const MAX_CHAIN = 100;

export type References = {
  /**
   * A cohort and all cohorts that it references, directly or not; missing ones map to undefined. Returns undefined for a cycle, because
   * SDKs would never finish.
   */
  cohortsReachableFrom(id: number): ReadonlyMap<number, CohortDefinition | undefined> | undefined;
  /** All flags that a flag depends on, then the flag itself; undefined if one is missing, for a cycle, or if there are too many. */
  dependencyChainOf(flagId: number): readonly StoredFlag[] | undefined;
};

const cachedReferences = new WeakMap<StoredDefinitions, References>();

/** Returns the references of a project, built once per version of the project. */
export function referencesIn(definitions: StoredDefinitions): References {
  const references = cachedReferences.get(definitions) ?? makeReferences(definitions);
  cachedReferences.set(definitions, references);
  return references;
}

function makeReferences({ flags, cohorts }: StoredDefinitions): References {
  const flagsById = new Map(flags.map((flag) => [flag.id, flag]));
  const cohortsById = new Map(cohorts.map((cohort) => [cohort.id, cohort]));
  const chains = new Map<number, readonly StoredFlag[] | undefined>();

  function findChain(flagId: number): readonly StoredFlag[] | undefined {
    const chain = new Map<number, StoredFlag>();
    const ancestors = new Set<number>();
    const visit = (id: number): boolean => {
      if (chain.has(id)) return true;
      const flag = flagsById.get(id);
      if (!flag || ancestors.has(id) || ancestors.size + chain.size === MAX_CHAIN) return false;
      ancestors.add(id);
      const complete = conditionsOf(flag)
        .flatMap(propertiesOf)
        .map(flagIdOf)
        .every((dependency) => dependency === undefined || visit(dependency));
      ancestors.delete(id);
      chain.set(id, flag);
      return complete;
    };
    return visit(flagId) ? [...chain.values()] : undefined;
  }

  return {
    cohortsReachableFrom(id) {
      const reachable = new Map([[id, cohortsById.get(id)]]);
      // A map's iterator also visits entries that are added meanwhile.
      for (const cohort of reachable.values()) {
        for (const cohortId of referencedCohortIds(cohort))
          if (!reachable.has(cohortId)) reachable.set(cohortId, cohortsById.get(cohortId));
      }
      const indexes = new Map([...reachable.keys()].map((cohortId, index) => [cohortId, index]));
      const dependencies = [...reachable.values()].map((cohort) =>
        referencedCohortIds(cohort).map((flag) => indexes.get(flag)!),
      );
      const { cyclic } = sortByDependencies(dependencies.length, (index) => dependencies[index]!);
      return cyclic.size > 0 ? undefined : reachable;
    },
    dependencyChainOf(flagId) {
      if (!chains.has(flagId)) chains.set(flagId, findChain(flagId));
      return chains.get(flagId);
    },
  };
}
