/** Describes a backup, in its folder: `backup.json` is written last, so a folder without it is not a whole backup. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { CommandFailed } from '../../platform/errors.ts';

export const MANIFEST_FILE = 'backup.json';
export const FORMAT = 1;

export type BackupFile = { name: string; bytes: number; sha256: string };

/** The content of `backup.json`, exactly. */
export type BackupManifest = {
  format: number;
  sluice_version: string;
  postgres_version: string;
  /** The newest migration of the database. */
  migration: string;
  started_at: string;
  ended_at: string;
  /** The timeline of deliveries, which `sluice recover` replaces. */
  timeline: string;
  postgres_timeline: number;
  start_lsn: string;
  end_lsn: string;
  /** Ids of the keys that stored secrets need, and where they were; the keys themselves are not copied. */
  encryption_keys: { ids: string[]; place: string };
  files: BackupFile[];
};

/**
 * Compares sizes and SHA-256 of a backup's files with its manifest.
 * @throws CommandFailed naming what is missing or differs
 */
export async function checkBackup(folder: string): Promise<BackupManifest> {
  const manifest = await readManifest(folder);
  for (const { name, bytes, sha256 } of manifest.files) {
    const file = path.join(folder, path.basename(name));
    const found = await stat(file).catch(() => undefined);
    if (!found) throw new CommandFailed(`${file} is missing.`);
    if (found.size !== bytes) throw new CommandFailed(`${file} has ${found.size} bytes instead of ${bytes}.`);
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
    if (hash.digest('hex') !== sha256) throw new CommandFailed(`${file} was changed: its SHA-256 differs.`);
  }
  return manifest;
}

async function readManifest(folder: string): Promise<BackupManifest> {
  const text = await readFile(path.join(folder, MANIFEST_FILE), 'utf8').catch(() => undefined);
  if (text === undefined) throw new CommandFailed(`${folder} is not a whole backup: it has no ${MANIFEST_FILE}.`);
  let manifest: Partial<BackupManifest> | null;
  try {
    manifest = JSON.parse(text) as Partial<BackupManifest> | null;
  } catch {
    throw new CommandFailed(`${path.join(folder, MANIFEST_FILE)} was changed: it is not JSON.`);
  }
  if (manifest?.format !== FORMAT)
    throw new CommandFailed(
      `${folder} has a format that this version of Sluice does not know: ${String(manifest?.format)}.`,
    );
  if (!Array.isArray(manifest.files))
    throw new CommandFailed(`${path.join(folder, MANIFEST_FILE)} was changed: it lists no files.`);
  return manifest as BackupManifest;
}
