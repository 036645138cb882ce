/** Converts a query's property filters, which are nested as in upstream, to a tree and to SQL. */
import { InvalidInput } from '../../../platform/errors.ts';
import { conditionSql } from '../../../conditions/sql/condition-sql.ts';
import { parseFilters, createFilterBudget, filtersSql, type FilterBudget } from '../../../conditions/sql/filters.ts';
import type { FilterTree } from './parsed.ts';
import { refusal } from './refusal.ts';

const MAX_DEPTH = 4;
const MAX_ENTRIES = 100;
/** Limit for the whole tree, because each filter is evaluated for every event. */
const MAX_FILTERS = 500;

const MATCHES_EVERYTHING: FilterTree = { every: [] };

/**
 * @param value a list of filters, or a group; null: none
 * @param path path of `value`, for errors
 * @param budget shared by all filters of a query
 * @throws InvalidInput naming the filter and its fault
 */
export function filterTreeOf(value: unknown, path: string, budget: FilterBudget = createFilterBudget()): FilterTree {
  const tree = treeOf(value, { path, depth: 0, budget });
  if (countOf(tree) > MAX_FILTERS) throw refusal(path, `May have at most ${MAX_FILTERS} filters in total.`);
  return tree;
}

function countOf(tree: FilterTree): number {
  if ('filter' in tree) return 1;
  return ('every' in tree ? tree.every : tree.some).reduce((sum, filterTree) => sum + countOf(filterTree), 0);
}

type FilterPosition = { path: string; depth: number; budget: FilterBudget };

function treeOf(value: unknown, position: FilterPosition): FilterTree {
  const { path, depth } = position;
  if (value === null || value === undefined) return MATCHES_EVERYTHING;
  if (depth > MAX_DEPTH) throw refusal(path, `Groups may be nested ${MAX_DEPTH} deep.`);
  if (Array.isArray(value)) return { every: partsOf(value, position) };
  if (typeof value !== 'object') throw refusal(path, 'Must be a list of filters, or a group of them.');
  const { type, values } = value as { type?: unknown; values?: unknown };
  if (values === undefined) return Object.keys(value).length === 0 ? MATCHES_EVERYTHING : filterOf(value, position);
  if (!Array.isArray(values)) throw refusal(`${path}.values`, 'Must be a list.');
  const parts = partsOf(values, { ...position, path: `${path}.values` });
  if (type === 'AND') return { every: parts };
  // As in upstream, a group without parts matches everything.
  if (type === 'OR') return parts.length === 0 ? MATCHES_EVERYTHING : { some: parts };
  throw refusal(`${path}.type`, 'Must be "AND" or "OR".');
}

function partsOf(values: readonly unknown[], { path, depth, budget }: FilterPosition): FilterTree[] {
  if (values.length > MAX_ENTRIES) throw refusal(path, `May have at most ${MAX_ENTRIES} entries.`);
  return values.map((value, index) => treeOf(value, { path: `${path}[${index}]`, depth: depth + 1, budget }));
}

function filterOf(value: object, { path, budget }: FilterPosition): FilterTree {
  const { type } = value as { type?: unknown };
  if (type === undefined) throw refusal(`${path}.type`, "Must be 'event', 'person' or 'hogql'.");
  try {
    return { filter: parseFilters([value], 'events', budget)[0]! };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw refusal(path, error.message.replace(/^Filter 1: /, ''), error.code);
  }
}

/** The time zone of naive dates, and the instant from which relative ones count back. */
export type FilterContext = { timeZone: string; /** Milliseconds since 1970. */ now: number };

/** @returns SQL about rows of `events`, whose columns it names without an alias; never null */
export function filterTreeSql(tree: FilterTree, context: FilterContext): string {
  if ('filter' in tree) return filterSql(tree.filter, context);
  if ('every' in tree) return joinConditions(tree.every, ' and ', 'true', context);
  return joinConditions(tree.some, ' or ', 'false', context);
}

function joinConditions(
  parts: readonly FilterTree[],
  operator: string,
  ifEmpty: string,
  context: FilterContext,
): string {
  if (parts.length === 0) return ifEmpty;
  return `(${parts.map((part) => filterTreeSql(part, context)).join(operator)})`;
}

function filterSql(filter: Extract<FilterTree, { filter: unknown }>['filter'], context: FilterContext): string {
  const end = new Date(context.now).toISOString();
  if (filter.type === 'hogql') return `(${filtersSql([filter], 'events', { start: end, end })})`;
  const column = filter.type === 'event' ? 'properties' : 'person_properties';
  return conditionSql(filter as Parameters<typeof conditionSql>[0], column, { ...context, nulls: 'missing' });
}
