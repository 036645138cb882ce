/**
 * Python with one package of one version in it: a virtual environment for each, in our cache folder. If one is missing, its
 * suite is skipped with a message; with SLUICE_REQUIRE=all it fails.
 */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../../src/platform/config.ts';
import { findProgram } from '../../../src/platform/processes/program.ts';
import { skipSuite } from '../missing.ts';

const TIMEOUT_MS = 150_000;
const OUTPUT_BYTES = 256 * 1024 * 1024;

/** Such as `posthog`, `7.91.1`. */
export type PythonPackage = { name: string; version: string };

const environmentOf = ({ name, version }: PythonPackage) => path.join(cacheFolder(), 'python', `${name}-${version}`);
const findPython = (pythonPackage: PythonPackage) =>
  findProgram('python', [path.join(environmentOf(pythonPackage), 'bin')]);

/** Call it in a `before` hook, passing the hook's `this`. */
export async function needsPython(suite: Mocha.Context, pythonPackage: PythonPackage): Promise<void> {
  if (await findPython(pythonPackage)) return;
  const { name, version } = pythonPackage;
  const folder = environmentOf(pythonPackage);
  const message = `${name} ${version} is not installed: python3 -m venv ${folder} && ${folder}/bin/pip install ${name}==${version}`;
  skipSuite(suite, message);
}

/** Runs a script to its end. @returns what it printed */
export async function runPython(pythonPackage: PythonPackage, script: string, ...args: string[]): Promise<string> {
  const python = await findPython(pythonPackage);
  if (!python) throw new Error(`${pythonPackage.name} ${pythonPackage.version} is not installed`);
  const options = { timeout: TIMEOUT_MS, maxBuffer: OUTPUT_BYTES };
  return (await promisify(execFile)(python, [script, ...args], options)).stdout;
}

/** @returns the path of a program that a package brings @throws when the package is not installed */
export async function pythonProgram(pythonPackage: PythonPackage, program: string): Promise<string> {
  const programPath = await findProgram(program, [path.join(environmentOf(pythonPackage), 'bin')]);
  if (programPath) return programPath;
  const folder = environmentOf(pythonPackage);
  throw new Error(
    `${pythonPackage.name} ${pythonPackage.version} is not installed: python3 -m venv ${folder} && ${folder}/bin/pip install ${pythonPackage.name}==${pythonPackage.version}`,
  );
}
