/**
 * Exports with the event in their prefix, against files of the same rows without it: time, CPU time of worker and Postgres, and what Postgres
 * reads and sorts on disk. The same rows have ten events, and then a thousand.
 */
import { randomUUID } from 'node:crypto';
import { createPool, type Pool } from '../../src/platform/db/connection.ts';
import { startInstallation } from '../installation.ts';
import {
  compare,
  interleave,
  median,
  peakRssMb,
  serverCpuMs,
  type Bench,
  type Case,
  type CaseResult,
} from '../measure.ts';
import { postmaster } from './export-setting.ts';
import { exportOnce, storeEvents, withWorkerProcess } from './export-once.ts';

const ROWS = 300_000;
const LARGE_ROWS = 2_000_000;
const ROUNDS = 3;
const EVENTS = [10, 1_000];
const PREFIXES = { 'files of all events': '', 'files by event': '{event}' };

export const bench: Bench = async ({ large, log }) => {
  const rows = large ? LARGE_ROWS : ROWS;
  const installation = await startInstallation();
  const pool = createPool({
    url: installation.options.databaseUrl,
    applicationName: 'sluice-bench',
    maxConnections: 1,
  });
  try {
    log(`storing ${rows} events`);
    const slice = await storeEvents(installation, rows);
    const server = await postmaster(pool);
    const cases: CaseResult[] = [];
    for (const events of EVENTS) {
      await renameEvents(pool, events);
      const measured = await withWorkerProcess(installation, undefined, (pid) => {
        const both = Object.entries(PREFIXES).map(([name, prefix]): Case => ({
          name: `${name}, of ${events}`,
          async run() {
            const before = { worker: serverCpuMs(pid), server: serverCpuMs(server), disk: await diskOf(pool) };
            const config = { directory: randomUUID(), prefix, compression: 'gzip' };
            const seconds = await exportOnce(installation, slice, rows, { type: 'LocalFile', config });
            const [worker, postgres] = [serverCpuMs(pid) - before.worker, serverCpuMs(server) - before.server];
            const disk = await diskOf(pool);
            const [read, sorted] = [disk.read - before.disk.read, disk.sorted - before.disk.sorted];
            const each = (total: number) => (total / rows).toFixed(1);
            log(
              `${name}, of ${events}: a row takes ${each(worker * 1000)} µs of the worker, ${each(postgres * 1000)} of Postgres, ${each(read)} bytes read, ${each(sorted)} sorted on disk; ${(rows / seconds).toFixed(0)} rows a second`,
            );
            return { wallMs: seconds * 1000, cpuMs: worker + postgres, rssMb: peakRssMb(pid) };
          },
        }));
        return interleave(both, ROUNDS, log);
      });
      const [baseline] = measured.values();
      for (const [name, samples] of measured) cases.push(compare(name, samples, baseline!));
      for (const [name, samples] of measured)
        log(
          `${name}: ${median(samples.map(({ wallMs }) => wallMs)).toFixed(0)} ms, ${peakOf(samples).toFixed(0)} MB at most`,
        );
    }
    return { name: 'event-names', cases, goals: [] };
  } finally {
    await pool.end();
    await installation.close();
  }
};

const peakOf = (samples: readonly { rssMb: number }[]) => Math.max(...samples.map(({ rssMb }) => rssMb));

/** Gives each event one of so many names, the frequencies of which fall as 1 / rank. */
async function renameEvents(pool: Pool, names: number): Promise<void> {
  await pool.query(`update events set event = 'event ' || floor($1 ^ ((hashtext(uuid::text) & 65535) / 65536.0))`, [
    names,
  ]);
  await pool.query('vacuum full analyze events');
}

/** Bytes of pages that Postgres has looked at, and of sorts that did not fit into memory. */
async function diskOf(pool: Pool): Promise<{ read: number; sorted: number }> {
  const { rows } = await pool.query<{ read: string; sorted: string }>(
    `select (blks_read + blks_hit) * current_setting('block_size')::bigint as read, temp_bytes as sorted
     from pg_stat_database where datname = current_database()`,
  );
  return { read: Number(rows[0]!.read), sorted: Number(rows[0]!.sorted) };
}
