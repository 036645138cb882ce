/** Refusals of a query, named by the member at fault. */
import { InvalidInput } from '../../../platform/errors.ts';

/** @param member as JavaScript would reach it: `series[0].math` */
export function refusal(member: string, detail: string, code?: string): InvalidInput {
  return new InvalidInput(`${member}: ${detail}`, 'query', code);
}
