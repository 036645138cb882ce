/**
 * Compiles a condition on a property to SQL, with the same results as `matchesProperty`, except that queries treat null as missing. The
 * condition's value is parsed here, once; the rows' properties by SQL functions (migration 0013).
 */
import { escapeLiteral } from 'pg';
import { MAX_INSTANT_LENGTH } from '../operators/dates.ts';
import { instantOfFilter } from '../operators/filter-dates.ts';
import { isList, MAX_NUMBER_LENGTH, numberOf, textOf, type Json } from '../operators/json-values.ts';
import { findComparison, type Comparison, type Sign } from '../operators/operator-table.ts';
import {
  boundsOf,
  isTruthOrFalsehood,
  listOf,
  type MatchContext,
  type PropertyCondition,
} from '../operators/operators.ts';
import { isTruth, lowerAscii } from '../operators/readings.ts';
import { comparableVersionOf, MAX_VERSION_LENGTH, type VersionRange } from '../operators/semver.ts';
import { postgresRegex } from './postgres-regex.ts';
import { NUMBERS_LENGTH, numbersKey, versionKey } from './version-key.ts';

/** Context for reading dates and comparing values. */
export type ConditionSqlContext = Omit<MatchContext, 'partial'> & {
  /** Meaning of a null property: `set` for flags, because its key exists; `missing` for queries, as at upstream. */
  nulls: 'set' | 'missing';
};

/**
 * @param properties SQL of the jsonb object
 * @returns SQL that is true or false for every row, never null
 */
export function conditionSql(condition: PropertyCondition, properties: string, context: ConditionSqlContext): string {
  const comparison = findComparison(condition.operator);
  const property = `(${properties} -> ${escapeLiteral(condition.key)})`;
  // tooth: sql-null
  const actual = context.nulls === 'missing' ? `nullif(${property}, 'null')` : property;
  if (!comparison) return 'false';
  const { isNegation = false } = comparison;
  if (comparison.kind === 'presence') return `(${actual} is ${isNegation ? '' : 'not '}null)`;
  const expected = condition.value;
  if (expected === null || expected === undefined) return 'false';
  const sql = writerOf(comparison)(expected, { actual, context });
  if (!isNegation) return sql === undefined ? 'false' : `coalesce(${sql}, false)`;
  return `(${actual} is null or ${sql === undefined ? 'false' : `coalesce(not (${sql}), false)`})`;
}

/** SQL of the property to compare, and the settings of the comparison. */
type ComparisonContext = { actual: string; context: ConditionSqlContext };
/** @returns SQL that is null if the values are not comparable; undefined if the condition's value never is */
type Writer = (expected: Json, comparisonContext: ComparisonContext) => string | undefined;

const equals: Writer = (expected, { actual, context }) => {
  const comparesTruth =
    context.version === 2 ? isList(expected) && expected.length === 0 : isTruthOrFalsehood(expected);
  if (comparesTruth) return `property_is_true(${actual}) = ${isTruth(expected)}`;
  const texts = listOf(expected).map((element) => escapeLiteral(textOf(element).toLowerCase()));
  return `lower(property_text(${actual}) collate "und-x-icu") = any (array[${texts.join(', ')}]::text[])`;
};

/** The property's text, with A to Z in lower case. */
function lowerCaseSql(actual: string): string {
  return `lower(property_text(${actual}) collate "C")`;
}

function textWriter(write: (lowered: string, expected: string) => string): Writer {
  return (expected, { actual }) => write(lowerCaseSql(actual), lowerAscii(textOf(expected)));
}

const contains = textWriter((lowered, expected) => `strpos(${lowered}, ${escapeLiteral(expected)}) > 0`);
const startsWith = textWriter((lowered, expected) => `starts_with(${lowered}, ${escapeLiteral(expected)})`);
const endsWith = textWriter((lowered, expected) => {
  return `right(${lowered}, length(${escapeLiteral(expected)})) = ${escapeLiteral(expected)}`;
});
const containsAny: Writer = (expected, { actual }) => {
  const patterns = listOf(expected).map((element) =>
    escapeLiteral(`%${lowerAscii(textOf(element)).replace(/[\\%_]/g, '\\$&')}%`),
  );
  // One condition for all values, because the planner takes quadratic time for many and cannot be cancelled. False without the property.
  return `(${lowerCaseSql(actual)} like any (array[${patterns.join(', ')}]::text[]) and ${actual} is not null)`;
};

const matchesRegex: Writer = (expected, { actual }) => {
  const pattern = patternOrUndefined(textOf(expected));
  return pattern && `(property_text(${actual}) collate "C") ~ ${escapeLiteral(pattern)}`;
};

/** @returns undefined for an invalid pattern, which matches nothing */
function patternOrUndefined(pattern: string): string | undefined {
  try {
    return postgresRegex(pattern);
  } catch {
    return undefined;
  }
}

/** SQL of a parsed property; null for longer texts, which the evaluator does not parse either. */
function nullIfLonger(actual: string, longest: number, read: string): string {
  return `(case when jsonb_typeof(${actual}) <> 'string' or length(${actual} #>> '{}') <= ${longest} then ${read} end)`;
}

function numberSql(actual: string): string {
  // tooth: sql-number-length
  return nullIfLonger(actual, MAX_NUMBER_LENGTH, `property_number(${actual})`);
}

function versionSql(actual: string, lenient: boolean): string {
  return nullIfLonger(actual, MAX_VERSION_LENGTH, `property_version(${actual}, ${lenient})`);
}

function numberWriter(sign: Sign): Writer {
  return (expected, { actual }) => {
    const number = numberOf(expected);
    return number === undefined ? undefined : `${numberSql(actual)} ${sign} ${float(number)}`;
  };
}

const isBetween: Writer = (expected, { actual }) => {
  const bounds = boundsOf(expected);
  return bounds && `${numberSql(actual)} between ${float(bounds.min)} and ${float(bounds.max)}`;
};

function float(number: number): string {
  return `${escapeLiteral(String(number))}::float8`;
}

function dateWriter(sign: Sign): Writer {
  return (expected, { actual, context }) => {
    const instant = instantOfFilter(expected, context);
    // Named only if it is not UTC, because other zones take longer.
    const zone = context.timeZone === 'UTC' ? '' : `, ${escapeLiteral(context.timeZone)}`;
    if (instant === undefined) return undefined;
    const read = `property_instant(${actual}, ${context.now * 1000}${zone})`;
    return `${nullIfLonger(actual, MAX_INSTANT_LENGTH, read)} ${sign} ${instant}`;
  };
}

function versionWriter({ sign, read }: Extract<Comparison, { kind: 'version' }>): Writer {
  return (expected, { actual }) => {
    const version = read(textOf(expected));
    const key = versionSql(actual, read === comparableVersionOf);
    return version && `${key} collate "C" ${sign} ${escapeLiteral(versionKey(version))}`;
  };
}

function versionRangeWriter(read: (text: string) => VersionRange | undefined): Writer {
  return (expected, { actual }) => {
    const range = read(textOf(expected));
    return range && rangeSql(`${versionSql(actual, false)} collate "C"`, range);
  };
}

/** Same as `isInRange`: releases by their numbers, pre-releases only with the start's own numbers. */
function rangeSql(key: string, { from, below }: VersionRange): string {
  const numbers = `left(${key}, ${NUMBERS_LENGTH})`;
  const isRelease = `substr(${key}, ${NUMBERS_LENGTH + 1}, 1) = '~'`;
  const start = escapeLiteral(numbersKey(from.numbers));
  const end = below ? ` and ${numbers} < ${escapeLiteral(numbersKey(below.numbers))}` : '';
  const releases = `${isRelease} and ${numbers} >= ${start}${end}`;
  if (from.preRelease.length === 0) return `(${releases})`;
  const startKey = escapeLiteral(versionKey({ ...from, build: [] }).slice(0, -1));
  return `(${releases} or ${numbers} = ${start} and split_part(${key}, '+', 1) >= ${startKey})`;
}

function writerOf(comparison: Exclude<Comparison, { kind: 'presence' }>): Writer {
  switch (comparison.kind) {
    case 'number':
      return numberWriter(comparison.sign);
    case 'date':
      return dateWriter(comparison.sign);
    case 'version':
      return versionWriter(comparison);
    case 'versionRange':
      return versionRangeWriter(comparison.read);
    default:
      return WRITERS[comparison.kind];
  }
}

const WRITERS = { equals, contains, containsAny, startsWith, endsWith, regex: matchesRegex, between: isBetween };
