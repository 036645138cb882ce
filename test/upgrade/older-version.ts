/** An older version of this program, from the repository's history, with the dependencies that it had. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const git = (...args: string[]) => run('git', ['-C', ROOT, ...args]);

export type OlderVersion = { launcher: string; remove(): Promise<void> };

/**
 * Checks a commit or tag out into a folder of its own, and installs its dependencies unless they are the present ones.
 * @throws Error when the repository's history does not have it
 */
export async function checkOut(revision: string): Promise<OlderVersion> {
  await git('cat-file', '-e', `${revision}^{commit}`).catch(() => {
    throw new Error(`The history has no ${revision}: fetch it, or give --from another version.`);
  });
  const folder = path.join(await mkdtemp(path.join(tmpdir(), 'sluice-older-')), 'version');
  const remove = async () => {
    await git('worktree', 'remove', '--force', folder);
    await rm(path.dirname(folder), { recursive: true, force: true });
  };
  await git('worktree', 'add', '--detach', folder, revision);
  try {
    await installDependencies(folder);
  } catch (error) {
    await remove();
    throw error;
  }
  return { launcher: path.join(folder, 'bin', 'sluice'), remove };
}

async function installDependencies(folder: string): Promise<void> {
  const lockfiles = await Promise.all(
    [ROOT, folder].map((root) => readFile(path.join(root, 'package-lock.json'), 'utf8')),
  );
  if (lockfiles[0] === lockfiles[1]) await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  else await run('npm', ['ci'], { cwd: folder });
}
