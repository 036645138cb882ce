/** Copies the embedded Postgres server into a new folder while it runs. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chmod, mkdtemp, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { copyServer } from '../../platform/db/base-backup.ts';
import { createClient } from '../../platform/db/connection.ts';
import { POOLS } from '../../platform/db/pools.ts';
import { findDataFolder } from '../../platform/db/server-folder.ts';
import { CommandFailed } from '../../platform/errors.ts';
import { unreachableError } from '../prepare-database.ts';
import { FORMAT, MANIFEST_FILE, type BackupFile, type BackupManifest } from './manifest.ts';

const { version: VERSION } = createRequire(import.meta.url)('../../../package.json') as { version: string };

export type BackupRequest = {
  /** Of the embedded server. */
  databaseUrl: string;
  /** The state folder of `sluice up`. */
  stateFolder: string;
  /** Must not exist yet. */
  folder: string;
  encryptionKeys: BackupManifest['encryption_keys'];
};

/**
 * Writes to a folder beside the requested one, which gets its name once everything is on the disk.
 * @throws CommandFailed if the folder exists or cannot be written, or the server is not the embedded one
 */
export async function takeBackup({
  databaseUrl,
  stateFolder,
  folder,
  encryptionKeys,
}: BackupRequest): Promise<BackupManifest> {
  if (await stat(folder).catch(() => undefined))
    throw new CommandFailed(`${folder} exists already. Name a new folder.`);
  const server = await describeServer(databaseUrl, stateFolder);
  const started = new Date();
  const staging = await mkdtemp(`${folder}.partial-`).catch(refuseFolder(folder));
  try {
    let archive: BackupFile | undefined;
    const { timeline, startLsn, endLsn } = await copyServer(databaseUrl, async (source) => {
      archive = await writeArchive(source, staging, 'base.tar').catch(refuseFolder(folder));
    });
    const manifest: BackupManifest = {
      format: FORMAT,
      sluice_version: VERSION,
      ...server,
      started_at: started.toISOString(),
      ended_at: new Date().toISOString(),
      postgres_timeline: timeline,
      start_lsn: startLsn,
      end_lsn: endLsn,
      encryption_keys: encryptionKeys,
      files: [archive!, await writePassword(databaseUrl, staging)],
    };
    const text = `${JSON.stringify(manifest, null, 2)}\n`;
    await writeFile(path.join(staging, MANIFEST_FILE), text, { mode: 0o600, flush: true });
    await chmod(staging, 0o700);
    await sync(staging);
    await rename(staging, folder).catch(refuseFolder(folder));
    await sync(path.dirname(folder));
    return manifest;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

type Server = Pick<BackupManifest, 'postgres_version' | 'migration' | 'timeline'>;

/** @throws CommandFailed unless the server's data are in the state folder, or in the folder that took its place */
async function describeServer(url: string, stateFolder: string): Promise<Server> {
  const client = createClient({ url, applicationName: POOLS.backup.applicationName });
  try {
    await client.connect();
    const { rows } = await client.query<Server & { data: string | null }>(
      `select current_setting('server_version') as postgres_version, (select id::text from timeline) as timeline,
         (select max(name) from schema_migrations) as migration,
         (select setting from pg_settings where name = 'data_directory') as data`,
    );
    const { data, ...server } = rows[0]!;
    const embedded = await findDataFolder(path.resolve(stateFolder, 'postgres'));
    if (data !== null && (await realPath(data)) === (await realPath(embedded))) return server;
  } catch (error) {
    throw unreachableError(error) ?? error;
  } finally {
    await client.end().catch(() => {});
  }
  throw new CommandFailed(
    'This Postgres is not the one that `sluice up` started. Back it up by its own means, best with point-in-time recovery: ' +
      'docs/restores.md says what Sluice needs.',
  );
}

/** @returns the path itself where it does not exist */
const realPath = async (file: string) => realpath(file).catch(() => file);

async function writeArchive(source: Readable, folder: string, name: string): Promise<BackupFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  const count = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  };
  await pipeline(source, count, createWriteStream(path.join(folder, name), { flags: 'wx', mode: 0o600, flush: true }));
  return { name, bytes, sha256: hash.digest('hex') };
}

/** The copied server asks for this password, which `sluice up` reads from a file beside the data. */
async function writePassword(url: string, folder: string): Promise<BackupFile> {
  const name = 'password';
  const password = decodeURIComponent(new URL(url).password);
  await writeFile(path.join(folder, name), password, { mode: 0o600, flush: true });
  return { name, bytes: Buffer.byteLength(password), sha256: createHash('sha256').update(password).digest('hex') };
}

function refuseFolder(folder: string) {
  return (error: NodeJS.ErrnoException): never => {
    if (
      !['ENOENT', 'EACCES', 'EROFS', 'ENOSPC', 'ENOTDIR', 'ENOTEMPTY', 'EDQUOT', 'EFBIG', 'EIO'].includes(
        error.code ?? '',
      )
    )
      throw error;
    throw new CommandFailed(`${folder} cannot be written (${error.code}).`);
  };
}

/** Waits until the entries of a folder are on the disk. */
async function sync(folder: string): Promise<void> {
  await using handle = await open(folder);
  await handle.sync();
}
