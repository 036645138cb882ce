/** The tables of the lake as any reader finds them, at each snapshot of their history. */
import { setTimeout as sleep } from 'node:timers/promises';
import { digestOf } from '../../examples/access-log/content.ts';
import type { Snapshot, TableMetadata } from '../../src/exports/destinations/iceberg/catalog.ts';
import { ancestors } from '../../src/exports/destinations/iceberg/present.ts';
import { lakeReader } from '../support/exports/lake-reader.ts';
import type { Random } from '../support/random.ts';
import type { Fleet, Place } from './fleet.ts';
import type { Installation } from './installation.ts';

export type LakeRow = { uuid: string; event: string | null; exportId: string; start: string };
/** Rows of one export's interval, and the run that delivered them. */
export type LakeInterval = { exportId: string; start: string; runId: string; rows: LakeRow[] };
export type Lake = NonNullable<ReturnType<typeof lakeOf>>;

const COLUMNS = ['uuid', 'event', '_sluice_export', '_sluice_interval_time'];
const keyOf = (exportId: string, start: string) => `${exportId} from ${start}`;

/** @returns nothing for an installation without a catalog */
export function lakeOf({ lake }: Pick<Installation, 'lake'>) {
  if (!lake) return undefined;
  const reader = lakeReader(lake.table);
  // A file never changes, and most snapshots share most of their files.
  const files = new Map<string, Promise<LakeRow[]>>();

  async function rowsOfFile(url: string): Promise<LakeRow[]> {
    const rows = await reader.rowsOf(url, COLUMNS);
    return rows.map(({ uuid, event, _sluice_export: exportId, _sluice_interval_time: start }) => ({
      uuid: String(uuid),
      event: event as string | null,
      exportId: String(exportId),
      start: (start as Date).toISOString(),
    }));
  }

  function rememberedRows(url: string): Promise<LakeRow[]> {
    const rows = files.get(url) ?? rowsOfFile(url);
    files.set(url, rows);
    rows.catch(() => files.delete(url));
    return rows;
  }

  async function rowsOf(snapshot: Snapshot): Promise<LakeRow[]> {
    const urls = await reader.filesOf(snapshot['manifest-list']);
    return (await Promise.all(urls.map(rememberedRows))).flat();
  }

  const tableAt = async ({ label }: Place) => reader.loadTable(label);

  return {
    tableAt,
    rowsOf,
    /** Rows of other writers, and the intervals that are delivered, in the current snapshot. */
    async contentAt(place: Place): Promise<{ foreign: string[]; intervals: LakeInterval[] }> {
      const metadata = await tableAt(place);
      const line = metadata ? [...ancestors(metadata)] : [];
      const rows = line[0] ? await rowsOf(line[0]) : [];
      const ours = lastDeliveries(line);
      const byInterval = Map.groupBy(rows, ({ exportId, start }) => keyOf(exportId, start));
      const intervals = [...ours].map(([key, { exportId, start, runId }]) => ({
        exportId,
        start,
        runId,
        rows: byInterval.get(key) ?? [],
      }));
      return { foreign: rows.filter(({ uuid }) => isForeign(uuid)).map(({ uuid }) => uuid), intervals };
    },
    /** @returns what is half of a delivery, or more than it, in a snapshot and those before it, as sentences */
    async problemsIn({ label }: Place, line: readonly Snapshot[]): Promise<string[]> {
      const delivered = lastDeliveries(line);
      const byInterval = Map.groupBy(await rowsOf(line[0]!), ({ exportId, start }) => keyOf(exportId, start));
      const where = `in snapshot ${line[0]!['snapshot-id']} of ${label}`;
      const problems: string[] = [];
      for (const [key, { rows, digest }] of delivered) {
        const found = byInterval.get(key) ?? [];
        const distinct = new Set(found.map(({ uuid }) => uuid)).size;
        if (found.length !== rows || distinct !== rows || digestOf(found) !== digest)
          problems.push(`${key} has ${found.length} rows, ${distinct} different, of ${rows} ${where}`);
      }
      for (const [key, found] of byInterval)
        if (!delivered.has(key) && !found.every(({ uuid }) => isForeign(uuid)))
          problems.push(`${key} has ${found.length} rows that no delivery made ${where}`);
      return problems;
    },
  };
}

/** Every snapshot with its ancestors, the newest first. */
export function historyOf(metadata: TableMetadata): Snapshot[][] {
  const line = [...ancestors(metadata)];
  return line.map((_, at) => line.slice(at));
}

/** The last delivery of each interval by the snapshots' summaries. */
function lastDeliveries(line: readonly Snapshot[]) {
  const deliveries = new Map<
    string,
    { exportId: string; start: string; runId: string; rows: number; digest: string }
  >();
  for (const { summary = {} } of line) {
    const value = (name: string) => summary[`sluice.${name}`] ?? '';
    const exportId = value('export');
    if (exportId === '') continue;
    const start = new Date(value('interval-start')).toISOString();
    const key = keyOf(exportId, start);
    if (deliveries.has(key)) continue;
    deliveries.set(key, { exportId, start, runId: value('run'), rows: Number(value('rows')), digest: value('digest') });
  }
  return deliveries;
}

const FOREIGN = 'foreign';
const isForeign = (uuid: string) => uuid.startsWith(FOREIGN);

const PAUSE_MS = 8_000;

export type ForeignRows = { kept: Map<string, Set<string>>; count(): number; stop(): Promise<void> };

/** Another writer, which appends rows to our tables. A row counts once its append was acknowledged. */
export function startForeignRows({ foreign }: Installation, fleet: Fleet, random: Random): ForeignRows {
  const kept = new Map<string, Set<string>>();
  const stopping = new AbortController();
  async function work(append: NonNullable<Installation['foreign']>): Promise<void> {
    for (let number = 0; !stopping.signal.aborted; number++) {
      const places = fleet.labels.filter(({ type }) => type === 'Iceberg');
      if (places.length > 0) {
        const { label } = random.pick(places);
        const uuid = `${FOREIGN} ${number}`;
        await append(label, uuid).then(
          () => kept.set(label, (kept.get(label) ?? new Set<string>()).add(uuid)),
          () => {},
        );
      }
      await sleep(random.below(PAUSE_MS), undefined, { signal: stopping.signal }).catch(() => {});
    }
  }
  const working = foreign && work(foreign);
  return {
    kept,
    count: () => [...kept.values()].reduce((sum, { size }) => sum + size, 0),
    async stop() {
      stopping.abort();
      await working;
    },
  };
}
