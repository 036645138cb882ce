/**
 * The source as a snapshot of its disk had it, with everything that was delivered since: nothing of that may change by itself, before
 * an operator looks and after `sluice recover`.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createPool, type Pool } from '../../src/platform/db/connection.ts';
import { isFileType, type Fleet, type Place } from './fleet.ts';
import type { Installation } from './installation.ts';
import type { Lake } from './lake.ts';
import type { Manifest, Stores } from './objects.ts';
import { LAUNCHER } from './server-process.ts';
import type { Store } from './store.ts';

const run = promisify(execFile);
/** A round of the reconciler begins every 45 s. */
const QUIET_MS = 60_000;
const GOES_ON_MS = 180_000;

/** All deliveries: a fingerprint of each manifest with its files, and of each interval's rows in tables, and whose run it was. */
type Deliveries = Map<string, { fingerprint: string; runId: string }>;

/** @returns sentences of what is wrong */
export async function restoreAndRecover(
  installation: Installation,
  fleet: Fleet,
  stores: Stores,
  lake: Lake | undefined,
): Promise<string[]> {
  const problems: string[] = [];
  const look = () => deliveriesOf(installation, fleet, stores, lake);
  const before = await look();
  console.log('the source is restored from half way');
  await installation.source.restore();
  const known = await knownRuns(installation);
  const foreign = new Map([...before].filter(([, { runId }]) => !known.has(runId)));
  await sleep(QUIET_MS);
  problems.push(...changesOf(before, await look(), 'before recovery'));

  const { stdout } = await run(process.execPath, [LAUNCHER, 'recover'], { env: installation.environment }).catch(
    (error: Error & { stdout?: string }) => {
      problems.push(`sluice recover failed: ${error.message}`);
      return { stdout: error.stdout ?? '' };
    },
  );
  if (!stdout.includes('Deliveries go on')) problems.push('sluice recover did not find that deliveries are blocked');
  if (!(await hasDeliveredSince(installation))) problems.push('nothing was delivered after recovery');
  const afterwards = await look();
  problems.push(...changesOf(foreign, afterwards, 'after recovery'));
  // A comparison of nothing finds nothing wrong.
  if (before.size === 0) problems.push('there were no deliveries to restore beside');
  if (foreign.size === 0) problems.push('there were no deliveries that the restored database does not know');
  console.log(
    `restore: ${before.size} deliveries, ${foreign.size} of which the restored database does not know; ` +
      `${problems.length} problems`,
  );
  return problems;
}

function changesOf(before: Deliveries, after: Deliveries, when: string): string[] {
  return [...before]
    .filter(([key, { fingerprint }]) => after.get(key)?.fingerprint !== fingerprint)
    .map(([key]) => `the delivery of another timeline at ${key} was replaced ${when}`);
}

async function deliveriesOf(
  installation: Installation,
  fleet: Fleet,
  stores: Stores,
  lake: Lake | undefined,
): Promise<Deliveries> {
  const deliveries: Deliveries = new Map();
  const destination = createPool({ url: installation.destination.url(), applicationName: 'chaos', maxConnections: 2 });
  try {
    for (const place of fleet.labels) {
      const { type, label } = place;
      if (isFileType(type)) await addFiles(deliveries, stores[type], await stores[type].manifests(place));
      else if (type === 'Iceberg') await addSnapshots(deliveries, lake!, place);
      else await addRows(deliveries, destination, label);
    }
    return deliveries;
  } finally {
    await destination.end();
  }
}

async function addFiles(deliveries: Deliveries, store: Store, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    const text = (await store.get(key))!;
    const manifest = JSON.parse(text.toString()) as Manifest;
    const hash = createHash('sha256').update(text);
    for (const file of manifest.files) hash.update((await store.get(file.key)) ?? 'missing');
    deliveries.set(key, { fingerprint: hash.digest('hex'), runId: manifest.run_id });
  }
}

async function addSnapshots(deliveries: Deliveries, lake: Lake, place: Place): Promise<void> {
  for (const { exportId, start, runId, rows } of await lake.intervalsAt(place)) {
    const uuids = rows.map(({ uuid }) => uuid).sort();
    deliveries.set(`${place.label} ${exportId} ${start}`, { fingerprint: [runId, ...uuids].join(), runId });
  }
}

async function addRows(deliveries: Deliveries, destination: Pool, table: string): Promise<void> {
  const { rows: found } = await destination.query<{ name: string | null }>('select to_regclass($1)::text as name', [
    table,
  ]);
  if (!found[0]?.name) return;
  const { rows } = await destination.query<{ key: string; fingerprint: string; run: string }>(
    `select ledger.export || ' ' || ledger.interval_start as key, ledger.run::text as run,
       (select coalesce(md5(string_agg(uuid::text, ',' order by uuid)), '') from ${table} as rows
        where _sluice_export = ledger.export and _sluice_interval_time = ledger.interval_start) as fingerprint
     from _sluice_ledger as ledger where table_name = $1`,
    [table],
  );
  for (const { key, fingerprint, run: runId } of rows) deliveries.set(`${table} ${key}`, { fingerprint, runId });
}

async function knownRuns({ source }: Installation): Promise<Set<string>> {
  const pool = createPool({ url: source.url(), applicationName: 'chaos', maxConnections: 1 });
  try {
    const { rows } = await pool.query<{ id: string }>('select id from batch_export_runs where plan is not null');
    return new Set(rows.map(({ id }) => id));
  } finally {
    await pool.end();
  }
}

async function hasDeliveredSince({ source }: Installation): Promise<boolean> {
  const since = new Date().toISOString();
  const deadline = performance.now() + GOES_ON_MS;
  const pool = createPool({ url: source.url(), applicationName: 'chaos', maxConnections: 1 });
  try {
    while (performance.now() < deadline) {
      const { rowCount } = await pool.query(
        `select from batch_export_runs where status = 'Completed' and created_at > $1 limit 1`,
        [since],
      );
      if (rowCount) return true;
      await sleep(2_000);
    }
    return false;
  } finally {
    await pool.end();
  }
}
