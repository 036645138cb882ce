import path from 'node:path';
import { Command } from 'commander';
import { readConfig } from '../../platform/config.ts';
import { CommandFailed } from '../../platform/errors.ts';
import { checkBackup, type BackupManifest } from '../backup/manifest.ts';
import { takeBackup } from '../backup/take-backup.ts';
import { fillFromRunningUp } from '../up/running-up.ts';
import { KEYS_FILE } from '../up/key-ring.ts';

type Options = { check: boolean };

export function backupCommand(): Command {
  return new Command('backup')
    .summary('copy the Postgres of a running `sluice up` into a new folder')
    .description(
      'Copies the embedded Postgres server while it runs, with a manifest of versions, times, positions, sizes and checksums. Encryption keys are ' +
        'named, not copied, and the state of Temporal is left out. docs/restores.md says how to restore it. A Postgres of your own is ' +
        'backed up by its own means. Exit code: 0 when the backup is complete, else 1.',
    )
    .argument('<folder>', 'folder of the backup, which must not exist yet')
    .option('--check', 'make no backup, but compare an existing one with its manifest', false)
    .action(run);
}

async function run(name: string, { check }: Options): Promise<void> {
  const folder = path.resolve(name);
  if (check) return print(folder, await checkBackup(folder));
  const given = readConfig();
  const config = await fillFromRunningUp(given);
  if (config.DATABASE_URL === undefined)
    throw new CommandFailed(
      `No Sluice is running with the state folder ${path.resolve(config.SLUICE_STATE_DIR)}. Start it with \`npm start\`: a backup copies its Postgres while it runs.`,
    );
  const { DATABASE_URL: databaseUrl, SLUICE_STATE_DIR: stateFolder, SLUICE_ENCRYPTION_KEYS: keys = '' } = config;
  const keysLocation =
    given.SLUICE_ENCRYPTION_KEYS === undefined ? path.resolve(stateFolder, KEYS_FILE) : 'SLUICE_ENCRYPTION_KEYS';
  const ids = keys.split(',').flatMap((entry) => entry.split(':')[0]!.trim() || []);
  print(folder, await takeBackup({ databaseUrl, stateFolder, folder, encryptionKeys: { ids, place: keysLocation } }));
  console.log(
    'It does not contain the state of Temporal: after a restore, run `sluice recover`, so that deliveries continue.',
  );
}

function print(folder: string, { files, ended_at, postgres_version, encryption_keys }: BackupManifest): void {
  const megabytes = (files.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6).toFixed(1);
  console.log(`${folder} is complete: ${megabytes} MB of Postgres ${postgres_version}, copied until ${ended_at}.`);
  const { ids, place } = encryption_keys;
  console.log(
    `To restore it you need the encryption keys ${ids.join(', ')} of ${place}, which it does not contain: keep a copy elsewhere.`,
  );
}
