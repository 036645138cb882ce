/**
 * A condition on a property as SQL: the same answers as `matchesProperty`, from the functions of migrations 0013, except for null,
 * which queries treat as missing. The condition's side is computed here, once; the rows' side by Postgres.
 */
import { escapeLiteral } from 'pg';
import { LONGEST_INSTANT } from '../operators/dates.ts';
import { instantOfFilter } from '../operators/filter-dates.ts';
import { isList, LONGEST_NUMBER, numberOf, textOf, type Json } from '../operators/json-values.ts';
import {
  boundsOf,
  isTruthOrFalsehood,
  isTrueWhenMissing,
  listOf,
  operatorNamed,
  type MatchContext,
  type Operator,
  type PropertyCondition,
} from '../operators/operators.ts';
import { isTruth, lowerAscii } from '../operators/readings.ts';
import {
  caretRange,
  comparableVersionOf,
  LONGEST_VERSION,
  tildeRange,
  versionOf,
  wildcardRange,
  type Version,
  type VersionRange,
} from '../operators/semver.ts';
import { postgresRegex } from './postgres-regex.ts';
import { NUMBERS_LENGTH, numbersKey, versionKey } from './version-key.ts';

/** Context for reading dates and comparing values. */
export type ConditionSqlContext = Omit<MatchContext, 'partial'> & {
  /** Meaning of a property that is null: `set` to flags, because its key is there; `missing` to queries, as to those of upstream. */
  nulls: 'set' | 'missing';
};

/**
 * @param properties SQL of the jsonb object
 * @returns SQL that is true or false for every row, never null
 */
export function conditionSql(condition: PropertyCondition, properties: string, context: ConditionSqlContext): string {
  const operator = operatorNamed(condition.operator);
  const member = `(${properties} -> ${escapeLiteral(condition.key)})`;
  // tooth: sql-null
  const found = context.nulls === 'missing' ? `nullif(${member}, 'null')` : member;
  if (!operator) return 'false';
  if (operator === 'is_set') return `(${found} is not null)`;
  if (operator === 'is_not_set') return `(${found} is null)`;
  const wanted = condition.value;
  if (wanted === null || wanted === undefined) return 'false';
  const matches = writeComparison(operator, wanted, { found, context });
  return isTrueWhenMissing(operator) ? `(${found} is null or ${matches})` : matches;
}

/** Parts of a comparison: SQL of the property, and where dates are read. */
type Scope = { found: string; context: ConditionSqlContext };
/** @returns SQL that is null if the values are not comparable; undefined when the wanted value never is */
type Writer = (wanted: Json, scope: Scope) => string | undefined;

function writeComparison(operator: Exclude<Operator, 'is_set' | 'is_not_set'>, wanted: Json, scope: Scope): string {
  const sql = WRITERS[operator](wanted, scope);
  return sql === undefined ? 'false' : `coalesce(${sql}, false)`;
}

function negate(write: Writer): Writer {
  return (wanted, scope) => {
    const sql = write(wanted, scope);
    return sql && `not (${sql})`;
  };
}

const equals: Writer = (wanted, { found, context }) => {
  const byTruth = context.version === 2 ? isList(wanted) && wanted.length === 0 : isTruthOrFalsehood(wanted);
  if (byTruth) return `property_is_true(${found}) = ${isTruth(wanted)}`;
  const texts = listOf(wanted).map((one) => escapeLiteral(textOf(one).toLowerCase()));
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
  const patterns = listOf(wanted).map((one) =>
    escapeLiteral(`%${lowerAscii(textOf(one)).replace(/[\\%_]/g, '\\$&')}%`),
  );
  // One condition for all values, because the planner takes quadratic time for a list and cannot be stopped. False if
  // there is no property.
  return `(${lowerCaseSql(found)} like any (array[${patterns.join(', ')}]::text[]) and ${found} is not null)`;
};

const matchesRegex: Writer = (wanted, { found }) => {
  const pattern = patternOrUndefined(textOf(wanted));
  return pattern && `(property_text(${found}) collate "C") ~ ${escapeLiteral(pattern)}`;
};

/** A pattern that could not be saved matches nothing. */
function patternOrUndefined(pattern: string): string | undefined {
  try {
    return postgresRegex(pattern);
  } catch {
    return undefined;
  }
}

/** SQL of a property that is read; null for longer texts, which the evaluator does not read either. Numbers are never too long. */
function nullIfLonger(found: string, longest: number, read: string): string {
  return `(case when jsonb_typeof(${found}) <> 'string' or length(${found} #>> '{}') <= ${longest} then ${read} end)`;
}

function numberSql(found: string): string {
  // tooth: sql-number-length
  return nullIfLonger(found, LONGEST_NUMBER, `property_number(${found})`);
}

function versionSql(found: string, lenient: boolean): string {
  return nullIfLonger(found, LONGEST_VERSION, `property_version(${found}, ${lenient})`);
}

function numberWriter(sign: string): Writer {
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

function instantWriter(sign: string): Writer {
  return (wanted, { found, context }) => {
    const instant = instantOfFilter(wanted, context);
    // Named only if it is not UTC, because other zones take longer.
    const zone = context.timeZone === 'UTC' ? '' : `, ${escapeLiteral(context.timeZone)}`;
    if (instant === undefined) return undefined;
    const read = `property_instant(${found}, ${context.now * 1000}${zone})`;
    return `${nullIfLonger(found, LONGEST_INSTANT, read)} ${sign} ${instant}`;
  };
}

function versionWriter(sign: string, read: (text: string) => Version | undefined = versionOf): Writer {
  return (wanted, { found }) => {
    const version = read(textOf(wanted));
    const key = versionSql(found, read === comparableVersionOf);
    return version && `${key} collate "C" ${sign} ${escapeLiteral(versionKey(version))}`;
  };
}

function versionRangeWriter(rangeOf: (text: string) => VersionRange | undefined): Writer {
  return (wanted, { found }) => {
    const range = rangeOf(textOf(wanted));
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

const WRITERS: Record<Exclude<Operator, 'is_set' | 'is_not_set'>, Writer> = {
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
  gt: numberWriter('>'),
  gte: numberWriter('>='),
  lt: numberWriter('<'),
  lte: numberWriter('<='),
  between: isBetween,
  not_between: negate(isBetween),
  is_date_exact: instantWriter('='),
  is_date_before: instantWriter('<'),
  is_date_after: instantWriter('>'),
  semver_eq: versionWriter('=', comparableVersionOf),
  semver_neq: versionWriter('<>', comparableVersionOf),
  semver_gt: versionWriter('>'),
  semver_gte: versionWriter('>='),
  semver_lt: versionWriter('<'),
  semver_lte: versionWriter('<='),
  semver_tilde: versionRangeWriter(tildeRange),
  semver_caret: versionRangeWriter(caretRange),
  semver_wildcard: versionRangeWriter(wildcardRange),
};
