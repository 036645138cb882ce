/** Converts between `filters` and the old field `groups`: a person matches if all properties of one group do. */
import { InvalidInput } from '../../platform/errors.ts';
import type { CohortFilters, PropertyGroup } from './filters.ts';

type OldGroup = { properties: unknown[] };

/**
 * @param groups as the client sent them
 * @returns equivalent `filters`, unchecked
 * @throws InvalidInput for behavioral groups
 */
export function filtersOfGroups(groups: readonly Readonly<Record<string, unknown>>[]): Record<string, unknown> {
  const values = groups.map(({ properties, ...rest }, index) => {
    if (Array.isArray(properties)) return { type: 'AND', values: properties };
    if (rest['action_id'] === undefined && rest['event_id'] === undefined) {
      throw new InvalidInput('Expected a list of properties.', `groups__${index}__properties`, 'not_a_list');
    }
    throw new InvalidInput(
      'Behavioral cohorts (persons by their events) are not supported: flags cannot be decided by them.',
      `groups__${index}`,
      'behavioral_cohort_found',
    );
  });
  return { properties: { type: 'OR', values } };
}

/** @returns an empty list for filters that `groups` cannot express, and for static cohorts */
export function groupsOf(filters: CohortFilters | Record<string, never>): OldGroup[] {
  const { properties } = filters;
  if (!properties || properties.type !== 'OR') return [];
  const groups = properties.values.filter((part): part is PropertyGroup => 'values' in part && part.type === 'AND');
  const isPlain = groups.length === properties.values.length && groups.every(isFlat);
  return isPlain ? groups.map(({ values }) => ({ properties: values })) : [];
}

function isFlat({ values }: PropertyGroup): boolean {
  return values.every((value) => !('values' in value) && value.negation === undefined);
}
