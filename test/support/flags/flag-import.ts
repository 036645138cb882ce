/** Runs `sluice flags import` in a process of its own, and writes the files that it imports. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { environmentWith } from '../../../src/platform/config.ts';

export const SLUICE = fileURLToPath(new URL('../../../bin/sluice', import.meta.url));
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Limit of printed bytes: enough for one line for each of 100,000 flags. */
const MAX_PRINTED = 32 * 1024 * 1024;

export type CommandResult = { code: number; stdout: string; stderr: string; lines: string[] };

/** Runs the command from the root of the repository until it ends. */
export function sluice(
  args: readonly string[],
  environment: Record<string, string | undefined> = {},
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const env = environmentWith({ SLUICE_API_KEY: undefined, POSTHOG_API_KEY: undefined, ...environment });
    execFile(process.execPath, [SLUICE, ...args], { cwd: ROOT, env, maxBuffer: MAX_PRINTED }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr, lines: stdout.trimEnd().split('\n') }),
    );
  });
}

export type Folder = {
  path: string;
  /** @param content written as it is if a string or bytes, otherwise as JSON @returns the path */
  write(name: string, content: unknown): Promise<string>;
  remove(): Promise<void>;
};

export async function temporaryFolder(): Promise<Folder> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-flags-'));
  return {
    path: folder,
    async write(name, content) {
      const file = path.join(folder, name);
      const isRaw = typeof content === 'string' || content instanceof Uint8Array;
      await writeFile(file, isRaw ? content : JSON.stringify(content));
      return file;
    },
    remove: () => rm(folder, { recursive: true }),
  };
}
