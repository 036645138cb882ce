/** Reads the built console from `console/dist` into memory, each file with its compressed forms. */
import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const CONSOLE_DIST = fileURLToPath(new URL('../../../console/dist', import.meta.url));

export type ConsoleFile = { type: string; bytes: Buffer; brotli?: Buffer; gzip?: Buffer };

export type ConsoleFiles = {
  /** The page, split at the places of the nonce. */
  page: readonly string[];
  /** Files by path: `/assets/…`, `/icon.svg`. */
  files: ReadonlyMap<string, ConsoleFile>;
};

/** Placeholder in the page, which each answer replaces by its own nonce. */
const NONCE = '__NONCE__';
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * @param dist folder with a file `current` that names the build
 * @returns a function that returns the current build, cached until `current` changes; undefined without a build
 */
export function openConsoleFiles(dist: string = CONSOLE_DIST): () => Promise<ConsoleFiles | undefined> {
  const pointer = path.join(dist, 'current');
  let current: { name: string; files: Promise<ConsoleFiles> } | undefined;
  return async () => {
    // Read each time, so a new build shows without a restart; the file is tiny and cached by the system.
    const name = existsSync(pointer) ? readFileSync(pointer, 'utf8') : undefined;
    if (name === undefined) return undefined;
    if (current?.name !== name) {
      const files = load(path.join(dist, name));
      current = { name, files };
      files.catch(() => (current = undefined));
    }
    return current.files;
  };
}

async function load(folder: string): Promise<ConsoleFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const files = new Map<string, ConsoleFile>();
  for (const name of names) {
    const type = TYPES[path.extname(name)];
    if (type === undefined) continue;
    files.set(`/${path.relative(folder, name)}`, {
      type,
      bytes: await readFile(name),
      ...(names.includes(`${name}.br`) && { brotli: await readFile(`${name}.br`) }),
      ...(names.includes(`${name}.gz`) && { gzip: await readFile(`${name}.gz`) }),
    });
  }
  return { page: (await readFile(path.join(folder, 'index.html'), 'utf8')).split(NONCE), files };
}
