/** Checks a condition before it is stored. Evaluation accepts any condition; an invalid one does not match. */
import { InvalidInput } from '../../platform/errors.ts';
import { instantOfFilter } from './filter-dates.ts';
import { numberOf, textOf, type Json } from './json-values.ts';
import { findComparison, findOperator, OPERATORS, type Comparison, type Operator } from './operator-table.ts';
import { boundsOf, listOf, type PropertyCondition } from './operators.ts';
import type { PatternBudget } from '../regex/pattern-budget.ts';
import { parseRegex } from '../regex/regex-syntax.ts';

const MAX_VALUES = 1000;
const MAX_TEXT = 100_000;

/** @returns a sentence about the value's fault, or undefined. @throws InvalidInput for an invalid regular expression */
function faultOf(comparison: Comparison, value: Json, patterns: PatternBudget | undefined): string | undefined {
  switch (comparison.kind) {
    case 'contains':
    case 'startsWith':
    case 'endsWith':
      return typeof value === 'object' ? 'Must be a text.' : undefined;
    case 'regex':
      parseRegex(textOf(value), patterns);
      return undefined;
    case 'number':
      return numberOf(value) === undefined ? 'Must be a number.' : undefined;
    case 'between':
      return boundsOf(value) ? undefined : 'Must be a list of two numbers, the smaller first.';
    case 'date':
      return instantOfFilter(value, { timeZone: 'UTC', now: Date.now() }) !== undefined
        ? undefined
        : 'Must be a date, such as "2024-06-01" or "2024-06-01T08:30:00Z", or relative, such as "-7d".';
    case 'version':
    case 'versionRange':
      return comparison.read(textOf(value)) === undefined ? 'Must be a version, such as "1.2.3".' : undefined;
    default:
      return undefined;
  }
}

/**
 * @param patterns the budget that the patterns of all checked conditions share
 * @returns the operator, with aliases resolved
 * @throws InvalidInput: attr `operator`, code `invalid_operator`; attr `value`, code `required`, `invalid_date` or `invalid_value`
 */
export function checkCondition({ operator: name, value }: PropertyCondition, patterns?: PatternBudget): Operator {
  const [operator, comparison] = [findOperator(name), findComparison(name)];
  if (!operator || !comparison) {
    const detail = `"${name}" is not an operator on properties. Operators are: ${OPERATORS.join(', ')}.`;
    throw new InvalidInput(detail, 'operator', 'invalid_operator');
  }
  if (comparison.kind === 'presence') return operator;
  if (value === null || value === undefined) throw new InvalidInput('This field is required.', 'value', 'required');
  if (listOf(value).length > MAX_VALUES) throw limitError(`May have at most ${MAX_VALUES} values.`);
  if (textOf(value).length > MAX_TEXT) throw limitError(`May have at most ${MAX_TEXT} characters.`);
  const fault = faultOf(comparison, value, patterns);
  if (fault) throw new InvalidInput(fault, 'value', comparison.kind === 'date' ? 'invalid_date' : 'invalid_value');
  return operator;
}

function limitError(detail: string): InvalidInput {
  return new InvalidInput(detail, 'value', 'invalid_value');
}
