/** Limits of values that are stored as they are given: each change and each answer reads, compares and writes all of them again. */
import { InvalidInput } from '../errors.ts';
import { excessOf } from '../wire/json.ts';

/** Far more than clients store; several such fields of a resource together stay below the limit of a body (`MAX_VALUES`). */
const MAX_STORED_VALUES = 5_000;

/**
 * @param value from a body, so of limited depth
 * @param attr the field
 * @returns the value itself
 * @throws InvalidInput for a value that holds more than `most` values, counted as in `platform/wire/value-count.ts`
 */
export function limitValues<Value>(value: Value, attr: string, max = MAX_STORED_VALUES): Value {
  // tooth: stored-values
  if (excessOf(value, { levels: Infinity, values: max }))
    throw new InvalidInput(`Ensure this field has no more than ${max} values.`, attr, 'max_length');
  return value;
}
