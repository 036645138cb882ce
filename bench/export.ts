/**
 * One closed data interval from Postgres to compressed files, beside what a shell can do: `psql COPY (row_to_json) | gzip`.
 * The same rows, columns and server for all; every file is unpacked and its rows are counted.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { on } from 'node:events';
import { createReadStream } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';
import { createPool, type Pool } from '../src/db/connection.ts';
import { startEmbeddedPostgres } from '../src/db/embedded-postgres.ts';
import { migrate } from '../src/db/migrate.ts';
import type { Compression } from '../src/destinations/contract.ts';
import { eventReader } from '../src/events/read.ts';
import { columnsOf, selectionOf, selectList, type Slice } from '../src/events/selection.ts';
import type { ExportJob, ExportReport, WorkerReady } from './export-worker.ts';
import { loadEvents, PROJECT } from './export-data.ts';
import {
  atLeast,
  atMost,
  compare,
  interleave,
  parentOf,
  requireProgram,
  runShell,
  serverCpuMs,
  type Bench,
  type Case,
  type Goal,
  type Sample,
} from './measure.ts';

const ROWS = 100_000;
const LARGE_ROWS = 2_000_000;
const ROUNDS = 3;
const MAX_ADDED_RSS_MB = 120;
const MAX_GROWTH = 1.2;

export const bench: Bench = async ({ large, log }) => {
  for (const program of ['psql', 'gzip', 'zstd']) await requireProgram(program);
  const directory = await mkdtemp(path.join(tmpdir(), 'sluice-bench-'));
  // Under root Postgres is another user, and would keep its cluster elsewhere, where nobody removes it.
  await chmod(directory, 0o755);
  const server = await startEmbeddedPostgres({ directory: path.join(directory, 'postgres'), port: 0, durable: false });
  const pool = createPool({ url: server.url, applicationName: 'sluice-bench' });
  try {
    await migrate(server.url);
    log(`storing ${ROWS} events`);
    const slice = await loadEvents(pool, ROWS);
    const setting = { url: server.url, pool, directory, slice, postgres: await postmaster(pool) };
    const { cases, goals } = await compareSpeed(setting, log);
    const small = await exportOnce(setting);
    goals.push(addedMemory(ROWS, small));
    if (large) {
      log(`storing ${LARGE_ROWS} events`);
      const many = await exportOnce({ ...setting, slice: await loadEvents(pool, LARGE_ROWS) });
      goals.push(addedMemory(LARGE_ROWS, many));
      const growth = many.wallMs / small.wallMs / (LARGE_ROWS / ROWS);
      goals.push(atMost(`wall per row at ${LARGE_ROWS} rows, of that at ${ROWS}`, growth, MAX_GROWTH));
    } else log(`${LARGE_ROWS} rows: measured with --large`);
    return { name: 'export', cases, goals };
  } finally {
    await pool.end();
    await server.stop('immediate');
    await rm(directory, { recursive: true, force: true });
  }
};

type Setting = {
  url: string;
  pool: Pool;
  directory: string;
  slice: Slice;
  /** Process id of the whole server. */
  postgres: number;
};

async function postmaster(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  return parentOf(rows[0]!.pid);
}

async function compareSpeed(setting: Setting, log: (line: string) => void) {
  const worker = await startWorker(setting.url);
  const gzipLimit = shellCase('limit: psql COPY (row_to_json) | gzip -6', 'gzip -6', setting);
  const zstdLimit = shellCase('psql | zstd -3', 'zstd -3 -q', setting);
  const cases = [
    gzipLimit,
    workerCase('JSON lines, gzip', 'gzip', worker, setting),
    zstdLimit,
    workerCase('JSON lines, zstd', 'zstd', worker, setting),
    shellCase('psql, no compression', 'cat', setting),
    workerCase('JSON lines, no compression', null, worker, setting),
  ];
  try {
    const samples = await interleave(cases, ROUNDS, log);
    const of = (name: string) => samples.get(name)!;
    const results = cases.map(({ name }) => compare(name, of(name), of(gzipLimit.name)));
    const gzip = compare('', of('JSON lines, gzip'), of(gzipLimit.name)).wall_ratio;
    const zstd = compare('', of('JSON lines, zstd'), of(zstdLimit.name)).wall_ratio;
    return {
      cases: results,
      goals: [
        atLeast('JSON lines, gzip: wall, of psql | gzip -6', gzip, 1.6),
        atLeast('JSON lines, zstd: wall, of psql | zstd -3', zstd, 1),
      ],
    };
  } finally {
    worker.process.disconnect();
  }
}

const UNPACK: Record<string, () => zlib.Gunzip | zlib.ZstdDecompress> = {
  gzip: zlib.createGunzip,
  zstd: zlib.createZstdDecompress,
};

/** What one would write by hand. COPY's text format doubles backslashes, so what it gives is not quite JSON. */
function shellCase(name: string, compressor: string, { url, slice, directory, postgres }: Setting): Case {
  const file = path.join(directory, 'shell.out');
  const select = `select row_to_json(e) from (select ${selectList(slice.content, selectionOf(slice.content), columnsOf(slice.content, 'files'))} from events where project_id = ${PROJECT}
    and interval_time >= '${slice.start}' and interval_time < '${slice.end}' and inserted_at < '${slice.cutoff}') e`;
  const env = { ...process.env, URL: url, COPY: `copy (${select}) to stdout` };
  return {
    name,
    async run() {
      const postgresBefore = serverCpuMs(postgres);
      const sample = await runShell(`psql -X -q "$URL" -c "$COPY" | ${compressor} > ${file}`, env);
      const cpuMs = sample.cpuMs + serverCpuMs(postgres) - postgresBefore;
      await checkRows(file, compressor.split(' ')[0]!, ROWS);
      return { ...sample, cpuMs };
    },
  };
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

function workerCase(name: string, compression: Compression | null, worker: Worker, setting: Setting): Case {
  return {
    name,
    async run() {
      const postgresBefore = serverCpuMs(setting.postgres);
      const report = await exportChecked(worker, compression, setting);
      const cpuMs = report.cpuMs + serverCpuMs(setting.postgres) - postgresBefore;
      return { wallMs: report.wallMs, cpuMs, rssMb: report.peakRssMb } satisfies Sample;
    },
  };
}

/** Exports the interval and checks that every row arrived: counted, digested as at the source, and as the hash says. */
async function exportChecked(worker: Worker, compression: Compression | null, { pool, slice, directory }: Setting) {
  const file = path.join(directory, `worker-${compression}`);
  const report = await worker.run({ slice, compression, file });
  const source = await eventReader(pool).digest(slice);
  const digest = report.summaries.reduce((sum, summary) => sum + BigInt(summary.digest), 0n);
  if (report.rows !== source.rows || BigInt.asUintN(64, digest).toString() !== source.digest) {
    throw new Error(`${report.rows} rows were exported of ${source.rows}, or others`);
  }
  for (const [n, summary] of report.summaries.entries()) {
    const sha256 = await checkRows(`${file}-${n}`, compression ?? 'cat', summary.rows);
    if (sha256 !== summary.contentSha256) throw new Error(`${file}-${n} does not hold what was hashed`);
    await rm(`${file}-${n}`);
  }
  return report;
}

/** @returns the sha256 of the unpacked content */
async function checkRows(file: string, compressor: string, expected: number): Promise<string> {
  const hash = createHash('sha256');
  let lines = 0;
  const count = async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      hash.update(chunk);
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++;
    }
  };
  const unpack = UNPACK[compressor];
  await (unpack ? pipeline(createReadStream(file), unpack(), count) : pipeline(createReadStream(file), count));
  if (lines !== expected) throw new Error(`${file} holds ${lines} rows instead of ${expected}`);
  return hash.digest('hex');
}

type FirstExport = ExportReport & { idleRssMb: number };

/** With gzip, in a process that has done nothing before. */
async function exportOnce(setting: Setting): Promise<FirstExport> {
  const worker = await startWorker(setting.url);
  try {
    return { ...(await exportChecked(worker, 'gzip', setting)), idleRssMb: worker.idleRssMb };
  } finally {
    worker.process.disconnect();
  }
}

function addedMemory(rows: number, { peakRssMb, idleRssMb }: FirstExport): Goal {
  return atMost(`JSON lines, gzip, ${rows} rows: MB added to an idle process`, peakRssMb - idleRssMb, MAX_ADDED_RSS_MB);
}
