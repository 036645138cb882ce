/**
 * The main job, end to end: a log is sent twice, exported to every destination by hourly intervals, compared with itself, and
 * exported again. Uses the public API, the destinations' own clients and `sluice capture`; knows nothing of Sluice's inside.
 */
import { randomBytes } from 'node:crypto';
import { sluiceApi, type Backfill, type Range } from './api.ts';
import { compare, totalRows } from './content.ts';
import { targetsOf, type Places, type Target } from './destinations.ts';
import { expectedOf, hoursOf, rangeOf, readLog, type RequestsByHour } from './log.ts';
import { sendLog } from './send.ts';

export type CheckOptions = Places & {
  /** Path of a log in the combined log format, plain or gzip. */
  log: string;
  apiUrl: string;
  personalApiKey: string;
  projectApiKey: string;
  projectId: number;
  /** On the hour; by default from the log's first hour to its last. */
  range?: Partial<Range>;
  /** Destinations that only the caller knows. @param name sets this check's files and tables apart from those of others */
  more?(name: string): readonly Target[];
  /** Further work on the log, while it is exported. */
  beside?(): Promise<void>;
  onStep?(sentence: string): void;
  onProgress?(title: string, backfill: Backfill): void;
};

export type DestinationReport = {
  title: string;
  exportId: string;
  /** Intervals and rows at the destination. */
  intervals: number;
  rows: number;
  /** Faults, a sentence each; empty: all is well. */
  differences: string[];
};

export type Report = {
  range: Range;
  requests: number;
  /** Lines of the log that are no requests. */
  badLines: number;
  destinations: DestinationReport[];
};

/**
 * @returns what was found at each destination
 * @throws Error when a call fails or nothing was named to export to
 */
export async function checkAccessLog(options: CheckOptions): Promise<Report> {
  const { log, projectId, onStep = () => {}, onProgress = () => {} } = options;
  const { requests: counts, badLines } = await readLog(log);
  const range = { ...rangeOf(counts), ...options.range };
  const hours = hoursOf(range);
  const requests = hours.reduce((sum, hour) => sum + (counts.get(hour) ?? 0), 0);
  const name = `access-log-${randomBytes(4).toString('hex')}`;
  const targets = [...targetsOf(options, projectId, name), ...(options.more?.(name) ?? [])];
  if (targets.length === 0) throw new Error('Name at least one destination to export to.');

  await sluiceApi(options).enterProject();
  for (const time of ['first', 'second']) {
    onStep(`Sending the log for the ${time} time: ${await sendLog(options)}`);
  }
  onStep(`Exporting ${requests} requests of ${hours.length} hours, ${range.from} to ${range.to}`);
  const [destinations] = await Promise.all([
    Promise.all(
      targets.map((target) =>
        checkTarget(target, { hours, counts }, options, (backfill) => onProgress(target.title, backfill)),
      ),
    ),
    options.beside?.(),
  ]);
  return { range, requests, badLines, destinations };
}

type Requests = { hours: readonly string[]; counts: RequestsByHour };

async function checkTarget(
  target: Target,
  { hours, counts }: Requests,
  options: CheckOptions,
  onProgress: (backfill: Backfill) => void,
): Promise<DestinationReport> {
  const api = sluiceApi(options);
  const { title, destination, interval = 'hour' } = target;
  const intervals = expectedOf(hours, counts, interval);
  const range = { from: intervals[0]!.start, to: intervals.at(-1)!.end };
  const name = `Access log to ${title}`;
  // Paused, it delivers what is asked for and nothing more: an hour that ends meanwhile would be another interval there.
  const exportId = await api.createExport({ name, model: 'events', interval, paused: true, destination });

  const first = await api.backfill(exportId, range, onProgress);
  const runs = await api.runs(exportId);
  const content = await target.read(exportId);
  const differences = [...unfinished(first), ...compare(intervals, runs, content)];

  const second = await api.backfill(exportId, range, onProgress);
  const earlier = new Set(runs.map((run) => run.id));
  const again = (await api.runs(exportId)).filter((run) => !earlier.has(run.id));
  const after = await target.read(exportId);
  differences.push(...unfinished(second), ...compare(intervals, again, after).map((what) => `second time: ${what}`));
  if (after.fingerprint !== content.fingerprint) differences.push('the second backfill changed what was there');

  return { title, exportId, intervals: content.delivered.length, rows: totalRows(content), differences };
}

function unfinished({ id, status }: Backfill): string[] {
  return status === 'Completed' ? [] : [`backfill ${id} ended as ${status}`];
}
