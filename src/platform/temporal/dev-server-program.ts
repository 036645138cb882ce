/** Finds the `temporal` program, or else puts it into our cache, once: a download, or a build where Go is installed. */
import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { cacheFolder, environmentWith, programFolders } from '../config.ts';
import { CommandFailed } from '../errors.ts';
import { findProgram } from '../processes/program.ts';
import { downloadTemporal, publishedArchive, type Archive } from './dev-server-download.ts';

/** The newest that `go install` can build: later ones replace modules in their go.mod. */
const GO_PACKAGE = 'github.com/temporalio/cli/cmd/temporal@v1.5.1';
const PROGRESS_EVERY_MS = 15_000;

type Progress = (message: string) => void;
type Options = { onProgress?: Progress; signal?: AbortSignal; machine?: Machine };

/** Where the program and Go are looked for, where the program is put, and the archive that is downloaded, if there is one. */
export type Machine = { folders: readonly string[]; cache: string; archive: Archive | undefined };

/** A way to get the program into a folder. */
type Install = (folder: string, options: Options & { machine: Machine; onProgress: Progress }) => Promise<void>;

function thisMachine(): Machine {
  return {
    folders: [...programFolders(), '/usr/local/go/bin'],
    cache: path.join(cacheFolder(), 'bin'),
    archive: publishedArchive(),
  };
}

/**
 * Path of the program: on PATH, in our cache, downloaded now, or built now.
 * @throws CommandFailed with what was tried and the ways out when there is none
 */
export async function temporalProgram({ machine = thisMachine(), ...options }: Options = {}): Promise<string> {
  const found = await findProgram('temporal', machine.folders);
  if (found !== undefined) return found;
  const { onProgress = () => {}, signal } = options;
  const failures: string[] = [];
  for (const install of [download, build]) {
    try {
      return await putIntoCache(install, { ...options, machine, onProgress });
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof CommandFailed)) throw error;
      failures.push(error.message);
      onProgress(error.message);
    }
  }
  throw new CommandFailed(`There is no Temporal server on this machine. ${failures.join(' ')} ${WAYS_OUT}`);
}

/** Works in a folder beside the program's place, and then renames it, so that one half-made is never used. */
async function putIntoCache(install: Install, options: Parameters<Install>[1]): Promise<string> {
  const { cache } = options.machine;
  await mkdir(cache, { recursive: true });
  const staging = await mkdtemp(path.join(cache, '.installing-'));
  try {
    await install(staging, options);
    const [made, program] = [path.join(staging, 'temporal'), path.join(cache, 'temporal')];
    await chmod(made, 0o755);
    await rename(made, program);
    return program;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

const download: Install = async (folder, { machine: { archive }, onProgress, signal }) => {
  if (!archive) throw new CommandFailed(`Temporal publishes no program for ${process.platform} ${process.arch}.`);
  const { host } = new URL(archive.url);
  let megabytes = '';
  const stopReporting = reportTime(onProgress, `downloading the Temporal server from ${host}, once`, () => megabytes);
  const onBytes = (received: number, all: number | undefined) => {
    const [got, of] = [received, all].map((bytes) => bytes && Math.round(bytes / 1e6));
    megabytes = `, ${got}${of ? ` of ${of}` : ''} MB`;
  };
  try {
    await downloadTemporal({ archive, folder, onBytes, signal });
  } finally {
    stopReporting();
  }
};

const build: Install = async (folder, { machine, onProgress, signal }) => {
  const go = await findProgram('go', machine.folders);
  if (!go) throw new CommandFailed('Go, which would build it, is not installed.');
  const stopReporting = reportTime(onProgress, 'building the Temporal server with Go, once, 3 to 4 minutes');
  try {
    await goInstall(go, folder, signal);
  } finally {
    stopReporting();
  }
};

function goInstall(go: string, folder: string, signal?: AbortSignal): Promise<void> {
  const child = spawn(go, ['install', GO_PACKAGE], {
    env: environmentWith({ GOBIN: folder }),
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(signal && { signal }),
  });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4096)));
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new CommandFailed(`Go could not build Temporal: ${why}\n`));
    child.once('error', (error) => fail(error.message));
    child.once('close', (code) => (code === 0 ? resolve() : fail(output.trim().split('\n').slice(-3).join('\n'))));
  });
}

function reportTime(onProgress: Progress, activity: string, amount: () => string = () => ''): () => void {
  const started = Date.now();
  onProgress(activity);
  const timer = setInterval(() => {
    onProgress(`${activity}: ${Math.round((Date.now() - started) / 1000)} s so far${amount()}`);
  }, PROGRESS_EVERY_MS);
  return () => clearInterval(timer);
}

const WAYS_OUT =
  'Start again with a network, or install the temporal command line (https://docs.temporal.io/cli), or Go 1.25 or newer, ' +
  'or set TEMPORAL_ADDRESS to a Temporal server of yours.';
