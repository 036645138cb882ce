/**
 * The workflows' code as workers load it. Bundling takes seconds, so a bundle is kept with a list of its source files and their
 * digests, and is reused as long as none of them changed. The list comes from the bundler, so a module that moves, or that another
 * begins to import, is noticed without being listed here.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, type BundleOptions, type Logger as SdkLogger } from '@temporalio/worker';
import { FAILURE_CONVERTER } from './payload-codec.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const CACHE = path.join(ROOT, 'node_modules/.cache/sluice');

export type WorkflowBundle = { codePath: string } | { code: string };

/** Options of the bundler except the logger; all are data, and part of the bundle's name. */
export type BundledModules = Pick<
  BundleOptions,
  'workflowsPath' | 'failureConverterPath' | 'workflowInterceptorModules'
>;

const MODULES: BundledModules = {
  workflowsPath: path.join(ROOT, 'workflows/index.ts'),
  failureConverterPath: FAILURE_CONVERTER,
};

/** The same workflows, which also report their spans; histories of either replay in the other. */
export const TRACED_MODULES: BundledModules = {
  ...MODULES,
  workflowInterceptorModules: [
    fileURLToPath(import.meta.resolve('@temporalio/interceptors-opentelemetry/lib/workflow-interceptors')),
  ],
};

/** Files that went into a bundle, by absolute path, with their SHA-256 in hex. */
type Sources = Record<string, string>;
type Manifest = { code: string; sources: Sources };

/**
 * @param cache folder where bundles are kept; a read-only one means that each start bundles anew
 * @returns the bundle, from an earlier start if none of its sources changed since
 */
export async function workflowBundle(
  logger: SdkLogger,
  modules: BundledModules = MODULES,
  cache: string = CACHE,
): Promise<WorkflowBundle> {
  const manifestPath = path.join(cache, `workflows-${digest(JSON.stringify([sdkVersion(), modules]))}.json`);
  const cached = await findCachedBundle(manifestPath);
  if (cached) return cached;
  const { code, sources } = await bundle(logger, modules);
  const codePath = path.join(cache, `workflows-${digest(code)}.js`);
  const manifest: Manifest = { code: path.basename(codePath), sources };
  try {
    await mkdir(cache, { recursive: true });
    await replaceFile(codePath, code);
    await replaceFile(manifestPath, JSON.stringify(manifest));
    return { codePath };
  } catch {
    return { code };
  }
}

async function findCachedBundle(manifestPath: string): Promise<WorkflowBundle | undefined> {
  try {
    const { code, sources } = JSON.parse(await readFile(manifestPath, 'utf8')) as Manifest;
    const currentDigests = await digests(Object.keys(sources));
    if (Object.entries(sources).some(([file, known]) => currentDigests[file] !== known)) return undefined;
    const codePath = path.join(path.dirname(manifestPath), code);
    await readFile(codePath);
    return { codePath };
  } catch {
    return undefined;
  }
}

async function bundle(logger: SdkLogger, modules: BundledModules): Promise<{ code: string; sources: Sources }> {
  const read = new Set<string>();
  const { code } = await bundleWorkflowCode({
    ...modules,
    logger,
    webpackConfigHook: (config) => {
      config.plugins?.push((compiler) => {
        compiler.hooks.afterCompile.tap('sources', ({ fileDependencies }) => {
          for (const file of fileDependencies) read.add(file);
        });
      });
      return config;
    },
  });
  return { code, sources: await digests([...read]) };
}

/** Files that are not on the disk are left out: the bundler makes its entry in memory. */
async function digests(files: string[]): Promise<Sources> {
  const entries = await Promise.all(
    files.map(async (file) => {
      const bytes = await readFile(file).catch(() => undefined);
      return bytes === undefined ? [] : [[file, digest(bytes)]];
    }),
  );
  return Object.fromEntries(entries.flat());
}

/** Replaces a file by renaming, so that a worker that starts meanwhile sees all of it or none. */
async function replaceFile(name: string, text: string): Promise<void> {
  const temporaryName = `${name}.${process.pid}`;
  await writeFile(temporaryName, text);
  await rename(temporaryName, name);
}

function digest(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 32);
}

function sdkVersion(): string {
  const { version } = createRequire(import.meta.url)('@temporalio/worker/package.json') as { version: string };
  return version;
}
