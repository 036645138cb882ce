/** A table as pyiceberg reads it, and appends to it. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../../src/platform/config.ts';
import { OBJECT_STORE_KEYS } from '../servers/object-store.ts';
import { skipSuite } from '../missing.ts';
import type { TestNamespace } from '../servers/iceberg-catalog.ts';

const SCRIPT = 'test/support/servers/iceberg-catalog/rows.py';

export const python = () => path.join(cacheFolder(), 'python/pyiceberg-0.12.0/bin/python');

/** Skips the suite without pyiceberg. To be called in a `before` hook or a test. @param suite its `this` */
export function needsPyiceberg(suite: Mocha.Context): void {
  if (!existsSync(python())) skipSuite(suite, 'pyiceberg is not installed: .ci/run installs it');
}

async function runScript({ uri, namespace, bucket }: TestNamespace, table: string, mode: string[]): Promise<string> {
  const { accessKeyId, secretAccessKey } = OBJECT_STORE_KEYS;
  const options = [SCRIPT, uri, `${namespace}.${table}`, bucket.endpoint, accessKeyId, secretAccessKey, ...mode];
  return (await promisify(execFile)(python(), options, { maxBuffer: 256 * 1024 * 1024 })).stdout;
}

export async function readByPyiceberg(server: TestNamespace, table = 'events'): Promise<Record<string, unknown>[]> {
  return JSON.parse(await runScript(server, table, ['read'])) as Record<string, unknown>[];
}

/** Appends a row, as another writer of the table does. @throws Error if pyiceberg refuses it */
export async function appendByPyiceberg(server: TestNamespace, table = 'events', uuid = 'foreign'): Promise<void> {
  await runScript(server, table, ['append', uuid]);
}
