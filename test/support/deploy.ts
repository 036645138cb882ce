/** Files of `deploy/` and its neighbours, compared with the product. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Environment, programFolders } from '../../src/platform/config.ts';
import { findProgram } from '../../src/platform/processes/program.ts';
import { skipSuite } from './missing.ts';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** @returns those of the names that Sluice does not read */
export function unknownVariables(names: readonly string[]): string[] {
  return names.filter((name) => !Object.hasOwn(Environment.properties, name.replace(/_FILE$/, '')));
}

export type Program = (...words: string[]) => { status: number | null; stdout: string; stderr: string };

/**
 * Skips the suite unless the program is installed.
 * @param suite `this` of a `before` hook
 * @param origin how to install it
 */
export async function needsProgram(suite: Mocha.Context, name: string, origin: string): Promise<Program> {
  const file = await findProgram(name, programFolders());
  if (!file) skipSuite(suite, `${name} is not installed: ${origin}`);
  return (...words) => spawnSync(file!, words, { encoding: 'utf8' });
}
