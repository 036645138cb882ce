/** The tables of the lake as any reader finds them, at each snapshot of their history. */
import { setTimeout as sleep } from 'node:timers/promises';
import { digestOf } from '../../examples/access-log/content.ts';
import type { Snapshot } from '../../src/exports/destinations/iceberg/catalog.ts';
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
const intervalOf = ({ exportId, start }: Pick<LakeRow, 'exportId' | 'start'>) => `${exportId} from ${start}`;

/** Results by key, computed once; failures are computed again. */
function remembered<T>(compute: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const results = new Map<string, Promise<T>>();
  return async (key) => {
    const result = results.get(key) ?? compute(key);
    results.set(key, result);
    result.catch(() => results.delete(key));
    return result;
  };
}

/** Rows of one interval. `isForeign`: all of them are of other writers. */
type Content = { rows: number; distinct: number; digest: string; isForeign: boolean };

/** @returns nothing for an installation without a catalog */
export function lakeOf({ lake }: { lake: Pick<NonNullable<Installation['lake']>, 'table'> | undefined }) {
  if (!lake) return undefined;
  const reader = lakeReader(lake.table);
  // Manifests and files never change, and most snapshots share most of theirs.
  const filesOfManifest = remembered(reader.filesOfManifest);
  const rowsOfFile = remembered(readRows);
  const intervalsOfFile = remembered(async (url) => Map.groupBy(await rowsOfFile(url), intervalOf));
  const contents = new Map<string, Content>();

  async function readRows(url: string): Promise<LakeRow[]> {
    const rows = await reader.rowsOf(url, COLUMNS);
    return rows.map(({ uuid, event, _sluice_export: exportId, _sluice_interval_time: start }) => ({
      uuid: String(uuid),
      event: event as string | null,
      exportId: String(exportId),
      start: (start as Date).toISOString(),
    }));
  }

  /** A file that a snapshot lists twice is there twice. */
  async function filesOf(snapshot: Snapshot): Promise<string[]> {
    const manifests = await reader.manifestsOf(snapshot['manifest-list']);
    return (await Promise.all(manifests.map(filesOfManifest))).flat().sort();
  }

  async function rowsOf(snapshot: Snapshot): Promise<LakeRow[]> {
    return (await Promise.all((await filesOf(snapshot)).map(rowsOfFile))).flat();
  }

  /** The content of each interval that has rows in a snapshot; computed once for the same files. */
  async function contentOf(snapshot: Snapshot): Promise<Map<string, Content>> {
    const files = new Map<string, string[]>();
    for (const url of await filesOf(snapshot))
      for (const interval of (await intervalsOfFile(url)).keys())
        files.set(interval, [...(files.get(interval) ?? []), url]);
    const found = new Map<string, Content>();
    for (const [interval, urls] of files) {
      const key = [interval, ...urls].join('\n');
      const content = contents.get(key) ?? summarize(await rowsOfInterval(interval, urls));
      contents.set(key, content);
      found.set(interval, content);
    }
    return found;
  }

  async function rowsOfInterval(interval: string, urls: readonly string[]): Promise<LakeRow[]> {
    const read = await Promise.all(urls.map(intervalsOfFile));
    return read.flatMap((intervals) => intervals.get(interval)!);
  }

  const tableAt = async ({ label }: Pick<Place, 'label'>) => reader.loadTable(label);

  return {
    tableAt,
    rowsOf,
    /** Intervals that are delivered, in the current snapshot. */
    async intervalsAt(place: Place): Promise<LakeInterval[]> {
      const metadata = await tableAt(place);
      const line = metadata ? [...ancestors(metadata)] : [];
      const byInterval = Map.groupBy(line[0] ? await rowsOf(line[0]) : [], intervalOf);
      const last = [...deliveriesIn(line.toReversed())].at(-1)?.delivered ?? new Map<string, LastDelivery>();
      return [...last].map(([interval, { exportId, start, runId }]) => {
        return { exportId, start, runId, rows: byInterval.get(interval) ?? [] };
      });
    },
    /**
     * Looks at snapshots of a line.
     * @param line a snapshot with its ancestors, the newest first
     * @param isLookedAt all of them by default
     * @returns what is half of a delivery, or more than it, as sentences for each of these snapshots
     */
    async problemsIn(
      { label }: Pick<Place, 'label'>,
      line: readonly Snapshot[],
      isLookedAt: (snapshot: Snapshot) => boolean = () => true,
    ): Promise<string[][]> {
      const problems: string[][] = [];
      for (const { snapshot, delivered } of deliveriesIn(line.toReversed())) {
        if (!isLookedAt(snapshot)) continue;
        const found = await contentOf(snapshot);
        const where = `in snapshot ${snapshot['snapshot-id']} of ${label}`;
        problems.push([...differences(delivered, found)].map((difference) => `${difference} ${where}`));
      }
      return problems;
    },
  };
}

const summarize = (rows: readonly LakeRow[]): Content => ({
  rows: rows.length,
  distinct: new Set(rows.map(({ uuid }) => uuid)).size,
  // The rows of other writers have no uuids.
  digest: rows.some(({ uuid }) => isForeign(uuid)) ? 'of other rows' : digestOf(rows),
  isForeign: rows.every(({ uuid }) => isForeign(uuid)),
});

const NO_ROWS = summarize([]);

function* differences(
  delivered: ReadonlyMap<string, LastDelivery>,
  contents: ReadonlyMap<string, Content>,
): Generator<string> {
  for (const [interval, { rows, digest }] of delivered) {
    const found = contents.get(interval) ?? NO_ROWS;
    if (found.rows !== rows || found.distinct !== rows || found.digest !== digest)
      yield `${interval} has ${found.rows} rows, ${found.distinct} different, of ${rows}`;
  }
  for (const [interval, found] of contents)
    if (!delivered.has(interval) && !found.isForeign) yield `${interval} has ${found.rows} rows that no delivery made`;
}

type LastDelivery = { exportId: string; start: string; runId: string; rows: number; digest: string };

/**
 * The snapshots with the last delivery of each interval by then, as the snapshots' summaries say.
 * @param line the oldest first
 * @returns each time the same map, which changes with the next snapshot
 */
function* deliveriesIn(line: readonly Snapshot[]) {
  const delivered = new Map<string, LastDelivery>();
  for (const snapshot of line) {
    const value = (name: string) => snapshot.summary?.[`sluice.${name}`] ?? '';
    const exportId = value('export');
    if (exportId !== '') {
      const start = new Date(value('interval-start')).toISOString();
      const delivery = { exportId, start, runId: value('run'), rows: Number(value('rows')), digest: value('digest') };
      delivered.set(intervalOf(delivery), delivery);
    }
    yield { snapshot, delivered };
  }
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
