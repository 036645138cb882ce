/** Finds the `temporal` program, or builds it once where Go is installed. */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder, environmentWith, programFolders } from '../config.ts';
import { CommandFailed } from '../errors.ts';
import { findProgram } from '../processes/program.ts';

/** The newest that `go install` can build: later ones replace modules in their go.mod. */
const GO_PACKAGE = 'github.com/temporalio/cli/cmd/temporal@v1.5.1';
const PROGRESS_EVERY_MS = 15_000;

type Progress = (message: string) => void;
type Options = { onProgress?: Progress; signal?: AbortSignal };

/**
 * Path of the program: on PATH, in our cache, downloaded by `@temporalio/testing`, or built now.
 * @throws CommandFailed with the ways out when there is none and it cannot be built
 */
export async function temporalProgram(options: Options = {}): Promise<string> {
  return (await findProgram('temporal', programFolders())) ?? (await findDownloadedProgram()) ?? (await build(options));
}

/** The program that the SDK's test environment downloaded earlier; ours only if no other user could have put it there. */
async function findDownloadedProgram(): Promise<string | undefined> {
  try {
    const manifest = fileURLToPath(new URL('../package.json', import.meta.resolve('@temporalio/testing')));
    const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
    const file = path.join(tmpdir(), `temporal-sdk-typescript-${version}`);
    const { uid, mode } = await stat(file);
    return uid === process.getuid?.() && (mode & 0o022) === 0 ? file : undefined;
  } catch {
    return undefined;
  }
}

async function build({ onProgress = () => {}, signal }: Options): Promise<string> {
  const go = await findProgram('go', [...programFolders(), '/usr/local/go/bin']);
  if (!go) throw new CommandFailed(`There is no Temporal server on this machine. ${waysOut()}`);
  const folder = path.join(cacheFolder(), 'bin');
  await mkdir(folder, { recursive: true });
  // Built in a folder next to its place, then renamed, so that an interrupted build is never used as the program.
  const staging = await mkdtemp(path.join(folder, '.building-'));
  const stopReporting = reportTime(onProgress, 'building the Temporal server with Go, once, 3 to 4 minutes');
  try {
    await goInstall(go, staging, signal);
    const program = path.join(folder, 'temporal');
    await rename(path.join(staging, 'temporal'), program);
    return program;
  } finally {
    stopReporting();
    await rm(staging, { recursive: true, force: true });
  }
}

function goInstall(go: string, folder: string, signal?: AbortSignal): Promise<void> {
  const child = spawn(go, ['install', GO_PACKAGE], {
    env: environmentWith({ GOBIN: folder }),
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(signal && { signal }),
  });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4096)));
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new CommandFailed(`Go could not build Temporal: ${why}\n${waysOut()}`));
    child.once('error', (error) => fail(error.message));
    child.once('close', (code) => (code === 0 ? resolve() : fail(output.trim().split('\n').slice(-3).join('\n'))));
  });
}

function reportTime(onProgress: Progress, activity: string): () => void {
  const started = Date.now();
  onProgress(activity);
  const timer = setInterval(() => {
    onProgress(`${activity}: ${Math.round((Date.now() - started) / 1000)} s so far`);
  }, PROGRESS_EVERY_MS);
  return () => clearInterval(timer);
}

function waysOut(): string {
  return (
    'Install the temporal command line (https://docs.temporal.io/cli), or install Go 1.25 or newer and start again, ' +
    'or set TEMPORAL_ADDRESS to a Temporal server of yours.'
  );
}
