/** Where the embedded server keeps its data: in its directory, or elsewhere if the user that it runs as cannot reach that. */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, chown, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** The user that the server runs as; undefined: the present one. */
export type RunAs = { uid: number; gid: number } | undefined;

/** File of a directory that names the one in its place. */
const MOVED_TO = 'moved-to';

async function findElsewhere(directory: string): Promise<string | undefined> {
  const text = await readFile(path.join(directory, MOVED_TO), 'utf8').catch(() => '');
  return text.trim() || undefined;
}

/** The data folder of a directory that `reachableDirectory` was called with before. */
export const findDataFolder = async (directory: string): Promise<string> =>
  dataFolder((await findElsewhere(directory)) ?? directory);

export const dataFolder = (directory: string): string => path.join(directory, 'data');

/** Returns the directory, or, if the unprivileged user cannot reach it (root's 0700 home), one below /var/lib with a link to it. */
export async function reachableDirectory(directory: string, owner: RunAs): Promise<string> {
  await mkdir(directory, { recursive: true });
  if (!owner) {
    await chmod(directory, 0o700);
    return directory;
  }
  if (await reachableByOthers(path.dirname(directory))) {
    await chown(directory, owner.uid, owner.gid);
    await chmod(directory, 0o700);
    return directory;
  }
  const elsewhere = (await findElsewhere(directory)) ?? path.join('/var/lib/sluice', randomBytes(8).toString('hex'));
  await mkdir(elsewhere, { recursive: true });
  await chown(elsewhere, owner.uid, owner.gid);
  await chmod(elsewhere, 0o700);
  await writeFile(path.join(directory, MOVED_TO), `${elsewhere}\n`);
  return elsewhere;
}

export async function reachableByOthers(directory: string): Promise<boolean> {
  for (let at = directory; ; at = path.dirname(at)) {
    if (!((await stat(at)).mode & constants.S_IXOTH)) return false;
    if (at === path.dirname(at)) return true;
  }
}
