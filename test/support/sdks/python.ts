/**
 * Python with one package of one version in it: a virtual environment for each, in our cache folder. Where one is missing its
 * suite says so and is skipped; with SLUICE_REQUIRE=all that is a failure.
 */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../../src/platform/config.ts';
import { findProgram } from '../../../src/platform/processes/program.ts';

const TIMEOUT_MS = 150_000;
const OUTPUT_BYTES = 256 * 1024 * 1024;

/** `posthog`, `7.91.1` */
export type PythonPackage = { name: string; version: string };

const environmentOf = ({ name, version }: PythonPackage) => path.join(cacheFolder(), 'python', `${name}-${version}`);
const findPython = (wanted: PythonPackage) => findProgram('python', [path.join(environmentOf(wanted), 'bin')]);

/** For a `before` hook, with its `this`. */
export async function needsPython(suite: Mocha.Context, wanted: PythonPackage): Promise<void> {
  if (await findPython(wanted)) return;
  const { name, version } = wanted;
  const folder = environmentOf(wanted);
  const message = `${name} ${version} is not installed: python3 -m venv ${folder} && ${folder}/bin/pip install ${name}==${version}`;
  if (process.env['SLUICE_REQUIRE'] === 'all') throw new Error(message);
  console.log(`    skipped: ${message}`);
  suite.skip();
}

/** Runs a script to its end. @returns what it printed */
export async function runPython(wanted: PythonPackage, script: string, ...args: string[]): Promise<string> {
  const python = await findPython(wanted);
  if (!python) throw new Error(`${wanted.name} ${wanted.version} is not installed`);
  const options = { timeout: TIMEOUT_MS, maxBuffer: OUTPUT_BYTES };
  return (await promisify(execFile)(python, [script, ...args], options)).stdout;
}

/** @returns the path of a program that a package brings @throws when the package is not installed */
export async function pythonProgram(wanted: PythonPackage, program: string): Promise<string> {
  const found = await findProgram(program, [path.join(environmentOf(wanted), 'bin')]);
  if (found) return found;
  const folder = environmentOf(wanted);
  throw new Error(
    `${wanted.name} ${wanted.version} is not installed: python3 -m venv ${folder} && ${folder}/bin/pip install ${wanted.name}==${wanted.version}`,
  );
}
