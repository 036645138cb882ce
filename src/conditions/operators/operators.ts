/**
 * Decides whether a property matches a filter: the operators of flags, cohorts and exports, with the semantics of upstream's server
 * (its `property_matching.rs`) and of the SDKs that evaluate locally. Malformed values never throw; they do not match.
 */
import { type DateContext } from './dates.ts';
import { prepareInstant } from './filter-dates.ts';
import { isList, numberOf, textOf, type Json, type Properties } from './json-values.ts';
import { isTruth, lowerAscii, Readings } from './readings.ts';
import { getSearch } from '../regex/regex.ts';
import { findComparison, type Comparison, type Sign } from './operator-table.ts';
import { comparableVersionOf, compareVersions, isInRange, type VersionRange } from './semver.ts';
import { createSearch } from './text-search.ts';

export type PropertyCondition = {
  readonly key: string;
  readonly operator?: string | null | undefined;
  readonly value?: Json | undefined;
};

/** Settings for parsing a condition, which is then compared with many properties. */
export type ConditionContext = {
  /** IANA name of the time zone for dates without an offset. */
  timeZone: string;
  /** `property_matching_version`: how values are compared with true and false: 1 compares truth values, 2 compares text. */
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
 * @param actual the property; undefined if it is missing
 * @param now milliseconds since 1970, from which relative dates count
 * @param readings of the request; without them there is no limit of steps
 * @throws StepsSpent if the request has too few steps left
 */
export type PropertyTest = (actual: Json | undefined, now: number, readings?: Readings) => boolean;

const matchesNothing: PropertyTest = () => false;

/** Prepares a condition for comparison with many properties; parses its value on first use. An invalid condition matches nothing. */
export function prepareCondition(
  { operator: name, value }: Omit<PropertyCondition, 'key'>,
  context: ConditionContext,
): PropertyTest {
  const comparison = findComparison(name);
  if (!comparison) return matchesNothing;
  const { isNegation: matchesMissing = false } = comparison;
  if (comparison.kind === 'presence') return (actual) => (actual === undefined) === matchesMissing;
  if (value === null || value === undefined) return matchesNothing;
  let compare: Test | undefined;
  return (actual, now, readings = new Readings(Infinity)) => {
    if (actual === undefined) return matchesMissing;
    compare ??= matcherOf(comparison)(value, context);
    const matches = compare(actual, readings, now);
    return matches !== undefined && matches !== matchesMissing;
  };
}

/** Returns undefined if the values cannot be compared, so neither the operator nor its negation matches. */
type Test = (actual: Json, readings: Readings, now: number) => boolean | undefined;
type Matcher = (expected: Json, context: ConditionContext) => Test;

const incomparable: Test = () => undefined;

const equals: Matcher = (expected, { version = 1 }) => {
  if (version === 1 ? isTruthOrFalsehood(expected) : isList(expected) && expected.length === 0) {
    const truth = isTruth(expected);
    return (actual, readings) => readings.isTrue(actual) === truth;
  }
  const texts = new Set(listOf(expected).map((element) => textOf(element).toLowerCase()));
  const [only] = texts;
  if (texts.size === 1) return (actual, readings) => readings.lowerCase(actual) === only;
  return (actual, readings) => texts.has(readings.lowerCase(actual));
};

/** Whether the value is true or false, or a list of only these; an empty list counts, too. */
export function isTruthOrFalsehood(value: Json): boolean {
  if (isList(value)) return value.every(isTruthOrFalsehood);
  return typeof value === 'boolean' || (typeof value === 'string' && /^(true|false)$/i.test(value));
}

export function listOf(value: Json): readonly Json[] {
  return isList(value) ? value : [value];
}

/** Creates a matcher of text that ignores the case of A to Z. */
function textMatcher(testOf: (expected: string) => (text: string) => boolean): Matcher {
  return (expected) => {
    const test = testOf(lowerAscii(textOf(expected)));
    return (actual, readings) => test(readings.lowerCaseAscii(actual));
  };
}

/** Steps for each searched character. */
const SEARCH_STEPS = 2;

const contains: Matcher = (expected, context) => containsAny([textOf(expected)], context);
const startsWith = textMatcher((expected) => (text) => text.startsWith(expected));
const endsWith = textMatcher((expected) => (text) => text.endsWith(expected));
const containsAny: Matcher = (expected) => {
  const searches = listOf(expected).map((element) => createSearch(lowerAscii(textOf(element))));
  return (actual, readings) => {
    const text = readings.lowerCaseAscii(actual);
    return searches.some((isIn) => {
      readings.spendOn(text, SEARCH_STEPS);
      return isIn(text);
    });
  };
};

const matchesRegex: Matcher = (expected) => {
  const find = getSearch(textOf(expected));
  return (actual, readings) => find(readings.text(actual), readings);
};

function numberMatcher(sign: Sign): Matcher {
  return (expected) => {
    const right = numberOf(expected);
    if (right === undefined) return incomparable;
    return (actual, readings) => {
      const left = readings.number(actual);
      return left === undefined ? undefined : HOLDS[sign](left - right);
    };
  };
}

/** @returns undefined unless the value is a list of two numbers, the smaller first */
export function boundsOf(expected: Json): { min: number; max: number } | undefined {
  if (!isList(expected) || expected.length !== 2) return undefined;
  const [min, max] = expected.map(numberOf);
  return min === undefined || max === undefined || min > max ? undefined : { min, max };
}

const isBetween: Matcher = (expected) => {
  const bounds = boundsOf(expected);
  if (!bounds) return incomparable;
  return (actual, readings) => {
    const number = readings.number(actual);
    return number === undefined ? undefined : number >= bounds.min && number <= bounds.max;
  };
};

function dateMatcher(sign: Sign): Matcher {
  return (expected, { timeZone }) => {
    const instantAt = prepareInstant(expected, timeZone);
    return (actual, readings, now) => {
      const [left, right] = [readings.instant(actual, { timeZone, now }), instantAt(now)];
      return left === undefined || right === undefined ? undefined : HOLDS[sign](Number(left - right));
    };
  };
}

function versionMatcher({ sign, read }: Extract<Comparison, { kind: 'version' }>): Matcher {
  return (expected) => {
    const right = read(textOf(expected));
    if (right === undefined) return incomparable;
    return (actual, readings) => {
      const left = read === comparableVersionOf ? readings.comparableVersion(actual) : readings.version(actual);
      return left === undefined ? undefined : HOLDS[sign](compareVersions(left, right));
    };
  };
}

function versionRangeMatcher(read: (text: string) => VersionRange | undefined): Matcher {
  return (expected) => {
    const range = read(textOf(expected));
    if (range === undefined) return incomparable;
    return (actual, readings) => {
      const version = readings.version(actual);
      return version === undefined ? undefined : isInRange(version, range);
    };
  };
}

/** @param difference negative, zero or positive, as from a comparison of two values */
const HOLDS: Record<Sign, (difference: number) => boolean> = {
  '=': (difference) => difference === 0,
  '<>': (difference) => difference !== 0,
  '<': (difference) => difference < 0,
  '<=': (difference) => difference <= 0,
  '>': (difference) => difference > 0,
  '>=': (difference) => difference >= 0,
};

function matcherOf(comparison: Exclude<Comparison, { kind: 'presence' }>): Matcher {
  switch (comparison.kind) {
    case 'number':
      return numberMatcher(comparison.sign);
    case 'date':
      return dateMatcher(comparison.sign);
    case 'version':
      return versionMatcher(comparison);
    case 'versionRange':
      return versionRangeMatcher(comparison.read);
    default:
      return MATCHERS[comparison.kind];
  }
}

const MATCHERS = { equals, contains, containsAny, startsWith, endsWith, regex: matchesRegex, between: isBetween };
