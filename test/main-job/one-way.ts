/** Destinations of the main job that take rows one way: a receiver that counts them, and none at all. */
import { sluiceApi, type ApiOptions, type Range, type Run } from '../../examples/access-log/api.ts';
import { startHttpReceiver } from '../support/servers/http-receiver.ts';

/** The account of two backfills: an entry after the first, and one after the same again. */
export type Arrived = {
  /** Rows of the runs. */
  rows: number[];
  /** Requests, rows and different rows that the receiver has taken in all. */
  taken?: { requests: number; rows: number; distinct: number }[];
};

/** @param range from midnight to midnight */
export async function exportToHttp(options: ApiOptions, range: Range): Promise<Arrived> {
  const receiver = await startHttpReceiver();
  try {
    const config = { url: `${receiver.url}/batch/`, body_format: 'template', gzip: true };
    const taken: NonNullable<Arrived['taken']> = [];
    const rows = await exportTwice(options, range, { type: 'HTTP', config }, () => {
      const requests = receiver.received.filter(({ isTaken }) => isTaken);
      const uuids = requests.flatMap(({ body }) => (JSON.parse(body) as { rows: { uuid: string }[] }).rows);
      const distinct = new Set(uuids.map(({ uuid }) => uuid)).size;
      taken.push({ requests: requests.length, rows: uuids.length, distinct });
    });
    return { rows, taken };
  } finally {
    await receiver.stop();
  }
}

export async function exportNowhere(options: ApiOptions, range: Range): Promise<Arrived> {
  return { rows: await exportTwice(options, range, { type: 'NoOp', config: {} }) };
}

/** @returns the rows that the runs of each time completed */
async function exportTwice(
  options: ApiOptions,
  range: Range,
  destination: { type: string; config: Record<string, unknown> },
  onceDone = () => {},
): Promise<number[]> {
  const api = sluiceApi(options);
  const name = `Access log to ${destination.type}`;
  const exportId = await api.createExport({ name, model: 'events', interval: 'day', paused: true, destination });
  const rows: number[] = [];
  const earlier = new Set<string>();
  for (let time = 0; time < 2; time++) {
    const { status } = await api.backfill(exportId, range, () => {});
    if (status !== 'Completed') throw new Error(`a backfill to ${destination.type} ended as ${status}`);
    const runs = (await api.runs(exportId)).filter(({ id }) => !earlier.has(id));
    for (const { id } of runs) earlier.add(id);
    rows.push(sumOfRows(runs));
    onceDone();
  }
  return rows;
}

const sumOfRows = (runs: readonly Run[]) => runs.reduce((sum, run) => sum + (run.records_completed ?? 0), 0);
