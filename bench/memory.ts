/**
 * The memory that exporting adds to an idle worker: a real `sluice worker`, sealed intervals, files with gzip, receipts on. The
 * worker's own peak is read from Linux, which counts everything: rows, compression, Temporal's core, the garbage.
 */
import { exportOnce, measureAddedMb, storeEvents, toLocalFiles } from './export/export-once.ts';
import { startInstallation, type Installation } from './installation.ts';
import { atMost, type Bench, type Goal } from './measure.ts';

const ROWS = 100_000;
const LARGE_ROWS = 2_000_000;
const MAX_ADDED_MB = 120;

export const bench: Bench = async ({ large, log }) => {
  const installation = await startInstallation();
  try {
    const goals: Goal[] = [];
    for (const rows of large ? [ROWS, LARGE_ROWS] : [ROWS]) {
      log(`storing ${rows} events`);
      goals.push(await measure(installation, rows, log));
    }
    return { name: 'memory', cases: [], goals };
  } finally {
    await installation.close();
  }
};

async function measure(installation: Installation, rows: number, log: (line: string) => void): Promise<Goal> {
  const slice = await storeEvents(installation, rows);
  let seconds = 0;
  const { idle, peak } = await measureAddedMb(installation, async () => {
    seconds = await exportOnce(installation, slice, rows, toLocalFiles());
  });
  log(`${rows} rows in ${seconds.toFixed(1)} s: ${idle.toFixed(0)} MB idle, ${peak.toFixed(0)} MB at most`);
  return atMost(`${rows} rows to gzip files: MB added to an idle worker`, peak - idle, MAX_ADDED_MB);
}
