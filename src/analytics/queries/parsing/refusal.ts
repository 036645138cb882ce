/** Refusals of a query, named by the field at fault. */
import { InvalidInput } from '../../../platform/errors.ts';

/** @param path as JavaScript would reach it: `series[0].math` */
export function refusal(path: string, detail: string, code?: string): InvalidInput {
  return new InvalidInput(`${path}: ${detail}`, 'query', code);
}
