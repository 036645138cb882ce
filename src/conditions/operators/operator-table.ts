/**
 * The table of all operators on properties, with what each compares. Evaluation, SQL and the checks of values only distinguish kinds of
 * comparisons, so a new operator of a known kind is one more line here.
 */
import {
  caretRange,
  comparableVersionOf,
  tildeRange,
  versionOf,
  wildcardRange,
  type Version,
  type VersionRange,
} from './semver.ts';

/** Comparison sign, in SQL's notation. */
export type Sign = '=' | '<>' | '<' | '<=' | '>' | '>=';

/** Comparison that an operator makes. A negation also matches a missing property, but no property that cannot be compared with the value. */
export type Comparison = { readonly isNegation?: true } & (
  | { readonly kind: 'presence' }
  | { readonly kind: 'equals' | 'contains' | 'containsAny' | 'startsWith' | 'endsWith' | 'regex' | 'between' }
  | { readonly kind: 'number' | 'date'; readonly sign: Sign }
  | { readonly kind: 'version'; readonly sign: Sign; readonly read: (text: string) => Version | undefined }
  | { readonly kind: 'versionRange'; readonly read: (text: string) => VersionRange | undefined }
);

const COMPARISONS = {
  exact: { kind: 'equals' },
  is_not: { kind: 'equals', isNegation: true },
  is_set: { kind: 'presence' },
  is_not_set: { kind: 'presence', isNegation: true },
  icontains: { kind: 'contains' },
  not_icontains: { kind: 'contains', isNegation: true },
  icontains_multi: { kind: 'containsAny' },
  not_icontains_multi: { kind: 'containsAny', isNegation: true },
  starts_with: { kind: 'startsWith' },
  not_starts_with: { kind: 'startsWith', isNegation: true },
  ends_with: { kind: 'endsWith' },
  not_ends_with: { kind: 'endsWith', isNegation: true },
  regex: { kind: 'regex' },
  not_regex: { kind: 'regex', isNegation: true },
  gt: { kind: 'number', sign: '>' },
  gte: { kind: 'number', sign: '>=' },
  lt: { kind: 'number', sign: '<' },
  lte: { kind: 'number', sign: '<=' },
  between: { kind: 'between' },
  not_between: { kind: 'between', isNegation: true },
  is_date_exact: { kind: 'date', sign: '=' },
  is_date_before: { kind: 'date', sign: '<' },
  is_date_after: { kind: 'date', sign: '>' },
  semver_eq: { kind: 'version', sign: '=', read: comparableVersionOf },
  // Not a negation, because it does not match a missing property.
  semver_neq: { kind: 'version', sign: '<>', read: comparableVersionOf },
  semver_gt: { kind: 'version', sign: '>', read: versionOf },
  semver_gte: { kind: 'version', sign: '>=', read: versionOf },
  semver_lt: { kind: 'version', sign: '<', read: versionOf },
  semver_lte: { kind: 'version', sign: '<=', read: versionOf },
  semver_tilde: { kind: 'versionRange', read: tildeRange },
  semver_caret: { kind: 'versionRange', read: caretRange },
  semver_wildcard: { kind: 'versionRange', read: wildcardRange },
} satisfies Record<string, Comparison>;

export type Operator = keyof typeof COMPARISONS;
export const OPERATORS = Object.keys(COMPARISONS) as readonly Operator[];

/** Alternative names of operators, which are replaced when a condition is stored. */
const ALIASES: Record<string, Operator> = { min: 'gte', max: 'lte' };

/** The operator of a filter without one. */
export const DEFAULT_OPERATOR: Operator = 'exact';

/** @returns undefined for an unknown operator, and for `in`, `not_in` and `flag_evaluates_to`, which do not compare properties */
export function findOperator(name: string | null | undefined): Operator | undefined {
  if (name === null || name === undefined) return DEFAULT_OPERATOR;
  return OPERATORS.find((operator) => operator === name) ?? (Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined);
}

/** @returns undefined for an unknown operator */
export function findComparison(name: string | null | undefined): Comparison | undefined {
  const operator = findOperator(name);
  return operator && COMPARISONS[operator];
}
