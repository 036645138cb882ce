/** The rows of a table as pyiceberg reads them. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../../src/platform/config.ts';
import { OBJECT_STORE_KEYS } from '../servers/object-store.ts';
import { skipSuite } from '../missing.ts';
import type { IcebergPlace } from './iceberg-place.ts';

const SCRIPT = 'test/support/servers/iceberg-catalog/rows.py';

const python = () => path.join(cacheFolder(), 'python/pyiceberg-0.12.0/bin/python');

/** Call it in a `before` hook or a test, passing its `this`. */
export function needsPyiceberg(suite: Mocha.Context): void {
  if (!existsSync(python())) skipSuite(suite, 'pyiceberg is not installed: .ci/run installs it');
}

/** @param mode `append`: first appends a row of its own, as another writer does */
export async function readByPyiceberg(
  { server: { uri, namespace, bucket } }: IcebergPlace,
  mode: 'read' | 'append' = 'read',
): Promise<Record<string, unknown>[]> {
  const { accessKeyId, secretAccessKey } = OBJECT_STORE_KEYS;
  const options = [SCRIPT, uri, `${namespace}.events`, bucket.endpoint, accessKeyId, secretAccessKey, mode];
  const { stdout } = await promisify(execFile)(python(), options);
  return JSON.parse(stdout) as Record<string, unknown>[];
}
