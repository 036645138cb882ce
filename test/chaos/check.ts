/** Source against destinations, row by row and status by status. */
import { ancestors } from '../../src/exports/destinations/iceberg/present.ts';
import { createPool, type Pool } from '../../src/platform/db/connection.ts';
import { isFileType, type Fleet, type Member } from './fleet.ts';
import type { Installation } from './installation.ts';
import type { Lake, LakeInterval } from './lake.ts';
import type { Load } from './load.ts';
import { idOf, readInterval, type Stores } from './objects.ts';
import type { Range } from './settle.ts';

export type Counts = {
  intervals: number;
  rows: number;
  lost: number;
  doubled: number;
  foreign: number;
  'completed and not there': number;
  'unlike their manifest': number;
  /** Of tables in the lake, all of which their readers may still choose. */
  snapshots: number;
  'snapshots with half an interval': number;
  'rows of other writers': number;
  'lost rows of other writers': number;
  'acknowledged and not stored': number;
  'stored twice': number;
};

type LedgerRow = {
  start: string;
  end: string;
  state: string;
  location: string | null;
  manifest: string | null;
  /** Of the interval's newest run. */
  status: string;
};

export type Checked = { counts: Counts; problems: string[] };

/** Ways to look at the places: `foreign` has the rows that another writer added to each table of the lake. */
export type Looks = { stores: Stores; lake: Lake | undefined; foreign: ReadonlyMap<string, ReadonlySet<string>> };

export async function findDifferences(
  installation: Installation,
  fleet: Fleet,
  load: Pick<Load, 'acknowledged'>,
  { stores, lake, foreign }: Looks,
  ranges: ReadonlyMap<string, Range>,
): Promise<Checked> {
  const source = createPool({ url: installation.source.url(), applicationName: 'chaos-check', maxConnections: 2 });
  const destination = createPool({
    url: installation.destination.url(),
    applicationName: 'chaos-check',
    maxConnections: 2,
  });
  const counts: Counts = {
    intervals: 0,
    rows: 0,
    lost: 0,
    doubled: 0,
    foreign: 0,
    'completed and not there': 0,
    'unlike their manifest': 0,
    snapshots: 0,
    'snapshots with half an interval': 0,
    'rows of other writers': 0,
    'lost rows of other writers': 0,
    'acknowledged and not stored': 0,
    'stored twice': 0,
  };
  const problems: string[] = [];
  /** Intervals of each table of the lake, which nobody changes any more. */
  const inLake: Record<string, Promise<LakeInterval[]>> = {};
  const report = (what: keyof Counts, count: number, where: string) => {
    counts[what] += count;
    if (count > 0) problems.push(`${count} ${what}: ${where}`);
  };

  async function checkCapture(): Promise<void> {
    const { rows } = await source.query<{ uuid: string }>('select uuid from events');
    const stored = new Set(rows.map(({ uuid }) => uuid));
    report('acknowledged and not stored', new Set(load.acknowledged).difference(stored).size, 'capture');
    report('stored twice', rows.length - stored.size, 'capture');
  }

  async function checkMember(member: Member, range: Range): Promise<void> {
    const ledger = new Map((await ledgerOf(source, member)).map((row) => [Date.parse(row.end), row]));
    const step = member.live ? 60_000 : 3_600_000;
    for (let end = range.start.getTime() + step; end <= range.end.getTime(); end += step) {
      const where = `${member.event} (${member.place.type}) until ${new Date(end).toISOString()}`;
      const wanted = new Set(
        await sourceRows(source, installation.projectId, member, new Date(end - step), new Date(end)),
      );
      const entry = ledger.get(end);
      const delivered = entry && (await deliveredRows(entry, member));
      if (!delivered) {
        if (range.occupied.has(end)) continue;
        if (entry?.status === 'Completed') report('completed and not there', 1, where);
        report('lost', wanted.size, `${where}, nothing is delivered`);
        continue;
      }
      const distinct = new Set(delivered);
      counts.intervals += 1;
      counts.rows += delivered.length;
      report('lost', wanted.difference(distinct).size, where);
      report('doubled', delivered.length - distinct.size, where);
      report('foreign', distinct.difference(wanted).size, where);
    }
  }

  async function deliveredRows(entry: LedgerRow, member: Member): Promise<string[] | undefined> {
    if (entry.state !== 'delivered' || entry.location === null) return undefined;
    const { type } = member.place;
    if (type === 'Iceberg') return rowsInLake(entry.location, member, entry.start);
    if (!isFileType(type)) return rowsInTable(entry.location, member, entry.start);
    const store = stores[type];
    const read = await readInterval(store, entry.manifest!);
    if (!read) return undefined;
    report('unlike their manifest', read.problems.length, read.problems.join('; '));
    if (read.manifest?.batch_export !== member.id) return undefined;
    return read.rows.map(idOf);
  }

  async function rowsInTable(location: string, member: Member, start: string): Promise<string[]> {
    const { rows } = await destination.query<{ uuid: string }>(
      `select uuid from ${location} where _sluice_export = $1 and _sluice_interval_time = $2`,
      [member.id, start],
    );
    return rows.map(({ uuid }) => uuid);
  }

  async function rowsInLake(location: string, { id }: Member, start: string): Promise<string[] | undefined> {
    const label = location.split('.').at(-1)!;
    const intervals = (inLake[label] ??= lake!.intervalsAt({ type: 'Iceberg', label }));
    const found = (await intervals).find((one) => one.exportId === id && Date.parse(one.start) === Date.parse(start));
    return found?.rows.map(({ uuid }) => uuid);
  }

  /** Every snapshot of every table holds whole intervals, each of one export, and nothing of other writers is lost. */
  async function checkLake({ tableAt, problemsIn, rowsOf }: Lake): Promise<void> {
    const events = new Map(fleet.members.map(({ id, event }) => [id, event]));
    for (const place of fleet.labels.filter(({ type }) => type === 'Iceberg')) {
      const table = await tableAt(place);
      const line = table ? [...ancestors(table)] : [];
      for (const problems of await problemsIn(place, line)) {
        counts.snapshots += 1;
        report('snapshots with half an interval', problems.length, problems.join('; '));
      }
      const rows = line[0] ? await rowsOf(line[0]) : [];
      const added = foreign.get(place.label) ?? new Set();
      counts['rows of other writers'] += added.size;
      report('lost rows of other writers', added.difference(new Set(rows.map(({ uuid }) => uuid))).size, place.label);
      const ours = rows.filter(({ event }) => event !== null);
      report('foreign', ours.filter(({ event, exportId }) => events.get(exportId) !== event).length, place.label);
    }
  }

  /** Every manifest anywhere is true, also those of exports that are gone, and of places that were left. */
  async function checkManifests(): Promise<void> {
    const owners = new Map(fleet.members.map((member) => [member.id, member]));
    for (const place of fleet.labels) {
      if (!isFileType(place.type)) continue;
      const store = stores[place.type];
      for (const key of await store.manifests(place)) {
        const read = await readInterval(store, key);
        if (!read) continue;
        report('unlike their manifest', read.problems.length, read.problems.join('; '));
        const owner = read.manifest && owners.get(read.manifest.batch_export);
        const event = owner?.model === 'persons' ? undefined : (owner?.event ?? 'of nobody');
        report('foreign', read.rows.filter((row) => row.event !== event).length, key);
      }
    }
  }

  try {
    await checkCapture();
    for (const member of fleet.alive()) await checkMember(member, ranges.get(member.id)!);
    await checkManifests();
    if (lake) await checkLake(lake);
    return { counts, problems };
  } finally {
    await Promise.all([source.end(), destination.end()]);
  }
}

async function ledgerOf(source: Pool, { id }: Member): Promise<LedgerRow[]> {
  const { rows } = await source.query<LedgerRow>(
    `select data_interval_start as start, data_interval_end as "end", state,
       ledger.receipt ->> 'location' as location, ledger.receipt ->> 'manifest' as manifest,
       (select status from batch_export_runs as run
        where run.batch_export_id = ledger.batch_export_id and run.data_interval_end = ledger.data_interval_end
        order by created_at desc limit 1) as status
     from batch_export_intervals as ledger where batch_export_id = $1`,
    [id],
  );
  return rows;
}

async function sourceRows(
  source: Pool,
  projectId: number,
  { event, model }: Member,
  start: Date,
  end: Date,
): Promise<string[]> {
  if (model === 'persons') return personVersions(source, projectId, start, end);
  const { rows } = await source.query<{ uuid: string }>(
    `select uuid from events
     where project_id = $1 and event = $2 and interval_time >= $3 and interval_time < $4`,
    [projectId, event, start.toISOString(), end.toISOString()],
  );
  return rows.map(({ uuid }) => uuid);
}

/** Of each distinct id whose person changed the newest version in the interval. */
async function personVersions(source: Pool, projectId: number, start: Date, end: Date): Promise<string[]> {
  const { rows } = await source.query<{ distinct_id: string; version: string }>(
    `select distinct on (distinct_id) distinct_id, version from person_versions
     where project_id = $1 and interval_time >= $2 and interval_time < $3 order by distinct_id, version desc`,
    [projectId, start.toISOString(), end.toISOString()],
  );
  return rows.map(({ distinct_id, version }) => idOf({ distinct_id, person_version: Number(version) }));
}
