/** The cost of a commit to a table of the lake, as the table grows. */
import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { buildRows, testInterval } from '../../test/support/exports/deliveries.ts';
import { makeIcebergPlace } from '../../test/support/exports/iceberg-place.ts';
import { atMost, median, type Goal } from '../measure.ts';

const INTERVALS = 500;
/** Number of commits before and after the tenth whose median it is. */
const AROUND = 4;
const TENTH = 9;
const MAX_GROWTH = 2;

export async function measureCommits(log: (line: string) => void): Promise<Goal[]> {
  const place = await makeIcebergPlace();
  const exportId = randomUUID();
  const wall: number[] = [];
  const cpu: number[] = [];
  for (let hour = 0; hour < INTERVALS; hour++) {
    const run = testInterval(place, {}, exportId, hour).plan([buildRows(1)]);
    const parts = await run.write();
    const cpuBefore = process.cpuUsage();
    const started = performance.now();
    await run.commit(parts);
    wall.push(performance.now() - started);
    const { user, system } = process.cpuUsage(cpuBefore);
    cpu.push((user + system) / 1000);
  }
  const read = (await place.read())!.length;
  if (read !== INTERVALS) throw new Error(`the table holds ${read} rows instead of ${INTERVALS}`);
  const [tenth, last] = [medianAround(wall, TENTH), medianAround(wall, INTERVALS - AROUND - 1)];
  const [tenthCpu, lastCpu] = [medianAround(cpu, TENTH), medianAround(cpu, INTERVALS - AROUND - 1)];
  log(
    `commits: the tenth takes ${tenth.toFixed(0)} ms and ${tenthCpu.toFixed(0)} ms of CPU, the last ${last.toFixed(0)} and ${lastCpu.toFixed(0)}`,
  );
  return [atMost(`the last commit of ${INTERVALS} to one table ÷ the tenth`, last / tenth, MAX_GROWTH)];
}

const medianAround = (values: readonly number[], at: number) => median(values.slice(at - AROUND, at + AROUND + 1));
