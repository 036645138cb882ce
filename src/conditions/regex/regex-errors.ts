/** Errors of refused patterns. In the evaluation of a stored pattern each of them means "does not match". */
import { InvalidInput } from '../../platform/errors.ts';

export function invalid(problem: string): InvalidInput {
  return new InvalidInput(`Not a valid regular expression: ${problem}.`, 'value', 'invalid_value');
}

/** Error for a pattern that other engines support, but that cannot be matched in linear time. */
export function unsupportedPattern(problem: string): InvalidInput {
  return new InvalidInput(
    `${problem} is not supported in a regular expression: patterns are matched in linear time.`,
    'value',
    'invalid_value',
  );
}

export function unsupportedConstruct(name: string, text: string): InvalidInput {
  return unsupportedPattern(`${/^[aeiou]/.test(name) ? 'An' : 'A'} ${name} (\`${text}\`)`);
}
