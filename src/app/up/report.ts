/** Writes, reads and prints the addresses and keys of a running Sluice. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { StateFolder } from './state-folder.ts';

/** The content of `dev.json`, exactly. */
export type Report = {
  api_url: string;
  temporal_ui_url: string | null;
  temporal_address: string;
  temporal_codec_endpoint: string;
  database_url: string;
  project_id: number;
  project_api_key: string;
  personal_api_key: string;
  email: string;
  password: string | null;
  shared_dashboard_url: string | null;
  /** Works once, for ten minutes; null if the API does not listen on a loopback address. */
  sign_in_url: string | null;
};

/** File in the state folder. */
export const REPORT_FILE = 'dev.json';

/** Writes the report, readable by its owner only because of its keys. The file exists exactly while Sluice is ready. */
export async function writeReport(state: StateFolder, report: Report): Promise<void> {
  await state.writeSecret(REPORT_FILE, `${JSON.stringify(report, null, 2)}\n`);
}

/** @param folder the state folder @returns undefined if no Sluice is ready there */
export async function readReport(folder: string): Promise<Report | undefined> {
  const text = await readFile(path.resolve(folder, REPORT_FILE), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as Report);
}

export async function removeReport(state: StateFolder): Promise<void> {
  await state.remove(REPORT_FILE);
}

const LABELS: Record<keyof Report, string> = {
  api_url: 'API',
  temporal_ui_url: 'Temporal UI',
  temporal_address: 'Temporal',
  temporal_codec_endpoint: 'Temporal codec',
  database_url: 'Database',
  project_id: 'Project',
  project_api_key: 'Project API key',
  personal_api_key: 'Personal API key',
  email: 'Log in as',
  password: 'Password',
  shared_dashboard_url: 'Dashboard',
  sign_in_url: 'Log in by',
};

/** The report as a table for people. */
export function reportTable(report: Report): string {
  const width = Math.max(...Object.values(LABELS).map((label) => label.length));
  return (Object.keys(LABELS) as (keyof Report)[])
    .filter((key) => report[key] !== null)
    .map((key) => `  ${LABELS[key].padEnd(width)}  ${report[key]}`)
    .join('\n');
}
