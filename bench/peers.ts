/** The programs that benchmarks are measured against and the product does not need: installed once, outside the repository. */
import { cp, mkdir } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from '../src/platform/config.ts';
import { NotMeasured, runShell } from './measure.ts';

const LISTED = fileURLToPath(new URL('./peers/', import.meta.url));
const FILES = ['package.json', 'package-lock.json'];

/** @returns a folder whose `node_modules` holds what `peers/package-lock.json` names. @throws NotMeasured when npm cannot install it */
export async function installedPeers(log: (line: string) => void): Promise<string> {
  const lock = createHash('sha256')
    .update(readFileSync(path.join(LISTED, 'package-lock.json')))
    .digest('hex');
  const folder = path.join(cacheFolder(), 'bench-peers', lock.slice(0, 16));
  const done = path.join(folder, 'node_modules', '.package-lock.json');
  if (existsSync(done)) return folder;
  log('installing what to compare with');
  await mkdir(folder, { recursive: true });
  for (const file of FILES) await cp(path.join(LISTED, file), path.join(folder, file));
  await runShell(`npm ci --ignore-scripts --no-audit --no-fund --prefix '${folder}'`, process.env).catch((cause) => {
    throw new NotMeasured('the peers cannot be installed: npm failed', { cause });
  });
  return folder;
}
