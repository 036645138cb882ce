/**
 * Backfills: headers over run requests, which overlapping backfills share. A header says which intervals it wants, as ranges of the
 * export's tiling; its requests are written in batches, each in a transaction of its own, so a backfill may have any size.
 */
import { randomUUID } from 'node:crypto';
import type { Knex } from '../../platform/db/connection.ts';
import { NotFound } from '../../platform/errors.ts';
import { keysetOf, newestFirst } from '../../platform/http/parameters/keyset.ts';
import type { PageWindow } from '../../platform/http/parameters/pagination.ts';
import { backfillEnds, resultSql } from './backfill-ends.store.ts';
import { replacedRunStore } from './replaced-runs.store.ts';
import { isoMicros, millisOf } from '../domain/instants.ts';
import { intervalsEnding, type DataInterval, type Tiling } from '../domain/intervals.ts';
import { isLive, type BackfillStatus } from '../domain/statuses.ts';
import type { ExportInterval } from '../deliveries/epoch-lease.store.ts';
import { runRequestStore, type RequestKind } from '../runs/run-requests.store.ts';

export type Backfill = {
  id: string;
  projectId: number;
  batchExportId: string;
  kind: RequestKind;
  startAt: string;
  endAt: string;
  /** Start of the first data interval; null when there is none. */
  adjustedStartAt: string | null;
  status: BackfillStatus;
  totalRuns: number;
  finishedRuns: number;
  /** Finished runs that did not deliver. */
  failedRuns: number;
  /** Whether the backfill exceeds its project's limit, so its requests are not written before its turn. */
  waits: boolean;
  /** Rows that its runs delivered; null until all have ended. */
  totalRecords: number | null;
  createdAt: string;
  finishedAt: string | null;
  lastUpdatedAt: string;
};

type Row = {
  id: string;
  project_id: number;
  batch_export_id: string;
  kind: RequestKind;
  start_at: string;
  end_at: string;
  adjusted_start_at: string | null;
  planned_until: string | null;
  waits: boolean;
  cancelled_at: string | null;
  created_at: string;
  total_runs: string;
  finished_runs: string;
  failed_runs: string;
  total_records: string | null;
  ended_at: string | null;
};

function statusOf(row: Row): BackfillStatus {
  if (row.cancelled_at) return 'Cancelled';
  if (row.planned_until) return 'Starting';
  if (row.total_runs !== row.finished_runs) return 'Running';
  return row.failed_runs === '0' ? 'Completed' : 'Failed';
}

function backfillFrom(row: Row): Backfill {
  const status = statusOf(row);
  const hasEnded = !isLive(status);
  return {
    id: row.id,
    projectId: row.project_id,
    batchExportId: row.batch_export_id,
    kind: row.kind,
    startAt: row.start_at,
    endAt: row.end_at,
    adjustedStartAt: row.adjusted_start_at,
    status,
    totalRuns: Number(row.total_runs),
    finishedRuns: Number(row.finished_runs),
    failedRuns: Number(row.failed_runs),
    waits: row.waits,
    totalRecords: hasEnded ? Number(row.total_records ?? 0) : null,
    createdAt: row.created_at,
    finishedAt: hasEnded ? (row.ended_at ?? row.created_at) : null,
    lastUpdatedAt: row.ended_at ?? row.created_at,
  };
}

/** @param condition a condition and the clauses after it, over `batch_export_backfills` */
const backfillsWhere = (condition: string) => `
  select backfill.id, project_id, batch_export_id, kind, start_at, end_at, lower(wanted) as adjusted_start_at, planned_until,
    waits, cancelled_at, created_at, total_runs, coalesce(finished_at, last_closed_at) as ended_at,
    case when finished_at is null then counted.finished_runs else backfill.finished_runs end as finished_runs,
    case when finished_at is null then counted.failed_runs else backfill.failed_runs end as failed_runs,
    case when finished_at is null then counted.total_records else backfill.total_records end as total_records
  from (select * from batch_export_backfills where ${condition}) as backfill
  cross join lateral (${resultSql('backfill')} and backfill.finished_at is null) as counted
`;

const REQUESTS_PER_TRANSACTION = 5_000;

export type BackfillOrder = { by: 'created_at' | 'start_at'; ascending: boolean };
const NEWEST_FIRST: BackfillOrder = { by: 'created_at', ascending: false };

const AFTER_ALL = { createdAt: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };
const BEFORE_ALL = { createdAt: '-infinity', id: '00000000-0000-0000-0000-000000000000' };

/** `wanted`: data intervals, oldest first, neighbours joined to one. */
export type NewBackfill = {
  projectId: number;
  batchExportId: string;
  kind: RequestKind;
  start: number;
  end: number;
  wanted: readonly DataInterval[];
  totalRuns: number;
  /** Requests of a waiting backfill are not written before its turn. */
  waits?: boolean;
  /** Ids of runs in progress that its own ones replace. */
  replaces?: readonly string[];
};

export function backfillStore(db: Knex) {
  const table = () => db('batch_export_backfills');
  const requests = runRequestStore(db);

  async function get(projectId: number, batchExportId: string, id: string): Promise<Backfill> {
    const { rows } = await db.raw<{ rows: Row[] }>(
      backfillsWhere('project_id = ? and batch_export_id = ? and id = ?'),
      [projectId, batchExportId, id],
    );
    if (!rows[0]) throw new NotFound();
    return backfillFrom(rows[0]);
  }

  /** The rest of the wanted ranges, whose requests are not written yet. */
  async function findRangesLeft(id: string): Promise<DataInterval[]> {
    const { rows } = await db.raw<{ rows: { from: string; to: string }[] }>(
      `select greatest(lower(range), planned_until) as "from", upper(range) as "to"
       from batch_export_backfills, unnest(wanted) as range where id = ? and upper(range) > planned_until order by 1`,
      [id],
    );
    return rows.map(({ from, to }) => ({ start: millisOf(from), end: millisOf(to) }));
  }

  return {
    /** @throws NotFound */
    get,

    /** Lists in the requested order, by default the newest first; the `createdAt` of a position is the value of the sort column. */
    async list(
      projectId: number,
      batchExportId: string,
      page: PageWindow,
      { by, ascending }: BackfillOrder = NEWEST_FIRST,
    ): Promise<Backfill[]> {
      const { sign, order, edge = ascending ? BEFORE_ALL : AFTER_ALL } = keysetOf(page, { ascending });
      const { rows } = await db.raw<{ rows: Row[] }>(
        `${backfillsWhere(`project_id = ? and batch_export_id = ? and (${by}, id) ${sign} (?, ?)
           order by ${by} ${order}, id ${order} limit ?`)} order by ${by} ${order}, backfill.id ${order}`,
        [projectId, batchExportId, edge.createdAt, edge.id, page.limit],
      );
      return newestFirst(rows.map(backfillFrom), page);
    },

    /** Inserts a header; `writeRequests` writes its requests. */
    async open(header: NewBackfill): Promise<string> {
      const id = randomUUID();
      await db.raw(
        `insert into batch_export_backfills
           (id, project_id, batch_export_id, kind, start_at, end_at, total_runs, planned_until, waits, replaces, wanted)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (
           select coalesce(range_agg(tstzrange(start, "end")), '{}') from unnest(?::timestamptz[], ?::timestamptz[]) as t (start, "end")
         ))`,
        [
          id,
          header.projectId,
          header.batchExportId,
          header.kind,
          isoMicros(header.start),
          isoMicros(header.end),
          header.totalRuns,
          header.wanted[0] ? isoMicros(header.wanted[0].start) : null,
          header.waits ?? false,
          [...(header.replaces ?? [])],
          header.wanted.map(({ start }) => isoMicros(start)),
          header.wanted.map(({ end }) => isoMicros(end)),
        ],
      );
      return id;
    },

    /**
     * Writes a batch of the requests that a backfill still lacks; call it in a transaction. An open request of the same interval
     * is shared, not repeated. @returns whether requests are left to be written
     */
    async writeRequests(id: string, tiling: Tiling): Promise<boolean> {
      const header = (await table().where({ id }).whereNotNull('planned_until').forNoKeyUpdate().first()) as
        { batch_export_id: string; kind: RequestKind } | undefined;
      if (!header) return false;
      const batch = firstIntervals(tiling, await findRangesLeft(id), REQUESTS_PER_TRANSACTION);
      const requestIds = await requests.open(header.batch_export_id, batch, header.kind);
      await db.raw(
        'insert into batch_export_backfill_requests (backfill_id, request_id) select ?, id from unnest(?::uuid[]) as id',
        [id, requestIds],
      );
      const hasMore = batch.length === REQUESTS_PER_TRANSACTION;
      await table()
        .where({ id })
        .update({ planned_until: hasMore ? isoMicros(batch.at(-1)!.end) : null });
      return hasMore;
    },

    /**
     * Removes an interval from the backfills of its export that have not written a request for it yet.
     * @param replacedRunId if given, only from those that replace this run
     */
    async removeInterval({ exportId, start, end }: ExportInterval, replacedRunId: string | null = null): Promise<void> {
      await db.raw(
        `update batch_export_backfills
         set wanted = wanted - tstzmultirange(tstzrange(:start, :end)), total_runs = total_runs - 1
         where batch_export_id = :exportId and finished_at is null and planned_until <= :start
           and wanted @> tstzrange(:start, :end) and (:replacedRunId::uuid is null or :replacedRunId = any (replaces))`,
        { exportId, start, end, replacedRunId },
      );
    },

    /** Returns the given intervals that no backfill will request; a backfill that waits for its turn counts too. */
    async listUnrequested(batchExportId: string, intervals: readonly DataInterval[]): Promise<DataInterval[]> {
      const { rows } = await db.raw<{ rows: { number: number }[] }>(
        `select number::int from unnest(:starts::timestamptz[], :ends::timestamptz[]) with ordinality as wanted (start, "end", number)
         where not exists (
           select from batch_export_backfills where batch_export_id = :batchExportId and finished_at is null
             and planned_until <= wanted.start and batch_export_backfills.wanted @> tstzrange(wanted.start, wanted."end"))
         order by number`,
        {
          batchExportId,
          starts: intervals.map(({ start }) => isoMicros(start)),
          ends: intervals.map(({ end }) => isoMicros(end)),
        },
      );
      return rows.map(({ number }) => intervals[number - 1]!);
    },

    /** Ids of an export's backfills with requests left to write, oldest first: either those that wait for their turn, or the others. */
    async listUnwritten(batchExportId: string, { waiting }: { waiting: boolean }): Promise<string[]> {
      const rows = (await table()
        .where({ batch_export_id: batchExportId, waits: waiting })
        .whereNull('finished_at')
        .whereNotNull('planned_until')
        .orderBy('created_at')
        .select('id')) as { id: string }[];
      return rows.map(({ id }) => id);
    },

    /** Begins a waiting backfill, whose turn it is. */
    async endWaiting(id: string): Promise<void> {
      await table().where({ id }).update({ waits: false });
    },

    /** Keeps a backfill from changing until the transaction ends. @throws NotFound */
    async lock(projectId: number, batchExportId: string, id: string): Promise<Backfill> {
      await table().where({ project_id: projectId, batch_export_id: batchExportId, id }).forNoKeyUpdate().first('id');
      return get(projectId, batchExportId, id);
    },

    ...backfillEnds(db),
    ...replacedRunStore(db),
  };
}

function firstIntervals(tiling: Tiling, ranges: readonly DataInterval[], limit: number): DataInterval[] {
  const first: DataInterval[] = [];
  for (const { start, end } of ranges) {
    for (const interval of intervalsEnding(tiling, start, end)) {
      first.push(interval);
      if (first.length === limit) return first;
    }
  }
  return first;
}
