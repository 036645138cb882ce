/**
 * Builds the console into `console/dist/<fingerprint>/`, and points `console/dist/current` at it. The fingerprint is a hash of
 * all sources and the lockfile: an existing build with it is not built again. `npm start` runs this while Postgres starts;
 * `npm run console:build` runs it by hand.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const CONSOLE = path.join(ROOT, 'console');
export const DIST = path.join(CONSOLE, 'dist');
/** Folders and files that a build depends on: the console also draws the shared page's charts, and contains the example's events. */
const SOURCES = [
  'console',
  'src/analytics/sharing/charts',
  'src/analytics/queries/computing',
  'src/analytics/dashboards/tiles/layout.ts',
  'examples/events.ndjson',
  'package-lock.json',
];
/** Files to compress with brotli and with gzip: browsers ask for brotli only over https or on loopback. */
const COMPRESSED = /\.(js|css|svg|json)$/;

export type ConsoleBuild = { folder: string; fresh: boolean };

/** @returns the folder of the current build; `fresh`: whether it was up to date, so nothing was built */
export async function buildConsole(): Promise<ConsoleBuild> {
  const fingerprint = await fingerprintOf(await sourceFiles());
  const folder = path.join(DIST, fingerprint);
  if (existsSync(path.join(folder, 'index.html'))) {
    await writePointer(fingerprint);
    return { folder, fresh: true };
  }
  const unfinished = path.join(DIST, `.${fingerprint}.${process.pid}`);
  await bundle(unfinished);
  await compress(unfinished);
  // Another process may have finished the same build meanwhile: that one stays.
  await rename(unfinished, folder).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    await rm(unfinished, { recursive: true });
  });
  await writePointer(fingerprint);
  await removeEarlierBuilds(fingerprint);
  return { folder, fresh: false };
}

/** Replaces the pointer by renaming a file, so an API that reads it meanwhile sees the former build or the new one. */
async function writePointer(fingerprint: string): Promise<void> {
  const pointer = path.join(DIST, 'current');
  if ((await readFile(pointer, 'utf8').catch(() => '')) === fingerprint) return;
  const unfinished = `${pointer}.${process.pid}`;
  await writeFile(unfinished, fingerprint);
  await rename(unfinished, pointer);
}

/** Removes earlier builds except one, the last by name: an API that is about to stop may still read it. */
async function removeEarlierBuilds(fingerprint: string): Promise<void> {
  const entries = await readdir(DIST, { withFileTypes: true });
  const former = entries.filter((entry) => entry.isDirectory() && entry.name !== fingerprint && entry.name[0] !== '.');
  for (const { name } of former.slice(0, -1)) await rm(path.join(DIST, name), { recursive: true, force: true });
}

async function sourceFiles(): Promise<string[]> {
  const files: string[] = [];
  for (const source of SOURCES) {
    const place = path.join(ROOT, source);
    if (path.extname(place) !== '') files.push(place);
    else {
      const entries = await readdir(place, { recursive: true, withFileTypes: true });
      files.push(...entries.filter((one) => one.isFile()).map((one) => path.join(one.parentPath, one.name)));
    }
  }
  return files.filter((file) => !file.startsWith(DIST + path.sep)).sort();
}

async function fingerprintOf(files: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${path.relative(ROOT, file)}\n`).update(await readFile(file));
  return hash.digest('hex').slice(0, 16);
}

/** Texts of react-aria in other languages, a part of every page's code: the console is in English. */
const OTHER_LANGUAGE = /\/react-(aria|stately)[^?]*\/intl\/(?:.*\/)?(?!en-)[a-z]{2}-[A-Z]{2}\.mjs$/;
const ENGLISH_ONLY = {
  name: 'english-only',
  load: (id: string) => (OTHER_LANGUAGE.test(id) ? 'export default {}' : undefined),
};

async function bundle(outDir: string): Promise<void> {
  await mkdir(DIST, { recursive: true });
  // Imported here: an up-to-date build does not need these packages, and a server's image does not have them.
  const [{ build }, { default: react }] = await Promise.all([import('vite'), import('@vitejs/plugin-react')]);
  await build({
    root: CONSOLE,
    configFile: false,
    logLevel: 'warn',
    plugins: [react(), ENGLISH_ONLY],
    resolve: { alias: { entities: path.join(CONSOLE, 'src/dashboards/page/entities.ts') } },
    build: {
      outDir,
      emptyOutDir: true,
      manifest: true,
      target: 'es2023',
      // The pages' content security policy allows no inline scripts, and data: addresses only for images.
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
    },
  });
}

async function compress(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((one) => one.isFile() && COMPRESSED.test(one.name));
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
  await Promise.all(
    files.map(async (one) => {
      const file = path.join(one.parentPath, one.name);
      const bytes = await readFile(file);
      await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes, quality));
      await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
    }),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const started = performance.now();
  const { fresh } = await buildConsole();
  console.log(
    fresh ? 'The console is up to date.' : `Built in ${((performance.now() - started) / 1000).toFixed(1)} s.`,
  );
}
