/** Rows of runs: one per workflow execution, with its plan, its staged parts and its receipt. */
import { randomUUID } from 'node:crypto';
import type { Knex } from '../../platform/db/connection.ts';
import type { Receipt } from '../destinations/contract.ts';
import type { StagedPart } from '../destinations/delivery.ts';
import { NotFound, type Fault } from '../../platform/errors.ts';
import type { Plan, StoredPlan } from '../domain/plan.ts';
import { planPartStore } from './plan-parts.store.ts';
import { runLists } from './run-lists.store.ts';
import { runFromRow, type Run, type RunRow } from './run-rows.ts';
import { OPEN_STATUSES, type RunStatus } from '../domain/statuses.ts';

export type { Run };

export type NewRun = Pick<
  Run,
  'projectId' | 'batchExportId' | 'start' | 'end' | 'kind' | 'workflowId' | 'workflowRunId' | 'createdAt'
>;

/** End of a run. `closedBy`: who ended it. */
export type RunEnd = {
  status: Exclude<RunStatus, 'Starting' | 'Running'>;
  closedBy: 'run' | 'api' | 'reconciler';
  latestError?: string;
  /** Class of the error that ended it. */
  errorType?: string;
  fault?: Fault;
  /** Seconds from now to the interval's next automatic try. */
  nextTryInSeconds?: number | undefined;
  receipt?: Receipt;
  /** When the destination was read back. */
  verifiedAt?: string | undefined;
  cursor?: string;
};

/** Delivery of a run. `verifiedAt`: when the destination was read back. */
export type RunDelivery = { receipt: Receipt; cursor: string; verifiedAt?: string | undefined };

type RecordedError = { latestError: string; fault: Fault; nextTryInSeconds: number | undefined };

function faultColumns(fault: Fault | undefined) {
  return {
    error_code: fault?.code ?? null,
    error_owner: fault?.owner ?? null,
    error_field: fault?.field ?? null,
  };
}

export function runStore(db: Knex) {
  const table = () => db<RunRow>('batch_export_runs');
  const planParts = planPartStore(db);

  const secondsFromNow = (seconds: number | undefined) =>
    seconds === undefined ? null : db.raw('clock_timestamp() + make_interval(secs => ?)', [seconds]);

  /** The first backfill with an open request of the interval. */
  const firstBackfillOf = ({ batchExportId, end }: NewRun) =>
    db('batch_export_requests as request')
      .join('batch_export_backfill_requests as link', 'link.request_id', 'request.id')
      .join('batch_export_backfills as backfill', 'backfill.id', 'link.backfill_id')
      .where({ 'request.batch_export_id': batchExportId, 'request.data_interval_end': end })
      .whereRaw('request.closed_at is null and backfill.cancelled_at is null')
      .orderBy('backfill.created_at')
      .limit(1)
      .select('backfill.id');

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
          ...(run.kind !== 'scheduled' && { backfill_id: db.raw('?', [firstBackfillOf(run)]) }),
        })
        .onConflict('workflow_run_id')
        .ignore();
      const row = await table().where({ workflow_run_id: run.workflowRunId }).first();
      return runFromRow(row!);
    },

    /** @throws NotFound when this export of this project has no such run */
    async get(projectId: number, batchExportId: string, id: string): Promise<Run> {
      // tooth: run-of-project
      const row = await table().where({ project_id: projectId, batch_export_id: batchExportId, id }).first();
      if (!row) throw new NotFound();
      return runFromRow(row);
    },

    /** Finds a run of any project, for the engine. @throws NotFound */
    async getById(id: string): Promise<Run> {
      const row = await table().where({ id }).first();
      if (!row) throw new NotFound();
      return runFromRow(row);
    },

    async lock(id: string): Promise<Run> {
      const row = await table().where({ id }).forNoKeyUpdate().first();
      if (!row) throw new NotFound();
      return runFromRow(row);
    },

    ...runLists(db),
    ...planParts,

    /** The newest run of an interval; undefined when there was none. */
    async findNewestOfInterval(batchExportId: string, end: string): Promise<Run | undefined> {
      const row = await table()
        .where({ batch_export_id: batchExportId, data_interval_end: end })
        .orderBy('created_at', 'desc')
        .first();
      return row && runFromRow(row);
    },

    /** The run that delivered an interval last. @throws NotFound when none did */
    async getDeliveredRun(batchExportId: string, end: string): Promise<Run> {
      const row = await table()
        .where({ batch_export_id: batchExportId, data_interval_end: end })
        .whereNotNull('receipt')
        .orderBy('epoch', 'desc')
        .first();
      if (!row) throw new NotFound();
      return runFromRow(row);
    },

    /** Stores the plan and its parts; call it in a transaction. @returns the plan as it is stored */
    async setPlan(id: string, plan: Plan, epoch: number): Promise<StoredPlan> {
      const stored = await planParts.storeParts(id, plan);
      await table()
        .where({ id })
        .update({
          plan: stored,
          epoch: String(epoch),
          status: 'Running',
          records_total_count: String(plan.rows),
          last_updated_at: db.raw('clock_timestamp()'),
        });
      return stored;
    },

    /** Records the last error of an open run. Leaves `last_updated_at`, because an attempt may fail after its workflow is gone. */
    async recordError(id: string, { latestError, fault, nextTryInSeconds }: RecordedError): Promise<void> {
      await table()
        .where({ id })
        .whereIn('status', [...OPEN_STATUSES])
        .update({ latest_error: latestError, ...faultColumns(fault), next_try_at: secondsFromNow(nextTryInSeconds) });
    },

    /** Records why a request within an attempt is being repeated. An earlier error stays. @returns whether it was recorded */
    async recordRepeated(
      id: string,
      { latestError, fault }: Omit<RecordedError, 'nextTryInSeconds'>,
    ): Promise<boolean> {
      const updated = await table()
        .where({ id, latest_error: null })
        .whereIn('status', [...OPEN_STATUSES])
        .update({ latest_error: latestError, ...faultColumns(fault) });
      return updated > 0;
    },

    /** Clears what `recordRepeated` recorded. The error of a failed attempt stays: only such an error has a time of the next try. */
    async clearRepeated(id: string, latestError: string): Promise<void> {
      await table()
        .where({ id, latest_error: latestError, next_try_at: null })
        .whereIn('status', [...OPEN_STATUSES])
        .update({ latest_error: null, ...faultColumns(undefined) });
    },

    /** Ends a run, unless it has ended already. @returns whether this call ended it */
    async close(id: string, end: RunEnd): Promise<boolean> {
      // tooth: run-ends-once
      const updated = await table()
        .where({ id })
        .whereIn('status', [...OPEN_STATUSES])
        .update({
          status: end.status,
          closed_by: end.closedBy,
          latest_error: end.latestError ?? null,
          error_type: end.errorType ?? null,
          ...faultColumns(end.fault),
          next_try_at: secondsFromNow(end.nextTryInSeconds),
          ...(end.receipt && {
            receipt: end.receipt,
            records_completed: String(end.receipt.rows),
            bytes_exported: String(end.receipt.bytes),
          }),
          ...(end.verifiedAt !== undefined && { verified_at: end.verifiedAt }),
          ...(end.cursor !== undefined && { cursor: end.cursor }),
          finished_at: db.raw('clock_timestamp()'),
          last_updated_at: db.raw('clock_timestamp()'),
        });
      if (updated > 0) await db('batch_export_progress').where({ run_id: id }).delete();
      return updated > 0;
    },

    /** The row of an execution, if it has one. */
    async findByExecution(workflowRunId: string): Promise<Run | undefined> {
      const row = await table().where({ workflow_run_id: workflowRunId }).first();
      return row && runFromRow(row);
    },

    /** Completes a run whose end was lost but that has delivered; it finishes now, so clients that ask for newly finished runs see it. */
    async complete(id: string, { receipt, cursor, verifiedAt }: RunDelivery): Promise<void> {
      await table()
        .where({ id })
        .update({
          status: 'Completed',
          closed_by: 'reconciler',
          latest_error: null,
          error_type: null,
          ...faultColumns(undefined),
          next_try_at: null,
          cursor,
          receipt,
          records_completed: String(receipt.rows),
          bytes_exported: String(receipt.bytes),
          verified_at: verifiedAt ?? null,
          finished_at: db.raw('clock_timestamp()'),
          last_updated_at: db.raw('clock_timestamp()'),
        });
    },

    async listOpen(batchExportId: string): Promise<Run[]> {
      const rows = await table()
        .where({ batch_export_id: batchExportId })
        .whereIn('status', [...OPEN_STATUSES]);
      return rows.map(runFromRow);
    },

    /** Some open runs without an update for a while, because their workflow may be gone. The choice is random, so no run holds up others. */
    async listIdleOpen(seconds: number): Promise<Run[]> {
      const rows = await table()
        .whereIn('status', [...OPEN_STATUSES])
        .whereRaw(`last_updated_at < clock_timestamp() - make_interval(secs => ?)`, [seconds])
        .orderByRaw('random()')
        .limit(2_000);
      return rows.map(runFromRow);
    },

    /** The parts that are staged, by index. */
    async listStagedParts(runId: string): Promise<StagedPart[]> {
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
        .update({ last_updated_at: db.raw('clock_timestamp()') });
    },
  };
}
