/** Files of `deploy/` and its neighbours, compared with the product. */
import { fileURLToPath } from 'node:url';
import { Environment } from '../../src/platform/config.ts';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** @returns those of the names that Sluice does not read */
export function unknownVariables(names: readonly string[]): string[] {
  return names.filter((name) => !Object.hasOwn(Environment.properties, name.replace(/_FILE$/, '')));
}
