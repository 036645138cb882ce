/** Checks of this machine: its configuration, its disk, and whether the API answers. */
import { mkdtemp, rmdir, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../platform/config.ts';
import { CommandFailed } from '../../platform/errors.ts';
import { checkAddressLists } from '../address-lists.ts';
import { checkPortsDiffer } from '../up/ports.ts';
import { ok, problem, warning, type Examination, type Finding } from './diagnosis.ts';

/** Free space below which Postgres or exports may soon stop, in bytes. */
const LITTLE_SPACE = 2 * 1024 ** 3;
const NO_SPACE = 200 * 1024 ** 2;
const API_TIMEOUT_MS = 5_000;

export function checkConfiguration(config: Config): Examination {
  return {
    name: 'configuration',
    async run() {
      try {
        checkAddressLists(config);
        return ok(`The environment is valid; Node.js ${process.versions.node}.`);
      } catch (error) {
        if (error instanceof CommandFailed)
          return problem(error.message, 'Correct these variables, and restart every process.');
        throw error;
      }
    },
  };
}

export function checkPorts(config: Config): Examination {
  return {
    name: 'ports',
    async run() {
      try {
        checkPortsDiffer(config);
        return ok('No two variables name the same port.');
      } catch (error) {
        if (!(error instanceof CommandFailed)) throw error;
        return warning(error.message, 'Change one of them, unless these processes run on different machines.');
      }
    },
  };
}

/** The folders that Sluice writes on this machine: the state of `sluice up`, and the files of LocalFile exports. */
export function checkDisk({ EXPORT_LOCAL_ROOT: localRoot, SLUICE_STATE_DIR: stateFolder }: Config): Examination {
  return {
    name: 'disk',
    async run() {
      const findings = [];
      if (localRoot !== undefined) findings.push(await examineFolder('EXPORT_LOCAL_ROOT', path.resolve(localRoot)));
      const state = path.resolve(stateFolder);
      if (await isFolder(state)) findings.push(await examineFolder('SLUICE_STATE_DIR', state));
      return findings.length > 0 ? findings : ok('Sluice keeps no files on this machine.');
    },
  };
}

async function examineFolder(variable: string, folder: string): Promise<Finding> {
  const found = await stat(folder).catch((error: NodeJS.ErrnoException) => error.code);
  if (found === 'ENOENT') return ok(`${variable} (${folder}) does not exist yet; the first delivery makes it.`);
  if (typeof found !== 'object' || !found.isDirectory())
    return problem(
      `${variable} (${folder}) is not a folder that this account may use.`,
      'Correct the variable, or the rights.',
    );
  try {
    await rmdir(await mkdtemp(path.join(folder, '.doctor-')));
  } catch (error) {
    return problem(
      `${variable} (${folder}) cannot be written: ${(error as NodeJS.ErrnoException).code}.`,
      'Give the account that runs Sluice the right to write there.',
    );
  }
  const { bavail, bsize } = await statfs(folder);
  return rateSpace(variable, bavail * bsize);
}

/** @param bytes free bytes of the disk that holds the folder */
export function rateSpace(variable: string, bytes: number): Finding {
  const text = `The disk of ${variable} has ${(bytes / 1024 ** 3).toFixed(1)} GiB free.`;
  const fix =
    'Free space, or move the folder to a larger disk: a full one stops deliveries, and the embedded Postgres.';
  if (bytes < NO_SPACE) return problem(text, fix);
  return bytes < LITTLE_SPACE ? warning(text, fix) : ok(text);
}

async function isFolder(folder: string): Promise<boolean> {
  const found = await stat(folder).catch(() => undefined);
  return found?.isDirectory() ?? false;
}

/** @param url address of the API, as this machine reaches it */
export function checkApi(url: string): Examination {
  return {
    name: 'api',
    async run() {
      const answer = await fetch(new URL('/_readyz/', url), {
        redirect: 'manual',
        signal: AbortSignal.timeout(API_TIMEOUT_MS),
      }).catch(() => undefined);
      if (!answer)
        return warning(
          `Nothing answers at ${url}.`,
          'Start it with `bin/sluice api`, or set SLUICE_HOST and SLUICE_PORT. If it runs on another machine, there is nothing to do.',
        );
      const body = (await answer.json().catch(() => undefined)) as { checks?: Record<string, string> } | undefined;
      if (typeof body?.checks !== 'object' || body.checks === null)
        return warning(
          `Another program answers at ${url}.`,
          'If the API is to run here, end that program, or give Sluice another SLUICE_PORT.',
        );
      if (answer.ok) return ok(`The API at ${url} is ready.`);
      const reasons = Object.entries(body.checks).filter(([, reason]) => reason !== 'ok');
      return problem(
        `The API at ${url} is not ready: ${reasons.map(([name, reason]) => `${name}: ${reason}`).join('; ')}.`,
        'Fix what it names; it becomes ready by itself.',
      );
    },
  };
}
