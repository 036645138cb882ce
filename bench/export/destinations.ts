/**
 * Every destination against files of the same rows, in one run: time and the worker's CPU time. With `--large` also the memory of a worker
 * that delivers 2,000,000 rows, against 100,000. Then the cost of a commit to a table of the lake, as the table grows to 500 intervals.
 * The servers of the destinations are on the same machine, and take their part of it.
 */
import { startInstallation, type Installation } from '../installation.ts';
import {
  atLeast,
  atMost,
  compare,
  interleave,
  measurePart,
  median,
  NotMeasured,
  peakRssMb,
  serverCpuMs,
  type Bench,
  type BenchResult,
  type Case,
  type CaseResult,
  type Goal,
} from '../measure.ts';
import { measureCommits } from './commits.ts';
import { ICEBERG, LOCAL_FILE, PARQUET_ON_S3, startPlaces, type Places } from './places.ts';
import { exportOnce, measureAddedMb, storeEvents, withWorkerProcess } from './export-once.ts';

const ROWS = 100_000;
const LARGE_ROWS = 2_000_000;
const ROUNDS = 3;
const MAX_GROWTH_MB = 64;

type Log = (line: string) => void;

export const bench: Bench = async ({ large, log }) => {
  const result: Required<BenchResult> = { name: 'destinations', cases: [], goals: [], missing: [] };
  const installation = await startInstallation({ allowedHosts: ['127.0.0.1', 'localhost'] });
  const places = await startPlaces().catch(async (error: Error) => {
    await installation.close();
    throw new NotMeasured(error.message);
  });
  try {
    await measurePart(result, 'speed', () => compareSpeed(installation, places, log));
    if (large)
      await measurePart(result, 'memory', async () => ({ goals: await measureMemory(installation, places, log) }));
    else log(`memory at ${LARGE_ROWS} rows: skipped; measured only with --large`);
    await measurePart(result, 'commits', async () => ({ goals: await measureCommits(log) }));
    return result;
  } finally {
    await places.stop();
    await installation.close();
  }
};

async function compareSpeed(
  installation: Installation,
  { destinations }: Places,
  log: Log,
): Promise<{ cases: CaseResult[]; goals: Goal[] }> {
  log(`storing ${ROWS} events`);
  const slice = await storeEvents(installation, ROWS);
  return withWorkerProcess(installation, undefined, async (pid) => {
    const cases = Object.entries(destinations).map(([name, build]): Case => ({
      name,
      async run() {
        const cpu = serverCpuMs(pid);
        const seconds = await exportOnce(installation, slice, ROWS, build());
        return { wallMs: seconds * 1000, cpuMs: serverCpuMs(pid) - cpu, rssMb: peakRssMb(pid) };
      },
    }));
    const samples = await interleave(cases, ROUNDS, log);
    for (const [name, measured] of samples) {
      const wall = median(measured.map(({ wallMs }) => wallMs));
      const cpu = median(measured.map(({ cpuMs }) => cpuMs));
      log(
        `${name}: ${((ROWS / wall) * 1000).toFixed(0)} rows a second, ${((cpu / ROWS) * 1000).toFixed(1)} µs of CPU a row`,
      );
    }
    const { wall_ratio: ratio } = compare('', samples.get(ICEBERG)!, samples.get(PARQUET_ON_S3)!);
    return {
      cases: cases.map(({ name }) => compare(name, samples.get(name)!, samples.get(LOCAL_FILE)!)),
      goals: [atLeast(`${ICEBERG}: wall time of “${PARQUET_ON_S3}” ÷ ours`, ratio, 0.8)],
    };
  });
}

/** One part at a time, because the number of parts at once is a setting, and grows with the rows up to it. */
async function measureMemory(installation: Installation, { destinations }: Places, log: Log): Promise<Goal[]> {
  const added = new Map<string, number[]>();
  for (const rows of [ROWS, LARGE_ROWS]) {
    log(`storing ${rows} events`);
    const slice = await storeEvents(installation, rows);
    for (const [name, build] of Object.entries(destinations)) {
      const { idle, peak } = await measureAddedMb(
        installation,
        () => exportOnce(installation, slice, rows, build()),
        1,
      );
      log(`${name}, ${rows} rows: ${idle.toFixed(0)} MB idle, ${peak.toFixed(0)} MB at most`);
      added.set(name, [...(added.get(name) ?? []), peak - idle]);
    }
  }
  return [...added].map(([name, [few = 0, many = 0]]) =>
    atMost(`${name}: MB that ${LARGE_ROWS} rows add to those of ${ROWS}`, many - few, MAX_GROWTH_MB),
  );
}
