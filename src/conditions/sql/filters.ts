/** Property filters of an export: checks them before they are stored, and compiles them to SQL that selects rows meeting all of them. */
import { InvalidInput } from '../../platform/errors.ts';
import type { Model, PropertyFilter } from '../rows/content.ts';
import { checkCondition } from '../operators/check-condition.ts';
import { DEFAULT_OPERATOR, OPERATORS } from '../operators/operator-table.ts';
import { textOf, type Json } from '../operators/json-values.ts';
import { sharedPatternBudget, type PatternBudget } from '../regex/pattern-budget.ts';
import { conditionSql } from './condition-sql.ts';
import { compileExpression } from '../custom-queries/compile.ts';
import { postgresRegex } from './postgres-regex.ts';

export const FILTER_OPERATORS = OPERATORS;
export const FILTER_TYPES = ['event', 'hogql', 'person'] as const;
const MAX_FILTERS = 100;
const MAX_KEY = 1000;
const MAX_EXPRESSION_CHARACTERS = 40_000;

/** Half-open interval of ISO instants. Relative dates (`-7d`) count back from its end, so a retry reads the same rows. */
export type Interval = { start: string; end: string };

/** Column that each type of filter reads: events and sessions have their own properties and their person's, persons only their own. */
const COLUMNS: Record<Model, Partial<Record<'event' | 'person', string>>> = {
  events: { event: 'properties', person: 'person_properties' },
  sessions: { event: 'properties', person: 'person_properties' },
  persons: { person: 'properties' },
};

/** Types that filters of a model may have. */
export function filterTypesOf(model: Model): (typeof FILTER_TYPES)[number][] {
  return FILTER_TYPES.filter((type) => (type === 'hogql' ? model !== 'sessions' : type in COLUMNS[model]));
}

/** Any interval will do to check whether an expression compiles. */
const SOME_INTERVAL: Interval = { start: '2024-01-01T00:00:00.000000Z', end: '2024-01-02T00:00:00.000000Z' };

/** Limits that all filters of an export, or of a query, share. */
export type FilterBudget = { patterns: PatternBudget; expressions: number };

export function createFilterBudget(): FilterBudget {
  return { patterns: sharedPatternBudget(), expressions: MAX_EXPRESSION_CHARACTERS };
}

/**
 * @param value `filters` of the request; null for none
 * @param budget limits that all filters checked together share
 * @throws InvalidInput with upstream's messages, attr `filters`, naming the filter and its fault
 */
export function parseFilters(
  value: unknown,
  model: Model,
  budget: FilterBudget = createFilterBudget(),
): PropertyFilter[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) throw filterError("'filters' should be an array of filters");
  if (value.length > MAX_FILTERS) throw filterError(`There may be at most ${MAX_FILTERS} filters`);
  return value.map((filter: unknown, index) => parseFilter(filter, { model, index, budget }));
}

function parseFilter(
  input: unknown,
  { model, index, budget }: { model: Model; index: number; budget: FilterBudget },
): PropertyFilter {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw filterError('Each filter must be an object');
  const { key, operator = null, type, value } = input as Record<string, unknown>;
  if (!isType(type)) throw filterError("Each filter must have a 'type' of one of: 'event', 'hogql', 'person'");
  if (typeof key !== 'string' || key === '') throw filterError("Each filter must have a 'key'");
  if (type !== 'hogql') columnOf(type, model);
  if (key.length > MAX_KEY && type !== 'hogql')
    throw filterError(`A filter's 'key' may have at most ${MAX_KEY} characters`);
  if (operator !== null && typeof operator !== 'string') throw filterError("A filter's 'operator' must be a string");
  if (!isStorable(input)) throw filterError('A filter contains characters that cannot be stored');
  return nameFilterInErrors(index, () => {
    if (type === 'hogql') {
      takeExpressionBudget(key, budget);
      compileExpression(key, relationOf(model), SOME_INTERVAL);
      return { key, operator: DEFAULT_OPERATOR, type };
    }
    const storedOperator = checkCondition({ key, operator, value: value as Json }, budget.patterns);
    // Postgres has a lower limit for patterns, because each of its sessions compiles its own automaton.
    if (storedOperator === 'regex' || storedOperator === 'not_regex') postgresRegex(textOf(value as Json));
    return { key, operator: storedOperator, type, ...(value !== undefined && { value }) };
  });
}

/** @throws InvalidInput when all expressions together are too long, because parsing takes a microsecond for each character */
export function takeExpressionBudget(text: string, budget: FilterBudget): void {
  budget.expressions -= text.length;
  // tooth: expressions-room
  if (budget.expressions < 0)
    throw filterError(`Expressions may have at most ${MAX_EXPRESSION_CHARACTERS} characters together`);
}

function isType(type: unknown): type is PropertyFilter['type'] {
  return FILTER_TYPES.some((candidate) => candidate === type);
}

/** Postgres stores neither NUL nor halves of surrogate pairs, so such a filter would never match. */
export function isStorable(value: object): boolean {
  const text = JSON.stringify(value);
  return !/\\u(0000|[dD][89a-fA-F])/.test(text.replaceAll('\\\\', ''));
}

function nameFilterInErrors<T>(index: number, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new InvalidInput(`Filter ${index + 1}: ${error.message}`, 'filters', error.code);
  }
}

function filterError(detail: string): InvalidInput {
  return new InvalidInput(detail, 'filters');
}

function columnOf(type: 'event' | 'person', model: Model): string {
  const column = COLUMNS[model][type];
  if (column) return column;
  throw filterError(`Filters of type '${type}' are not supported for the '${model}' model`);
}

function relationOf(model: Model): 'events' | 'persons' {
  if (model !== 'sessions') return model;
  throw filterError("Filters of type 'hogql' are not supported for the 'sessions' model");
}

/**
 * @param filters checked filters
 * @param relation whose columns the SQL names without an alias
 * @param interval the interval that the run delivers
 * @returns SQL that is true or false for every row; `true` for no filters
 * @throws InvalidInput for a type that the relation does not have: a custom query may read another relation than the model's
 */
export function filtersSql(filters: readonly PropertyFilter[], relation: Model, interval: Interval): string {
  const context = { timeZone: 'UTC', now: Date.parse(interval.end), nulls: 'missing' } as const;
  const conditions = filters.map(({ key, operator, type, value }) => {
    if (type === 'hogql') return `coalesce(${compileExpression(key, relationOf(relation), interval)}, false)`;
    return conditionSql({ key, operator, value: value as Json }, columnOf(type, relation), context);
  });
  return conditions.length === 0 ? 'true' : conditions.join(' and ');
}
