/** Configuration of commands that run while `sluice up` runs in another terminal, with the same state folder. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../platform/config.ts';
import { EXPORTS_FOLDER } from './roles.ts';
import { KEYS_FILE } from './key-ring.ts';
import { readReport } from './report.ts';

/**
 * Fills in missing variables from the state folder of a running `sluice up`.
 * @returns the configuration unchanged when none is running there
 */
export async function fillFromRunningUp(config: Config): Promise<Config> {
  const file = (name: string) => path.resolve(config.SLUICE_STATE_DIR, name);
  const report = await readReport(config.SLUICE_STATE_DIR);
  if (!report) return config;
  const { database_url, temporal_address } = report;
  const keys = await readFile(file(KEYS_FILE), 'utf8').catch(() => undefined);
  return {
    DATABASE_URL: database_url,
    TEMPORAL_ADDRESS: temporal_address,
    EXPORT_LOCAL_ROOT: file(EXPORTS_FOLDER),
    ...(keys !== undefined && { SLUICE_ENCRYPTION_KEYS: keys.trim() }),
    ...config,
  };
}

/** Host by which clients on this machine reach an API that listens on `host`, which may mean all addresses. */
export function clientHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
