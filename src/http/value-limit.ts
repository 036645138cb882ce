/** Limits of values that are stored as they are given: each change and each answer reads, compares and writes all of them again. */
import { InvalidInput } from '../errors.ts';

/** Far more than clients store. Several such fields of a resource together stay below what a body may hold (`MAX_VALUES`). */
export const MAX_STORED_VALUES = 5_000;

/**
 * Counts as `value-count` does: elements, members, lists and objects. It stops early.
 * @param attr the field
 * @returns the value itself
 * @throws InvalidInput for one that holds more
 */
export function limitValues<Value>(value: Value, attr: string, most = MAX_STORED_VALUES): Value {
  let count = 0;
  const queue: unknown[] = [value];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const members = Object.values(next);
    count += Math.max(1, members.length);
    // tooth: stored-values
    if (count > most) throw new InvalidInput(`Ensure this field has no more than ${most} values.`, attr, 'max_length');
    for (const member of members) if (typeof member === 'object' && member !== null) queue.push(member);
  }
  return value;
}
