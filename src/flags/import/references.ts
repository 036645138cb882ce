/** Finds references between flags and cohorts, whose ids differ between servers. */
import { idOf } from '../feature-flags/checks/check-filters.ts';
import { isFields, type Fields } from './exported.ts';
import type { Kind } from './outcome.ts';

/** A condition's reference to a flag or a cohort. */
export type Reference = {
  kind: Kind;
  id: number;
  /** The field that holds the id: `filters__groups__0__properties__1__value`. */
  attr: string;
  /** Replaces the id in the condition. */
  setId(id: number): void;
};

/** Fields of filters that are lists of condition sets. */
const SETS = ['groups', 'super_groups', 'holdout_groups'];

/**
 * Finds the references in a flag's filters. Malformed ids are skipped, because the API refuses them later.
 * @param filters changed in place by `setId`
 */
export function flagReferences(filters: unknown): Reference[] {
  if (!isFields(filters)) return [];
  return SETS.flatMap((name) =>
    listOf(filters[name]).flatMap((set, index) =>
      isFields(set) ? conditionReferences(listOf(set['properties']), `filters__${name}__${index}__properties`) : [],
    ),
  );
}

/** Finds the references in a cohort's `filters` and its old `groups`, without recursion. @param fields changed in place by `setId` */
export function cohortReferences({ filters, groups }: Fields): Reference[] {
  const found: Reference[] = [];
  const pending = listOf(groups).flatMap((group, index) =>
    isFields(group) ? [{ values: listOf(group['properties']), attr: `groups__${index}__properties` }] : [],
  );
  const properties = isFields(filters) ? filters['properties'] : undefined;
  if (isFields(properties)) pending.push({ values: listOf(properties['values']), attr: 'filters__properties__values' });
  for (let list = pending.pop(); list; list = pending.pop()) {
    const { values, attr } = list;
    for (const item of conditionReferences(values, attr)) if (item.kind === 'cohort') found.push(item);
    for (const [index, value] of values.entries()) {
      if (isFields(value)) pending.push({ values: listOf(value['values']), attr: `${attr}__${index}__values` });
    }
  }
  return found;
}

function conditionReferences(conditions: readonly unknown[], attr: string): Reference[] {
  return conditions.flatMap((condition, index) => {
    if (!isFields(condition)) return [];
    const path = `${attr}__${index}`;
    if (condition['type'] === 'cohort') return reference('cohort', condition, 'value', path);
    return condition['type'] === 'flag' ? reference('flag', condition, 'key', path) : [];
  });
}

function reference(kind: Kind, condition: Fields, field: 'key' | 'value', path: string): Reference[] {
  const id = idOf(condition[field]);
  if (id === undefined) return [];
  const setId = (newId: number) => {
    (condition as Record<string, unknown>)[field] = kind === 'flag' ? String(newId) : newId;
  };
  return [{ kind, id, attr: `${path}__${field}`, setId }];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}
