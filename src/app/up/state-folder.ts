/** The folder with all state of `sluice up`, and its lock, which only one `up` can hold. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CommandFailed } from '../../platform/errors.ts';
import { runsCommand } from '../../platform/processes/leftover.ts';

export type StateFolder = {
  /** Absolute path of something inside. */
  file(name: string): string;
  /** Writes a file atomically, readable by its owner only. */
  writeSecret(name: string, text: string): Promise<void>;
  /** Returns undefined if there is no such file. */
  read(name: string): Promise<string | undefined>;
  has(name: string): boolean;
  remove(name: string): Promise<void>;
  /** Releases the lock. */
  release(): Promise<void>;
};

const LOCK = 'up.pid';

/**
 * Creates the folder if it is missing and locks it for this process; takes over the lock of a killed `up`.
 * @throws CommandFailed when the folder cannot be used or another `up` runs in it
 */
export async function takeStateFolder(directory: string): Promise<StateFolder> {
  const root = path.resolve(directory);
  const file = (name: string) => path.join(root, name);
  await makeFolder(root);
  await lock(file(LOCK), root);
  return {
    file,
    async writeSecret(name, text) {
      const staging = file(`.${name}.new`);
      await rm(staging, { force: true });
      await writeFile(staging, text, { mode: 0o600 });
      await rename(staging, file(name));
    },
    read: (name) => readIfExists(file(name)),
    has: (name) => existsSync(file(name)),
    remove: (name) => rm(file(name), { force: true }),
    release: () => rm(file(LOCK), { force: true }),
  };
}

async function makeFolder(root: string): Promise<void> {
  try {
    await mkdir(path.dirname(root), { recursive: true });
    // Without `recursive`, with which Node retries forever in places such as /proc.
    await mkdir(root).catch(async (error: NodeJS.ErrnoException) => {
      if (!(await stat(root).catch(() => undefined))?.isDirectory()) throw error;
    });
  } catch (error) {
    throw new CommandFailed(
      `The state folder ${root} cannot be made (${(error as NodeJS.ErrnoException).code}). ` +
        'Set SLUICE_STATE_DIR to a folder that you may write.',
    );
  }
}

async function lock(file: string, root: string): Promise<void> {
  const holder = Number(await readIfExists(file));
  if (holder !== process.pid && (await runsCommand(holder, ['sluice', 'up'])))
    throw new CommandFailed(
      `Sluice already runs on ${root} (process ${holder}); dev.json there says where. ` +
        'Stop it with Ctrl-C in its terminal, or set SLUICE_STATE_DIR to another folder.',
    );
  await rm(file, { force: true });
  // If two starts happen at the same time, the first creates the file, and the other fails.
  await writeFile(file, String(process.pid), { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw new CommandFailed(`Another start on ${root} is under way.`);
    throw new CommandFailed(
      `The state folder ${root} cannot be written (${error.code}). Set SLUICE_STATE_DIR to a folder that you may write.`,
    );
  });
}

async function readIfExists(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new CommandFailed(
      `${file} cannot be read (${(error as NodeJS.ErrnoException).code}). If the state folder is damaged, move it away: ` +
        'the next start makes a new, empty one.',
    );
  }
}
