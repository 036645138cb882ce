/** The workflows' code as workers load it. Bundling takes seconds, so the result is kept until a source changes. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, type Logger as SdkLogger } from '@temporalio/worker';
import { FAILURE_CONVERTER } from './payload-codec.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const ENTRY = path.join(ROOT, 'workflows/index.ts');
const CACHE = path.join(ROOT, 'node_modules/.cache/sluice');
/** Everything that can be in the bundle. */
const SOURCES = ['workflows', 'src/exports/domain', 'src/errors.ts', 'src/temporal/failure-converter.ts'];

export type WorkflowBundle = { codePath: string } | { code: string };

/** @returns the bundle, from an earlier start where nothing changed since */
export async function workflowBundle(logger: SdkLogger): Promise<WorkflowBundle> {
  const codePath = path.join(CACHE, `workflows-${await fingerprint()}.js`);
  if (await readFile(codePath).catch(() => undefined)) return { codePath };
  const { code } = await bundleWorkflowCode({
    workflowsPath: ENTRY,
    failureConverterPath: FAILURE_CONVERTER,
    logger,
  });
  // Renamed into place: a worker that starts meanwhile sees all of it or nothing.
  const unfinished = `${codePath}.${process.pid}`;
  try {
    await mkdir(CACHE, { recursive: true });
    await writeFile(unfinished, code);
    await rename(unfinished, codePath);
    return { codePath };
  } catch {
    // A read-only installation: bundled at every start.
    return { code };
  }
}

async function fingerprint(): Promise<string> {
  const hash = createHash('sha256');
  const { version } = createRequire(import.meta.url)('@temporalio/worker/package.json') as { version: string };
  hash.update(version);
  for (const source of SOURCES) {
    for (const file of await filesOf(path.join(ROOT, source))) hash.update(file).update(await readFile(file));
  }
  return hash.digest('hex').slice(0, 16);
}

async function filesOf(place: string): Promise<string[]> {
  if (place.endsWith('.ts')) return [place];
  const names = await readdir(place);
  return names
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => path.join(place, name));
}
