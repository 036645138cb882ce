/**
 * Decides whether a property matches a filter: the operators of flags, cohorts and exports, with the semantics of upstream's server
 * (its `property_matching.rs`) and of the SDKs that evaluate locally. Malformed values never throw; they do not match.
 */
import { type DateContext } from './dates.ts';
import { prepareInstant } from './filter-dates.ts';
import { isList, numberOf, textOf, type Json, type Properties } from './json-values.ts';
import { isTruth, lowerAscii, Readings } from './readings.ts';
import { searchFor } from '../regex/regex.ts';
import {
  caretRange,
  comparableVersionOf,
  compareVersions,
  isInRange,
  tildeRange,
  versionOf,
  wildcardRange,
  type VersionRange,
} from './semver.ts';
import { searchOf } from './text-search.ts';

export const OPERATORS = [
  'exact',
  'is_not',
  'is_set',
  'is_not_set',
  'icontains',
  'not_icontains',
  'icontains_multi',
  'not_icontains_multi',
  'starts_with',
  'not_starts_with',
  'ends_with',
  'not_ends_with',
  'regex',
  'not_regex',
  'gt',
  'gte',
  'lt',
  'lte',
  'between',
  'not_between',
  'is_date_exact',
  'is_date_before',
  'is_date_after',
  'semver_eq',
  'semver_neq',
  'semver_gt',
  'semver_gte',
  'semver_lt',
  'semver_lte',
  'semver_tilde',
  'semver_caret',
  'semver_wildcard',
] as const;
export type Operator = (typeof OPERATORS)[number];

/** Other names, accepted when something is saved. */
const ALIASES: Record<string, Operator> = { min: 'gte', max: 'lte' };

/** The operator of a filter that names none, and the answers of negative operators to a missing property. */
export const DEFAULT_OPERATOR: Operator = 'exact';
const TRUE_WHEN_MISSING: readonly string[] = [
  'is_not',
  'is_not_set',
  'not_icontains',
  'not_icontains_multi',
  'not_starts_with',
  'not_ends_with',
  'not_regex',
  'not_between',
] satisfies Operator[];

/** @returns undefined when there is no operator of that name; `in`, `not_in` and `flag_evaluates_to` are not about properties */
export function operatorNamed(name: string | null | undefined): Operator | undefined {
  if (name === null || name === undefined) return DEFAULT_OPERATOR;
  return OPERATORS.find((operator) => operator === name) ?? (Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined);
}

export type PropertyCondition = {
  readonly key: string;
  readonly operator?: string | null | undefined;
  readonly value?: Json | undefined;
};

/** Context in which a condition is read, once for all the properties that it is then compared with. */
export type ConditionContext = {
  /** IANA name: dates without an offset are read by its clock. */
  timeZone: string;
  /** `property_matching_version`: 1 compares with true and false by truth, 2 by text. */
  version?: 1 | 2;
};

export type MatchContext = DateContext &
  ConditionContext & {
    /** Whether some properties are unknown; a missing one then matches no operator. */
    partial?: boolean;
  };

export function matchesProperty(condition: PropertyCondition, properties: Properties, context: MatchContext): boolean {
  const isKnown = Object.hasOwn(properties, condition.key);
  if (context.partial && !isKnown) return false;
  return prepareCondition(condition, context)(isKnown ? properties[condition.key] : undefined, context.now);
}

/**
 * @param found the property; undefined: missing
 * @param now milliseconds since 1970, from which relative dates count
 * @param readings of the property's request; absent: without a shared limit
 * @throws StepsSpent when the request has no steps left for this
 */
export type PropertyTest = (found: Json | undefined, now: number, readings?: Readings) => boolean;

const matchesNothing: PropertyTest = () => false;

/** Reads a condition once, when it is first needed, to compare many properties with it. An invalid condition matches nothing. */
export function prepareCondition(
  { operator: name, value }: Omit<PropertyCondition, 'key'>,
  context: ConditionContext,
): PropertyTest {
  const operator = operatorNamed(name);
  if (!operator) return matchesNothing;
  if (operator === 'is_set') return (found) => found !== undefined;
  if (operator === 'is_not_set') return (found) => found === undefined;
  if (value === null || value === undefined) return matchesNothing;
  const whenMissing = isTrueWhenMissing(operator);
  let compare: Comparison | undefined;
  return (found, now, readings = new Readings(Infinity)) => {
    if (found === undefined) return whenMissing;
    compare ??= MATCHERS[operator](value, context);
    return compare(found, readings, now) ?? false;
  };
}

export function isTrueWhenMissing(operator: Operator): boolean {
  return TRUE_WHEN_MISSING.includes(operator);
}

/** Undefined when the two cannot be compared: neither the operator nor its negation matches. */
type Comparison = (found: Json, readings: Readings, now: number) => boolean | undefined;
type Matcher = (wanted: Json, context: ConditionContext) => Comparison;

const incomparable: Comparison = () => undefined;

function negate(matcher: Matcher): Matcher {
  return (...args) => {
    const compare = matcher(...args);
    return (found, readings, now) => {
      const matches = compare(found, readings, now);
      return matches === undefined ? undefined : !matches;
    };
  };
}

const equals: Matcher = (wanted, { version = 1 }) => {
  if (version === 1 ? isTruthOrFalsehood(wanted) : isList(wanted) && wanted.length === 0) {
    const truth = isTruth(wanted);
    return (found, readings) => readings.isTrue(found) === truth;
  }
  const texts = new Set(listOf(wanted).map((one) => textOf(one).toLowerCase()));
  const [only] = texts;
  if (texts.size === 1) return (found, readings) => readings.lowerCase(found) === only;
  return (found, readings) => texts.has(readings.lowerCase(found));
};

/** Whether the value is only true or false; an empty list counts as true. */
export function isTruthOrFalsehood(value: Json): boolean {
  if (isList(value)) return value.every(isTruthOrFalsehood);
  return typeof value === 'boolean' || (typeof value === 'string' && /^(true|false)$/i.test(value));
}

export function listOf(value: Json): readonly Json[] {
  return isList(value) ? value : [value];
}

/** On texts that differ by the case of A to Z only. */
function textMatcher(testOf: (wanted: string) => (text: string) => boolean): Matcher {
  return (wanted) => {
    const test = testOf(lowerAscii(textOf(wanted)));
    return (found, readings) => test(readings.lowerCaseAscii(found));
  };
}

/** Steps for each searched character. */
const SEARCH_STEPS = 2;

const contains: Matcher = (wanted, context) => containsAny([textOf(wanted)], context);
const startsWith = textMatcher((wanted) => (text) => text.startsWith(wanted));
const endsWith = textMatcher((wanted) => (text) => text.endsWith(wanted));
const containsAny: Matcher = (wanted) => {
  const searches = listOf(wanted).map((one) => searchOf(lowerAscii(textOf(one))));
  return (found, readings) => {
    const text = readings.lowerCaseAscii(found);
    return searches.some((isIn) => {
      readings.spendOn(text, SEARCH_STEPS);
      return isIn(text);
    });
  };
};

const matchesRegex: Matcher = (wanted) => {
  const find = searchFor(textOf(wanted));
  return (found, readings) => find(readings.text(found), readings);
};

function numberMatcher(compare: (found: number, wanted: number) => boolean): Matcher {
  return (wanted) => {
    const right = numberOf(wanted);
    if (right === undefined) return incomparable;
    return (found, readings) => {
      const left = readings.number(found);
      return left === undefined ? undefined : compare(left, right);
    };
  };
}

/** @returns undefined unless it is a list of two numbers, the smaller first */
export function boundsOf(wanted: Json): { min: number; max: number } | undefined {
  if (!isList(wanted) || wanted.length !== 2) return undefined;
  const [min, max] = wanted.map(numberOf);
  return min === undefined || max === undefined || min > max ? undefined : { min, max };
}

const isBetween: Matcher = (wanted) => {
  const bounds = boundsOf(wanted);
  if (!bounds) return incomparable;
  return (found, readings) => {
    const number = readings.number(found);
    return number === undefined ? undefined : number >= bounds.min && number <= bounds.max;
  };
};

function instantMatcher(compare: (found: bigint, wanted: bigint) => boolean): Matcher {
  return (wanted, { timeZone }) => {
    const instantAt = prepareInstant(wanted, timeZone);
    return (found, readings, now) => {
      const [left, right] = [readings.instant(found, { timeZone, now }), instantAt(now)];
      return left === undefined || right === undefined ? undefined : compare(left, right);
    };
  };
}

function versionMatcher(compare: (order: number) => boolean, isLenient = false): Matcher {
  return (wanted) => {
    const right = (isLenient ? comparableVersionOf : versionOf)(textOf(wanted));
    if (right === undefined) return incomparable;
    return (found, readings) => {
      const left = isLenient ? readings.comparableVersion(found) : readings.version(found);
      return left === undefined ? undefined : compare(compareVersions(left, right));
    };
  };
}

function versionRangeMatcher(rangeOf: (text: string) => VersionRange | undefined): Matcher {
  return (wanted) => {
    const range = rangeOf(textOf(wanted));
    if (range === undefined) return incomparable;
    return (found, readings) => {
      const version = readings.version(found);
      return version === undefined ? undefined : isInRange(version, range);
    };
  };
}

const MATCHERS: Record<Exclude<Operator, 'is_set' | 'is_not_set'>, Matcher> = {
  exact: equals,
  is_not: negate(equals),
  icontains: contains,
  not_icontains: negate(contains),
  icontains_multi: containsAny,
  not_icontains_multi: negate(containsAny),
  starts_with: startsWith,
  not_starts_with: negate(startsWith),
  ends_with: endsWith,
  not_ends_with: negate(endsWith),
  regex: matchesRegex,
  not_regex: negate(matchesRegex),
  gt: numberMatcher((found, wanted) => found > wanted),
  gte: numberMatcher((found, wanted) => found >= wanted),
  lt: numberMatcher((found, wanted) => found < wanted),
  lte: numberMatcher((found, wanted) => found <= wanted),
  between: isBetween,
  not_between: negate(isBetween),
  is_date_exact: instantMatcher((found, wanted) => found === wanted),
  is_date_before: instantMatcher((found, wanted) => found < wanted),
  is_date_after: instantMatcher((found, wanted) => found > wanted),
  semver_eq: versionMatcher((order) => order === 0, true),
  semver_neq: versionMatcher((order) => order !== 0, true),
  semver_gt: versionMatcher((order) => order > 0),
  semver_gte: versionMatcher((order) => order >= 0),
  semver_lt: versionMatcher((order) => order < 0),
  semver_lte: versionMatcher((order) => order <= 0),
  semver_tilde: versionRangeMatcher(tildeRange),
  semver_caret: versionRangeMatcher(caretRange),
  semver_wildcard: versionRangeMatcher(wildcardRange),
};
