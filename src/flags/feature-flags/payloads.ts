/** Payloads, which a flag gives with its value: JSON as text, by variant or for `true`. */
import { InvalidInput } from '../../platform/errors.ts';
import { variantsOf, type GivenFilters } from './filters.ts';

/** Placeholder of an encrypted payload in answers; a client that sends it keeps the payload. */
export const MASK = '"********* (encrypted)"';

const MAX_NAME = 100;

/**
 * @returns the payloads as they are stored: JSON that was given as it is becomes text, null too; undefined when there are none
 * @throws InvalidInput
 */
export function payloadsOf(
  filters: Pick<GivenFilters, 'payloads' | 'multivariate'>,
): Record<string, string> | undefined {
  if (!filters.payloads) return undefined;
  const keys = variantsOf(filters).map(({ key }) => key);
  const entries = Object.entries(filters.payloads);
  for (const [key] of entries) checkKey(key, keys);
  return Object.fromEntries(entries.map(([key, value]) => [key, textOf(key, value)]));
}

function checkKey(key: string, variants: readonly string[]): void {
  if ((variants.length > 0 ? variants : ['true']).includes(key)) return;
  const detail =
    variants.length > 0
      ? 'Payload keys must match a variant key for multivariate flags'
      : "Payload keys must be 'true' for boolean flags";
  throw new InvalidInput(detail, `filters__payloads__${key.slice(0, MAX_NAME)}`);
}

function textOf(key: string, value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  try {
    JSON.parse(value);
    return value;
  } catch {
    throw new InvalidInput('Payload value is not valid JSON', `filters__payloads__${key}`);
  }
}
