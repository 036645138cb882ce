/** Checks payloads, which SDKs get with a flag's value: JSON text by variant, or under `true`. */
import { InvalidInput } from '../../platform/errors.ts';
import { variantsOf, type GivenFilters } from './filters.ts';

/** Placeholder for an encrypted payload in answers; in a request it stands for the current payload. */
export const MASK = '"********* (encrypted)"';

const MAX_NAME = 100;

/**
 * @returns the payloads to store, with JSON values (even null) as text; undefined if there are none
 * @throws InvalidInput
 */
export function validatePayloads(
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
