/** Checks that a condition must pass to be saved. Evaluation accepts any condition; one that could not be saved does not match. */
import { InvalidInput } from '../../platform/errors.ts';
import { instantOfFilter } from './filter-dates.ts';
import { numberOf, textOf, type Json } from './json-values.ts';
import { boundsOf, listOf, operatorNamed, OPERATORS, type Operator, type PropertyCondition } from './operators.ts';
import type { PatternRoom } from '../regex/pattern-room.ts';
import { parseRegex } from '../regex/regex-syntax.ts';
import { caretRange, comparableVersionOf, tildeRange, versionOf, wildcardRange } from './semver.ts';

const MAX_VALUES = 1000;
const MAX_TEXT = 100_000;

/** Returns a sentence about the value's fault, or undefined; for regexes the parser throws. */
type ValueCheck = (value: Json, room: PatternRoom | undefined) => string | undefined;

const number: ValueCheck = (value) => (numberOf(value) === undefined ? 'Must be a number.' : undefined);
const bounds: ValueCheck = (value) =>
  boundsOf(value) ? undefined : 'Must be a list of two numbers, the smaller first.';
const text: ValueCheck = (value) => (typeof value === 'object' ? 'Must be a text.' : undefined);
const date: ValueCheck = (value) =>
  instantOfFilter(value, { timeZone: 'UTC', now: Date.now() }) !== undefined
    ? undefined
    : 'Must be a date, such as "2024-06-01" or "2024-06-01T08:30:00Z", or relative, such as "-7d".';
const version =
  (read: (text: string) => unknown): ValueCheck =>
  (value) =>
    read(textOf(value)) === undefined ? 'Must be a version, such as "1.2.3".' : undefined;
const regex: ValueCheck = (value, room) => {
  parseRegex(textOf(value), room);
  return undefined;
};

const CHECKS: Partial<Record<Operator, ValueCheck>> = {
  icontains: text,
  not_icontains: text,
  starts_with: text,
  not_starts_with: text,
  ends_with: text,
  not_ends_with: text,
  regex,
  not_regex: regex,
  gt: number,
  gte: number,
  lt: number,
  lte: number,
  between: bounds,
  not_between: bounds,
  is_date_exact: date,
  is_date_before: date,
  is_date_after: date,
  semver_eq: version(comparableVersionOf),
  semver_neq: version(comparableVersionOf),
  semver_gt: version(versionOf),
  semver_gte: version(versionOf),
  semver_lt: version(versionOf),
  semver_lte: version(versionOf),
  semver_tilde: version(tildeRange),
  semver_caret: version(caretRange),
  semver_wildcard: version(wildcardRange),
};
const WITHOUT_VALUE: readonly Operator[] = ['is_set', 'is_not_set'];

/**
 * @param room of the patterns of all conditions that are checked at once
 * @returns the operator, aliases resolved
 * @throws InvalidInput: attr `operator`, code `invalid_operator`; attr `value`, code `required`, `invalid_date` or `invalid_value`
 */
export function checkCondition({ operator: name, value }: PropertyCondition, room?: PatternRoom): Operator {
  const operator = operatorNamed(name);
  if (!operator) {
    const detail = `"${name}" is not an operator on properties. Operators are: ${OPERATORS.join(', ')}.`;
    throw new InvalidInput(detail, 'operator', 'invalid_operator');
  }
  if (WITHOUT_VALUE.includes(operator)) return operator;
  if (value === null || value === undefined) throw new InvalidInput('This field is required.', 'value', 'required');
  if (listOf(value).length > MAX_VALUES) throw tooMuch(`May have at most ${MAX_VALUES} values.`);
  if (textOf(value).length > MAX_TEXT) throw tooMuch(`May have at most ${MAX_TEXT} characters.`);
  const fault = CHECKS[operator]?.(value, room);
  if (fault) throw new InvalidInput(fault, 'value', operator.startsWith('is_date') ? 'invalid_date' : 'invalid_value');
  return operator;
}

function tooMuch(detail: string): InvalidInput {
  return new InvalidInput(detail, 'value', 'invalid_value');
}
