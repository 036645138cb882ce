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
  const member = `(${properties} -> ${escapeLiteral(condition.key)})`;
  // tooth: sql-null
  const found = context.nulls === 'missing' ? `nullif(${member}, 'null')` : member;
  if (!comparison) return 'false';
  const { isNegation = false } = comparison;
  if (comparison.kind === 'presence') return `(${found} is ${isNegation ? '' : 'not '}null)`;
  const wanted = condition.value;
  if (wanted === null || wanted === undefined) return 'false';
  const sql = writerOf(comparison)(wanted, { found, context });
  if (!isNegation) return sql === undefined ? 'false' : `coalesce(${sql}, false)`;
  return `(${found} is null or ${sql === undefined ? 'false' : `coalesce(not (${sql}), false)`})`;
}

/** SQL of the property to compare, and the settings of the comparison. */
type ComparisonContext = { found: string; context: ConditionSqlContext };
/** @returns SQL that is null if the values are not comparable; undefined if the condition's value never is */
type Writer = (wanted: Json, comparisonContext: ComparisonContext) => string | undefined;

const equals: Writer = (wanted, { found, context }) => {
  const comparesTruth = context.version === 2 ? isList(wanted) && wanted.length === 0 : isTruthOrFalsehood(wanted);
  if (comparesTruth) return `property_is_true(${found}) = ${isTruth(wanted)}`;
  const texts = listOf(wanted).map((element) => escapeLiteral(textOf(element).toLowerCase()));
  return `lower(property_text(${found}) collate "und-x-icu") = any (array[${texts.join(', ')}]::text[])`;
};

/** The property's text, with A to Z in lower case. */
function lowerCaseSql(found: string): string {
  return `lower(property_text(${found}) collate "C")`;
}

function textWriter(write: (lowered: string, wanted: string) => string): Writer {
  return (wanted, { found }) => write(lowerCaseSql(found), lowerAscii(textOf(wanted)));
}

const contains = textWriter((lowered, wanted) => `strpos(${lowered}, ${escapeLiteral(wanted)}) > 0`);
const startsWith = textWriter((lowered, wanted) => `starts_with(${lowered}, ${escapeLiteral(wanted)})`);
const endsWith = textWriter((lowered, wanted) => {
  return `right(${lowered}, length(${escapeLiteral(wanted)})) = ${escapeLiteral(wanted)}`;
});
const containsAny: Writer = (wanted, { found }) => {
  const patterns = listOf(wanted).map((element) =>
    escapeLiteral(`%${lowerAscii(textOf(element)).replace(/[\\%_]/g, '\\$&')}%`),
  );
  // One condition for all values, because the planner takes quadratic time for many and cannot be cancelled. False without the property.
  return `(${lowerCaseSql(found)} like any (array[${patterns.join(', ')}]::text[]) and ${found} is not null)`;
};

const matchesRegex: Writer = (wanted, { found }) => {
  const pattern = patternOrUndefined(textOf(wanted));
  return pattern && `(property_text(${found}) collate "C") ~ ${escapeLiteral(pattern)}`;
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
function nullIfLonger(found: string, longest: number, read: string): string {
  return `(case when jsonb_typeof(${found}) <> 'string' or length(${found} #>> '{}') <= ${longest} then ${read} end)`;
}

function numberSql(found: string): string {
  // tooth: sql-number-length
  return nullIfLonger(found, MAX_NUMBER_LENGTH, `property_number(${found})`);
}

function versionSql(found: string, lenient: boolean): string {
  return nullIfLonger(found, MAX_VERSION_LENGTH, `property_version(${found}, ${lenient})`);
}

function numberWriter(sign: Sign): Writer {
  return (wanted, { found }) => {
    const number = numberOf(wanted);
    return number === undefined ? undefined : `${numberSql(found)} ${sign} ${float(number)}`;
  };
}

const isBetween: Writer = (wanted, { found }) => {
  const bounds = boundsOf(wanted);
  return bounds && `${numberSql(found)} between ${float(bounds.min)} and ${float(bounds.max)}`;
};

function float(number: number): string {
  return `${escapeLiteral(String(number))}::float8`;
}

function dateWriter(sign: Sign): Writer {
  return (wanted, { found, context }) => {
    const instant = instantOfFilter(wanted, context);
    // Named only if it is not UTC, because other zones take longer.
    const zone = context.timeZone === 'UTC' ? '' : `, ${escapeLiteral(context.timeZone)}`;
    if (instant === undefined) return undefined;
    const read = `property_instant(${found}, ${context.now * 1000}${zone})`;
    return `${nullIfLonger(found, MAX_INSTANT_LENGTH, read)} ${sign} ${instant}`;
  };
}

function versionWriter({ sign, read }: Extract<Comparison, { kind: 'version' }>): Writer {
  return (wanted, { found }) => {
    const version = read(textOf(wanted));
    const key = versionSql(found, read === comparableVersionOf);
    return version && `${key} collate "C" ${sign} ${escapeLiteral(versionKey(version))}`;
  };
}

function versionRangeWriter(read: (text: string) => VersionRange | undefined): Writer {
  return (wanted, { found }) => {
    const range = read(textOf(wanted));
    return range && rangeSql(`${versionSql(found, false)} collate "C"`, range);
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
