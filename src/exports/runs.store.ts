/** Rows of runs: one per workflow execution, with its plan, its staged parts and its receipt. */
import { randomUUID } from 'node:crypto';
import type { Knex } from '../db/connection.ts';
import type { Receipt, StagedPart } from '../destinations/contract.ts';
import { NotFound } from '../errors.ts';
import type { Plan } from './domain/plan.ts';
import { keysetOf, newestFirst } from '../http/keyset.ts';
import type { Place } from '../http/pagination.ts';
import { OPEN_STATUSES, type RunKind, type RunStatus } from './domain/statuses.ts';

export type Run = {
  id: string;
  projectId: number;
  batchExportId: string;
  /** Half-open, ISO. */
  start: string;
  end: string;
  kind: RunKind;
  status: RunStatus;
  workflowId: string;
  workflowRunId: string;
  epoch: number | null;
  plan: Plan | null;
  receipt: Receipt | null;
  recordsCompleted: number | null;
  recordsTotalCount: number | null;
  bytesExported: number | null;
  latestError: string | null;
  cursor: string | null;
  createdAt: string;
  finishedAt: string | null;
  lastUpdatedAt: string;
};

type Row = {
  id: string;
  project_id: number;
  batch_export_id: string;
  data_interval_start: string;
  data_interval_end: string;
  kind: RunKind;
  status: RunStatus;
  workflow_id: string;
  workflow_run_id: string;
  epoch: string | null;
  plan: Plan | null;
  receipt: Receipt | null;
  records_completed: string | null;
  records_total_count: string | null;
  bytes_exported: string | null;
  latest_error: string | null;
  cursor: string | null;
  closed_by: string | null;
  created_at: string;
  finished_at: string | null;
  last_updated_at: string;
};

const numberOrNull = (text: string | null) => (text === null ? null : Number(text));

function fromRow(row: Row): Run {
  return {
    id: row.id,
    projectId: row.project_id,
    batchExportId: row.batch_export_id,
    start: row.data_interval_start,
    end: row.data_interval_end,
    kind: row.kind,
    status: row.status,
    workflowId: row.workflow_id,
    workflowRunId: row.workflow_run_id,
    epoch: numberOrNull(row.epoch),
    plan: row.plan,
    receipt: row.receipt,
    recordsCompleted: numberOrNull(row.records_completed),
    recordsTotalCount: numberOrNull(row.records_total_count),
    bytesExported: numberOrNull(row.bytes_exported),
    latestError: row.latest_error,
    cursor: row.cursor,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
    lastUpdatedAt: row.last_updated_at,
  };
}

export type NewRun = Pick<
  Run,
  'projectId' | 'batchExportId' | 'start' | 'end' | 'kind' | 'workflowId' | 'workflowRunId' | 'createdAt'
>;

/** How a run ended. `closedBy` tells who said so. */
export type RunEnd = {
  status: Exclude<RunStatus, 'Starting' | 'Running'>;
  closedBy: 'run' | 'api' | 'reconciler';
  latestError?: string;
  receipt?: Receipt;
  cursor?: string;
};

export function runStore(db: Knex) {
  const table = () => db<Row>('batch_export_runs');

  return {
    /** Makes the row of an execution, or finds the one that an earlier attempt made. */
    async open(run: NewRun): Promise<Run> {
      await table()
        .insert({
          id: randomUUID(),
          project_id: run.projectId,
          batch_export_id: run.batchExportId,
          data_interval_start: run.start,
          data_interval_end: run.end,
          kind: run.kind,
          status: 'Starting',
          workflow_id: run.workflowId,
          workflow_run_id: run.workflowRunId,
          created_at: run.createdAt,
        })
        .onConflict('workflow_run_id')
        .ignore();
      const row = await table().where({ workflow_run_id: run.workflowRunId }).first();
      return fromRow(row!);
    },

    /** @throws NotFound when this export of this project has no such run */
    async get(projectId: number, batchExportId: string, id: string): Promise<Run> {
      const row = await table().where({ project_id: projectId, batch_export_id: batchExportId, id }).first();
      if (!row) throw new NotFound();
      return fromRow(row);
    },

    /** For the engine. */
    async byId(id: string): Promise<Run> {
      const row = await table().where({ id }).first();
      if (!row) throw new NotFound();
      return fromRow(row);
    },

    async lock(id: string): Promise<Run> {
      const row = await table().where({ id }).forNoKeyUpdate().first();
      if (!row) throw new NotFound();
      return fromRow(row);
    },

    /** Newest first. */
    async list(projectId: number, batchExportId: string, place: Place): Promise<Run[]> {
      const { sign, order, edge } = keysetOf(place);
      const query = table().where({ project_id: projectId, batch_export_id: batchExportId });
      if (edge) query.whereRaw(`(created_at, id) ${sign} (?, ?)`, [edge.createdAt, edge.id]);
      const rows = await query
        .orderBy([
          { column: 'created_at', order },
          { column: 'id', order },
        ])
        .limit(place.limit);
      return newestFirst(rows.map(fromRow), place);
    },

    /** The newest runs of several exports in one query, newest first. */
    async latest(batchExportIds: readonly string[], each: number): Promise<Map<string, Run[]>> {
      const { rows } = await db.raw<{ rows: Row[] }>(
        `select run.* from unnest(?::uuid[]) as export (id)
         cross join lateral (
           select * from batch_export_runs where batch_export_id = export.id order by created_at desc, id desc limit ?
         ) as run`,
        [[...batchExportIds], each],
      );
      const byExport = new Map<string, Run[]>(batchExportIds.map((id) => [id, []]));
      for (const row of rows) byExport.get(row.batch_export_id)?.push(fromRow(row));
      return byExport;
    },

    /** The newest run of an interval; undefined when there was none. */
    async newestOfInterval(batchExportId: string, end: string): Promise<Run | undefined> {
      const row = await table()
        .where({ batch_export_id: batchExportId, data_interval_end: end })
        .orderBy('created_at', 'desc')
        .first();
      return row && fromRow(row);
    },

    /** The run that delivered an interval last. @throws NotFound when none did */
    async deliveredInterval(batchExportId: string, end: string): Promise<Run> {
      const row = await table()
        .where({ batch_export_id: batchExportId, data_interval_end: end })
        .whereNotNull('receipt')
        .orderBy('epoch', 'desc')
        .first();
      if (!row) throw new NotFound();
      return fromRow(row);
    },

    async setPlan(id: string, plan: Plan, epoch: number): Promise<void> {
      await table()
        .where({ id })
        .update({
          plan: JSON.stringify(plan),
          epoch: String(epoch),
          status: 'Running',
          records_total_count: String(plan.rows),
          last_updated_at: db.raw('clock_timestamp()'),
        } as never);
    },

    /** What went wrong last, while the run goes on. No sign of life: the attempt of a workflow that is gone fails, too. */
    async noteError(id: string, latestError: string): Promise<void> {
      await table()
        .where({ id })
        .whereIn('status', [...OPEN_STATUSES])
        .update({ latest_error: latestError });
    },

    /** Ends a run that is still open. @returns whether it was: a run ends once */
    async close(id: string, end: RunEnd): Promise<boolean> {
      const changed = await table()
        .where({ id })
        .whereIn('status', [...OPEN_STATUSES])
        .update({
          status: end.status,
          closed_by: end.closedBy,
          latest_error: end.latestError ?? null,
          ...(end.receipt && {
            receipt: JSON.stringify(end.receipt),
            records_completed: String(end.receipt.rows),
            bytes_exported: String(end.receipt.bytes),
          }),
          ...(end.cursor !== undefined && { cursor: end.cursor }),
          finished_at: db.raw('clock_timestamp()'),
          last_updated_at: db.raw('clock_timestamp()'),
        } as never);
      return changed > 0;
    },

    /** The row of an execution, if it came to have one. */
    async ofExecution(workflowRunId: string): Promise<Run | undefined> {
      const row = await table().where({ workflow_run_id: workflowRunId }).first();
      return row && fromRow(row);
    },

    /** A run whose end was lost turns out to have delivered. */
    async complete(id: string, receipt: Receipt, cursor: string): Promise<void> {
      await table()
        .where({ id })
        .update({
          status: 'Completed',
          closed_by: 'reconciler',
          latest_error: null,
          cursor,
          receipt: JSON.stringify(receipt),
          records_completed: String(receipt.rows),
          bytes_exported: String(receipt.bytes),
          last_updated_at: db.raw('clock_timestamp()'),
        } as never);
    },

    async openOf(batchExportId: string): Promise<Run[]> {
      const rows = await table()
        .where({ batch_export_id: batchExportId })
        .whereIn('status', [...OPEN_STATUSES]);
      return rows.map(fromRow);
    },

    /** Some open runs that nothing touched for a while: their workflow may be gone. Any, so that none waits for others. */
    async idleOpen(seconds: number): Promise<Run[]> {
      const rows = await table()
        .whereIn('status', [...OPEN_STATUSES])
        .whereRaw(`last_updated_at < clock_timestamp() - make_interval(secs => ?)`, [seconds])
        .orderByRaw('random()')
        .limit(2_000);
      return rows.map(fromRow);
    },

    /** The parts that are staged, by index. */
    async stagedParts(runId: string): Promise<StagedPart[]> {
      const rows = (await db('batch_export_parts').where({ run_id: runId }).orderBy('part')) as {
        staged: StagedPart;
      }[];
      return rows.map((row) => row.staged);
    },

    async stagePart(runId: string, staged: StagedPart): Promise<void> {
      await db('batch_export_parts')
        .insert({ run_id: runId, part: staged.index, staged: JSON.stringify(staged) })
        .onConflict(['run_id', 'part'])
        .merge();
      await table()
        .where({ id: runId })
        .update({ last_updated_at: db.raw('clock_timestamp()') } as never);
    },
  };
}

export type RunStore = ReturnType<typeof runStore>;
