/**
 * Programs of test/sdks in languages that are compiled, or that need packages: built into our cache folder once for each state of
 * their sources and lock files. If one is missing, its suite is skipped with a message; with SLUICE_REQUIRE=all it fails.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, cp, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../../src/platform/config.ts';
import { skipSuite } from '../missing.ts';

const run = promisify(execFile);
const SOURCES = path.join(import.meta.dirname, '../../sdks');
/** Time limit of the first build on a slow machine: Rust compiles two hundred packages. */
const BUILD_MS = 10 * 60_000;

/** Builders for each language: they write into `folder`; `shared` is kept between builds. */
const BUILDERS = {
  go: ({ sources, folder }) => run('go', ['build', '-mod=readonly', '-o', `${folder}/`, './...'], inside(sources)),
  // The Java programs are run from their sources, with these packages.
  java: ({ sources, folder }) =>
    run('mvn', ['--batch-mode', 'dependency:copy-dependencies', `-DoutputDirectory=${folder}`], inside(sources)),
  async rust({ sources, folder, shared }) {
    await run('cargo', ['build', '--locked', '--target-dir', shared], inside(sources));
    await cp(path.join(shared, 'debug/posthog-table'), path.join(folder, 'posthog-table'));
  },
} satisfies Record<string, (places: Places) => Promise<unknown>>;

type Places = { sources: string; folder: string; shared: string };
export type Language = keyof typeof BUILDERS;
export const LANGUAGES = Object.keys(BUILDERS) as Language[];

const inside = (cwd: string) => ({ cwd, timeout: BUILD_MS, maxBuffer: 64 * 1024 * 1024 });

/** Folder of the programs for the current sources, whether built or not. */
async function folderOf(language: Language): Promise<string> {
  const sources = path.join(SOURCES, language);
  const hash = createHash('sha256');
  const files = (await readdir(sources, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
  for (const file of files) hash.update(`${path.relative(sources, file)}\0`).update(await readFile(file));
  return path.join(cacheFolder(), 'sdks', `${language}-${hash.digest('hex').slice(0, 16)}`);
}

const isThere = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  );

/** @returns whether anything had to be built */
export async function buildPrograms(language: Language): Promise<boolean> {
  const folder = await folderOf(language);
  if (await isThere(folder)) return false;
  const unfinished = `${folder}.${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  try {
    const shared = path.join(cacheFolder(), 'sdks', `${language}-shared`);
    await BUILDERS[language]({ sources: path.join(SOURCES, language), folder: unfinished, shared });
    await rename(unfinished, folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return true;
}

/** Whether the language is excluded on this machine, for lack of a recent toolchain: `SLUICE_WITHOUT=rust`. */
export const isLeftOut = (language: Language): boolean =>
  (process.env['SLUICE_WITHOUT'] ?? '').split(',').includes(language);

/** Call it in a `before` hook, passing the hook's `this`. */
export async function needsPrograms(suite: Mocha.Context, language: Language): Promise<void> {
  if (await isThere(await folderOf(language))) return;
  const message = `the ${language} programs of test/sdks are not built: npm run sdks ${language}`;
  skipSuite(suite, message);
}

const TIMEOUT_MS = 150_000;

/** Runs a program of a built folder to its end. @returns what it printed */
export async function runProgram(language: Language, name: string, ...args: string[]): Promise<string> {
  const folder = await folderOf(language);
  const [file, ...before] =
    language === 'java'
      ? // Java's output must be UTF-8 on every system.
        [
          'java',
          '-Dfile.encoding=UTF-8',
          '-Dstdout.encoding=UTF-8',
          '-cp',
          `${folder}/*`,
          path.join(SOURCES, 'java', `${name}.java`),
        ]
      : [path.join(folder, name)];
  const { stdout } = await run(file!, [...before, ...args], { timeout: TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}
