/**
 * Requests: everything that the schedule did not start by itself, one row per interval, unique among the open ones. Backfills
 * are headers over such rows, so overlapping backfills share them.
 */
import { randomUUID } from 'node:crypto';
import type { Knex } from '../db/connection.ts';
import { NotFound } from '../errors.ts';
import type { Place } from '../http/pagination.ts';
import { isoMicros } from './domain/instants.ts';
import type { DataInterval } from './domain/intervals.ts';
import type { BackfillStatus, RunKind } from './domain/statuses.ts';
import { keysetOf, newestFirst } from '../http/keyset.ts';

export type RequestKind = Exclude<RunKind, 'scheduled'>;

export type ExportRequest = {
  id: string;
  exportId: string;
  start: string;
  end: string;
  kind: RequestKind;
  /** When somebody asked for it last: a run with an earlier cutoff does not answer it. */
  wantedAt: string;
  /** When the schedule was asked; null: not yet. */
  askedAt: string | null;
  /** Milliseconds since then, by the database's clock. */
  askedMillisAgo: number | null;
  /** Run id of the newest execution at that time, '' when there was none: one with another id answers the request. */
  askedAfter: string | null;
  startedDirectly: boolean;
};

type RequestRow = {
  id: string;
  batch_export_id: string;
  data_interval_start: string;
  data_interval_end: string;
  kind: RequestKind;
  wanted_at: string;
  asked_at: string | null;
  asked_millis_ago: number | null;
  asked_after: string | null;
  started_directly: boolean;
};

function requestFromRow(row: RequestRow): ExportRequest {
  return {
    id: row.id,
    exportId: row.batch_export_id,
    start: row.data_interval_start,
    end: row.data_interval_end,
    kind: row.kind,
    wantedAt: row.wanted_at,
    askedAt: row.asked_at,
    askedMillisAgo: row.asked_millis_ago,
    askedAfter: row.asked_after,
    startedDirectly: row.started_directly,
  };
}

export type Backfill = {
  id: string;
  projectId: number;
  batchExportId: string;
  kind: RequestKind;
  startAt: string;
  endAt: string;
  status: BackfillStatus;
  totalRuns: number;
  finishedRuns: number;
  createdAt: string;
  finishedAt: string | null;
  lastUpdatedAt: string;
};

type BackfillRow = {
  id: string;
  project_id: number;
  batch_export_id: string;
  kind: RequestKind;
  start_at: string;
  end_at: string;
  cancelled_at: string | null;
  created_at: string;
  total: string;
  finished: string;
  failed: string;
  last_closed_at: string | null;
};

function backfillStatus(row: BackfillRow): BackfillStatus {
  if (row.cancelled_at) return 'Cancelled';
  if (row.total !== row.finished) return 'Running';
  return row.failed === '0' ? 'Completed' : 'Failed';
}

function backfillFromRow(row: BackfillRow): Backfill {
  const status = backfillStatus(row);
  return {
    id: row.id,
    projectId: row.project_id,
    batchExportId: row.batch_export_id,
    kind: row.kind,
    startAt: row.start_at,
    endAt: row.end_at,
    status,
    totalRuns: Number(row.total),
    finishedRuns: Number(row.finished),
    createdAt: row.created_at,
    finishedAt: status === 'Running' ? null : (row.cancelled_at ?? row.last_closed_at ?? row.created_at),
    lastUpdatedAt: row.cancelled_at ?? row.last_closed_at ?? row.created_at,
  };
}

/** Counts are of rows, never kept: what a backfill says of itself cannot drift from what happened. */
const BACKFILLS = `
  select backfill.*, count(request.id) as total, count(request.closed_at) as finished,
    count(*) filter (where request.closed_at is not null and run.status is distinct from 'Completed') as failed,
    max(request.closed_at) as last_closed_at
  from batch_export_backfills as backfill
  left join batch_export_backfill_requests as link on link.backfill_id = backfill.id
  left join batch_export_requests as request on request.id = link.request_id
  left join batch_export_runs as run on run.id = request.run_id
`;

/** How many rows one statement inserts. */
const SLICE = 5_000;

const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export type NewBackfill = { projectId: number; batchExportId: string; kind: RequestKind; start: number; end: number };

export function requestStore(db: Knex) {
  const table = () => db<RequestRow>('batch_export_requests');

  /** Opens a request for each interval, or finds the open one and wants it anew. @returns their ids */
  async function openRequests(
    exportId: string,
    intervals: readonly DataInterval[],
    kind: RequestKind,
  ): Promise<string[]> {
    const { rows } = await db.raw<{ rows: { id: string }[] }>(
      `insert into batch_export_requests (id, batch_export_id, data_interval_start, data_interval_end, kind)
       select id, ?, start, "end", ? from unnest(?::uuid[], ?::timestamptz[], ?::timestamptz[]) as new (id, start, "end")
       on conflict (batch_export_id, data_interval_start, data_interval_end) where closed_at is null
       do update set wanted_at = clock_timestamp()
       returning id`,
      [
        exportId,
        kind,
        intervals.map(() => randomUUID()),
        intervals.map(({ start }) => isoMicros(start)),
        intervals.map(({ end }) => isoMicros(end)),
      ],
    );
    return rows.map((row) => row.id);
  }

  return {
    /** Opens a request without a header: for gaps, which nobody asked for. */
    async open(exportId: string, intervals: readonly DataInterval[], kind: RequestKind): Promise<number> {
      return (await openRequests(exportId, intervals, kind)).length;
    },

    /** A header and its requests. An open request of the same interval is shared, not repeated. */
    async openBackfill(header: NewBackfill, intervals: Iterable<DataInterval>): Promise<string> {
      const id = randomUUID();
      await db('batch_export_backfills').insert({
        id,
        project_id: header.projectId,
        batch_export_id: header.batchExportId,
        kind: header.kind,
        start_at: isoMicros(header.start),
        end_at: isoMicros(header.end),
      });
      for (const slice of slices(intervals, SLICE)) {
        const requestIds = await openRequests(header.batchExportId, slice, header.kind);
        await db('batch_export_backfill_requests').insert(
          requestIds.map((request_id) => ({ backfill_id: id, request_id })),
        );
      }
      return id;
    },

    /** The oldest open requests of an export. */
    async oldestOpen(exportId: string, limit: number): Promise<ExportRequest[]> {
      const rows = (await table()
        .where({ batch_export_id: exportId })
        .whereRaw('closed_at is null')
        .orderBy(['created_at', 'data_interval_end'])
        .limit(limit)
        .select(
          '*',
          db.raw('(extract(epoch from clock_timestamp() - asked_at) * 1000)::float8 as asked_millis_ago'),
        )) as RequestRow[];
      return rows.map(requestFromRow);
    },

    async countOpen(exportId: string): Promise<number> {
      const row = await table()
        .where({ batch_export_id: exportId })
        .whereRaw('closed_at is null')
        .count({ count: '*' })
        .first();
      return Number((row as { count: string }).count);
    },

    /** Exports with open requests: each needs its dispatcher. */
    async exportsWithOpen(): Promise<string[]> {
      const rows = await table().whereRaw('closed_at is null').distinct('batch_export_id');
      return rows.map((row) => row.batch_export_id);
    },

    /** What the newest open request of an interval wants; undefined when the schedule started the run by itself. */
    async kindOfOpen(exportId: string, end: string): Promise<RequestKind | undefined> {
      const row = await table()
        .where({ batch_export_id: exportId, data_interval_end: end })
        .whereRaw('closed_at is null')
        .first();
      return row?.kind;
    },

    async markAsked(id: string, askedAfter: string): Promise<void> {
      await table()
        .where({ id })
        .update({ asked_at: db.raw('clock_timestamp()'), asked_after: askedAfter, started_directly: false } as never);
    },

    async markStartedDirectly(id: string): Promise<void> {
      await table().where({ id }).update({ started_directly: true });
    },

    /** Closes what a run answers: requests of its interval that nobody wanted after what the run delivers was fixed. */
    async closeAnswered(run: { id: string; batchExportId: string; end: string; cutoff: string | null }): Promise<void> {
      if (run.cutoff === null) return;
      await table()
        .where({ batch_export_id: run.batchExportId, data_interval_end: run.end })
        .whereRaw('closed_at is null')
        .where('wanted_at', '<=', run.cutoff)
        .update({ closed_at: db.raw('clock_timestamp()'), run_id: run.id } as never);
    },

    /** Closes a request as it was read: one that somebody wanted again meanwhile stays open. */
    async close({ id, wantedAt }: ExportRequest, runId: string | null): Promise<void> {
      await table()
        .where({ id, wanted_at: wantedAt })
        .whereRaw('closed_at is null')
        .update({ closed_at: db.raw('clock_timestamp()'), run_id: runId } as never);
    },

    /** Nothing more is asked for this export. */
    async closeAll(exportId: string): Promise<void> {
      await table()
        .where({ batch_export_id: exportId })
        .whereRaw('closed_at is null')
        .update({ closed_at: db.raw('clock_timestamp()') } as never);
    },

    /** @throws NotFound */
    async getBackfill(projectId: number, batchExportId: string, id: string): Promise<Backfill> {
      const { rows } = await db.raw<{ rows: BackfillRow[] }>(
        `${BACKFILLS} where backfill.project_id = ? and backfill.batch_export_id = ? and backfill.id = ? group by backfill.id`,
        [projectId, batchExportId, id],
      );
      if (!rows[0]) throw new NotFound();
      return backfillFromRow(rows[0]);
    },

    /** Newest first. */
    async listBackfills(projectId: number, batchExportId: string, place: Place): Promise<Backfill[]> {
      const { sign, order, edge = { createdAt: 'infinity', id: LAST_UUID } } = keysetOf(place);
      const { rows } = (await db.raw(
        `${BACKFILLS} where backfill.project_id = ? and backfill.batch_export_id = ? and (backfill.created_at, backfill.id) ${sign} (?, ?)
         group by backfill.id order by backfill.created_at ${order}, backfill.id ${order} limit ?`,
        [projectId, batchExportId, edge.createdAt, edge.id, place.limit],
      )) as { rows: BackfillRow[] };
      return newestFirst(rows.map(backfillFromRow), place);
    },
  };
}

function* slices<T>(all: Iterable<T>, size: number): Generator<T[]> {
  let slice: T[] = [];
  for (const one of all) {
    slice.push(one);
    if (slice.length < size) continue;
    yield slice;
    slice = [];
  }
  if (slice.length > 0) yield slice;
}

export type RequestStore = ReturnType<typeof requestStore>;
