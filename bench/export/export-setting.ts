/** The setting that all ways to export share: the server, the interval, and how a file's rows are counted. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import zlib from 'node:zlib';
import { parquetMetadata } from 'hyparquet';
import type { Pool } from '../../src/platform/db/connection.ts';
import { columnsOf, selectionOf, selectList, type Slice } from '../../src/events/reading/selection.ts';
import { parentOf, runShell, serverCpuMs, type Case } from '../measure.ts';

export const ROWS = 100_000;

export type Setting = {
  url: string;
  pool: Pool;
  directory: string;
  slice: Slice;
  /** Process id of the whole server. */
  postgres: number;
};

/** The process id of the whole server. */
export async function postmaster(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  return parentOf(rows[0]!.pid);
}

/** The SQL that selects the interval's rows, with the columns of a file. */
export function selectOf({ slice }: Setting): string {
  const columns = columnsOf(slice.content, 'files');
  return `select ${selectList(slice.content, selectionOf(slice.content), columns)} from events
    where project_id = ${slice.projectId} and interval_time >= '${slice.start}' and interval_time < '${slice.end}'
      and inserted_at < '${slice.cutoff}'`;
}

/** Makes a case that runs a shell command; the command gets `env` and this process's environment. */
export function commandCase(
  name: string,
  command: string,
  env: Record<string, string>,
  setting: Setting,
  check: () => Promise<unknown>,
): Case {
  return {
    name,
    async run() {
      const postgresBefore = serverCpuMs(setting.postgres);
      const sample = await runShell(command, { ...process.env, URL: setting.url, ...env });
      const cpuMs = sample.cpuMs + serverCpuMs(setting.postgres) - postgresBefore;
      await check();
      return { ...sample, cpuMs };
    },
  };
}

const UNPACK: Record<string, () => zlib.Gunzip | zlib.ZstdDecompress> = {
  gzip: zlib.createGunzip,
  zstd: zlib.createZstdDecompress,
};

/** Unpacks a file and counts its lines. @returns the sha256 of the unpacked content. @throws Error when the count is not as expected */
export async function checkLines(file: string, compressor: string, expected: number): Promise<string> {
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

/** Checks the row count that the file's metadata says. Its rows are not read here, because the tests of the format compare them. */
export async function checkParquet(file: string, expected: number): Promise<void> {
  const { buffer } = Uint8Array.from(await readFile(file));
  const { num_rows: rows } = parquetMetadata(buffer);
  if (Number(rows) !== expected) throw new Error(`${file} holds ${rows} rows instead of ${expected}`);
}
