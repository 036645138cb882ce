/**
 * The cost of exporting one sealed data interval from Postgres to compressed files. It is compared with a shell's
 * `psql COPY (row_to_json) | gzip`, and with other programs that write Parquet. All export the same rows and columns of the same server, and
 * every file's rows are counted.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { on } from 'node:events';
import { createReadStream } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPool } from '../../src/platform/db/connection.ts';
import { startEmbeddedPostgres } from '../../src/platform/db/embedded-postgres.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import type { FileEncoding } from '../../src/exports/formats/file-encoding.ts';
import { eventReader } from '../../src/events/reading/read.ts';
import { readExportedFile } from '../../src/exports/formats/read-file.ts';
import type { ExportJob, ExportReport, WorkerReady } from './export-worker.ts';
import { loadEvents } from './export-data.ts';
import { CONNECTORX, parquetPeers, PG2PARQUET } from './export-peers.ts';
import { checkLines, commandCase, postmaster, ROWS, selectOf, type Setting } from './export-setting.ts';
import {
  atLeast,
  atMost,
  compare,
  interleave,
  requireProgram,
  serverCpuMs,
  type Bench,
  type Case,
  type Goal,
  type Sample,
} from '../measure.ts';

const LARGE_ROWS = 2_000_000;
const ROUNDS = 3;
const MAX_ADDED_RSS_MB = 120;
const MAX_GROWTH = 1.2;
const GZIP_LINES: FileEncoding = { format: 'JSONLines', compression: 'gzip' };
const ZSTD_PARQUET: FileEncoding = { format: 'Parquet', compression: 'zstd' };

export const bench: Bench = async ({ large, log }) => {
  for (const program of ['psql', 'gzip', 'zstd']) await requireProgram(program);
  const directory = await mkdtemp(path.join(tmpdir(), 'sluice-bench-'));
  // Under root, Postgres runs as another user. If that user cannot enter this folder, the cluster is kept elsewhere, and never removed.
  await chmod(directory, 0o755);
  const server = await startEmbeddedPostgres({ directory: path.join(directory, 'postgres'), port: 0, durable: false });
  const pool = createPool({ url: server.url, applicationName: 'sluice-bench' });
  try {
    await migrate(server.url);
    log(`storing ${ROWS} events`);
    const slice = await loadEvents(pool, ROWS);
    const setting = { url: server.url, pool, directory, slice, postgres: await postmaster(pool) };
    const { cases, goals } = await compareSpeed(setting, log);
    const small = await exportOnce(setting, GZIP_LINES);
    goals.push(
      addedMemory('JSON lines, gzip', ROWS, small),
      addedMemory(PARQUET, ROWS, await exportOnce(setting, ZSTD_PARQUET)),
    );
    if (large) {
      log(`storing ${LARGE_ROWS} events`);
      const largeSetting = { ...setting, slice: await loadEvents(pool, LARGE_ROWS) };
      const many = await exportOnce(largeSetting, GZIP_LINES);
      const growth = many.wallMs / small.wallMs / (LARGE_ROWS / ROWS);
      goals.push(
        addedMemory('JSON lines, gzip', LARGE_ROWS, many),
        addedMemory(PARQUET, LARGE_ROWS, await exportOnce(largeSetting, ZSTD_PARQUET)),
        atMost(`wall time per row at ${LARGE_ROWS} rows ÷ at ${ROWS} rows`, growth, MAX_GROWTH),
      );
    } else log(`${LARGE_ROWS} rows: skipped; measured only with --large`);
    return { name: 'export', cases, goals };
  } finally {
    await pool.end();
    await server.stop('immediate');
    await rm(directory, { recursive: true, force: true });
  }
};

const GZIP_BASELINE = 'baseline: psql COPY (row_to_json) | gzip -6';
const ZSTD_BASELINE = 'psql | zstd -3';
const PARQUET = 'Parquet, zstd';

async function compareSpeed(setting: Setting, log: (line: string) => void) {
  const worker = await startWorker(setting.url);
  const cases = [
    linesCase(GZIP_BASELINE, 'gzip -6', setting),
    workerCase('JSON lines, gzip', GZIP_LINES, worker, setting),
    linesCase(ZSTD_BASELINE, 'zstd -3 -q', setting),
    workerCase('JSON lines, zstd', { format: 'JSONLines', compression: 'zstd' }, worker, setting),
    linesCase('psql, no compression', 'cat', setting),
    workerCase('JSON lines, no compression', { format: 'JSONLines', compression: null }, worker, setting),
    workerCase('CSV, zstd', { format: 'CSV', compression: 'zstd' }, worker, setting),
    workerCase(PARQUET, ZSTD_PARQUET, worker, setting),
    workerCase('Parquet, snappy', { format: 'Parquet', compression: 'snappy' }, worker, setting),
    ...(await parquetPeers(setting, log)),
  ];
  try {
    const samples = await interleave(cases, ROUNDS, log);
    const goal = (name: string, peer: string, least: number): Goal[] => {
      const [ours, theirs] = [samples.get(name)!, samples.get(peer)];
      return theirs
        ? [atLeast(`${name}: wall time of “${peer}” ÷ ours`, compare('', ours, theirs).wall_ratio, least)]
        : [];
    };
    return {
      cases: cases.map(({ name }) => compare(name, samples.get(name)!, samples.get(GZIP_BASELINE)!)),
      goals: [
        ...goal('JSON lines, gzip', GZIP_BASELINE, 1.6),
        ...goal('JSON lines, zstd', ZSTD_BASELINE, 1),
        ...goal(PARQUET, PG2PARQUET, 1.25),
        ...goal(PARQUET, CONNECTORX, 1),
      ],
    };
  } finally {
    worker.process.disconnect();
  }
}

/** The command that a person would write by hand. COPY's text format doubles backslashes, so its output is not quite JSON. */
function linesCase(name: string, compressor: string, setting: Setting): Case {
  const file = path.join(setting.directory, 'shell.out');
  const env = { COPY: `copy (select row_to_json(e) from (${selectOf(setting)}) e) to stdout` };
  return commandCase(name, `psql -X -q "$URL" -c "$COPY" | ${compressor} > ${file}`, env, setting, () =>
    checkLines(file, compressor.split(' ')[0]!, ROWS),
  );
}

type Worker = { process: ChildProcess; idleRssMb: number; run(job: ExportJob): Promise<ExportReport> };

async function startWorker(url: string): Promise<Worker> {
  const child = fork(fileURLToPath(new URL('./export-worker.ts', import.meta.url)), [url]);
  const answers = on(child, 'message', { close: ['exit'] });
  const next = async <T>(): Promise<T> => {
    const { value, done } = (await answers.next()) as IteratorResult<[T], void>;
    if (done || !value) throw new Error('The exporting process ended');
    return value[0];
  };
  const { idleRssMb } = await next<WorkerReady>();
  return {
    process: child,
    idleRssMb,
    run(job) {
      child.send(job);
      return next<ExportReport>();
    },
  };
}

function workerCase(name: string, encoding: FileEncoding, worker: Worker, setting: Setting): Case {
  return {
    name,
    async run() {
      const postgresBefore = serverCpuMs(setting.postgres);
      const report = await exportChecked(worker, encoding, setting);
      const cpuMs = report.cpuMs + serverCpuMs(setting.postgres) - postgresBefore;
      return { wallMs: report.wallMs, cpuMs, rssMb: report.peakRssMb } satisfies Sample;
    },
  };
}

/** Exports the interval and checks that every row arrived: by count and digest against the source, and by the hash of each file read back. */
async function exportChecked(worker: Worker, encoding: FileEncoding, { pool, slice, directory }: Setting) {
  const file = path.join(directory, 'worker');
  const report = await worker.run({ slice, encoding, file });
  const source = await eventReader(pool).digest(slice);
  const digest = report.summaries.reduce((sum, summary) => sum + BigInt(summary.digest), 0n);
  if (report.rows !== source.rows || BigInt.asUintN(64, digest).toString() !== source.digest) {
    throw new Error(
      `${report.rows} rows were exported, ${source.rows} are in the interval; if the numbers agree, the contents differ`,
    );
  }
  for (const [n, summary] of report.summaries.entries()) {
    const read = await readExportedFile(createReadStream(`${file}-${n}`), encoding, undefined);
    if (read.rows !== summary.rows || read.contentSha256 !== summary.contentSha256) {
      throw new Error(`${file}-${n} does not hold what was written`);
    }
    await rm(`${file}-${n}`);
  }
  return report;
}

type FirstExport = ExportReport & { idleRssMb: number };

/** Exports in a new process, which has used no memory for other exports. */
async function exportOnce(setting: Setting, encoding: FileEncoding): Promise<FirstExport> {
  const worker = await startWorker(setting.url);
  try {
    return { ...(await exportChecked(worker, encoding, setting)), idleRssMb: worker.idleRssMb };
  } finally {
    worker.process.disconnect();
  }
}

function addedMemory(name: string, rows: number, { peakRssMb, idleRssMb }: FirstExport): Goal {
  return atMost(`${name}, ${rows} rows: MB added to an idle process`, peakRssMb - idleRssMb, MAX_ADDED_RSS_MB);
}
