/**
 * A process that exports as a worker does, for `bench/export/export.ts`. Each message names one data interval to export into files; the answer
 * says what the export took. Memory sizes are those of this whole process.
 */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { createPool } from '../../src/platform/db/connection.ts';
import type { FileEncoding } from '../../src/exports/formats/file-encoding.ts';
import type { PartSummary } from '../../src/exports/formats/part-summary.ts';
import { eventReader } from '../../src/events/reading/read.ts';
import { columnsOf, type Slice } from '../../src/events/reading/selection.ts';
import { encodeFile } from '../../src/exports/formats/file.ts';
import { peakRssMb } from '../measure.ts';

export type ExportJob = { slice: Slice; encoding: FileEncoding; file: string };
export type ExportReport = {
  wallMs: number;
  cpuMs: number;
  peakRssMb: number;
  /** Rows of all parts. */
  rows: number;
  summaries: PartSummary[];
};
export type WorkerReady = { idleRssMb: number };

/** The limits by which the engine plans parts. */
const PART_LIMITS = { rows: 250_000, bytes: 256 * 1024 * 1024 };

const pool = createPool({ url: process.argv[2]!, applicationName: 'sluice-bench' });
const reader = eventReader(pool);
await pool.query('select');

async function exportInterval({ slice, encoding, file }: ExportJob): Promise<ExportReport> {
  const cpu = process.cpuUsage();
  const started = performance.now();
  const { parts } = await reader.measure(slice, PART_LIMITS);
  const columns = columnsOf(slice.content, 'files');
  const summaries: PartSummary[] = [];
  for (const part of parts) {
    const rows = reader.copy({ ...slice, ...part }, columns);
    const encoded = encodeFile(rows, { ...encoding, columns });
    await writeFile(`${file}-${summaries.length}`, encoded.bytes);
    summaries.push(encoded.summary());
  }
  const wallMs = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  return {
    wallMs,
    cpuMs: (user + system) / 1000,
    peakRssMb: peakRssMb(process.pid),
    rows: summaries.reduce((sum, { rows }) => sum + rows, 0),
    summaries,
  };
}

/** Writes as file destinations do, including the checksum of the stored bytes. */
async function writeFile(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const hash = createHash('sha256');
  const file = await open(path, 'w');
  try {
    for await (const chunk of bytes) {
      hash.update(chunk);
      await file.write(chunk);
    }
  } finally {
    await file.close();
  }
}

process.on('message', (job: ExportJob) => {
  exportInterval(job).then(
    (report) => process.send!(report),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.on('disconnect', () => void pool.end());
process.send!({ idleRssMb: process.memoryUsage.rss() / 1024 / 1024 } satisfies WorkerReady);
