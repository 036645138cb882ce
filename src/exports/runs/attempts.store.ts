/** Attempts of the steps of runs. For each run the first attempt and the newest ones are stored. */
import type { Knex } from '../../platform/db/connection.ts';
import type { Fault, FaultOwner } from '../../platform/errors.ts';

export const ATTEMPT_STEPS = ['plan', 'stage', 'commit', 'verify'] as const;
export type AttemptStep = (typeof ATTEMPT_STEPS)[number];

/** One attempt of one step; parts that are staged at once share one attempt. Instants are ISO. */
export type StepAttempt = {
  attempt: number;
  step: AttemptStep;
  startedAt: string;
  /** null while the attempt is under way, or if it was cut off. */
  finishedAt: string | null;
  error: (Fault & { detail: string; nextTryAt: string | null }) | null;
};

export type StepKey = { runId: string; step: AttemptStep; attempt: number };
export type StepError = { detail: string; fault: Fault; nextTryInSeconds: number | undefined };

type Row = {
  attempt: number;
  step: AttemptStep;
  started_at: string;
  finished_at: string | null;
  error_code: string | null;
  error_owner: FaultOwner | null;
  error_field: string | null;
  error_detail: string | null;
  next_try_at: string | null;
};

/**
 * Limit of a run's stored attempts besides the first, because Sluice tries an unavailable destination for hours. Above the limit, numbers may
 * go backwards: `findLatestNumber` no longer finds the attempts of an earlier step.
 */
export const MAX_KEPT_ATTEMPTS = 100;

export function attemptStore(db: Knex) {
  const table = () => db('batch_export_attempts');

  return {
    /** Begins an attempt, or the staging of another part in it. */
    async begin({ runId, step, attempt }: StepKey): Promise<void> {
      await db.raw(
        `insert into batch_export_attempts as stored (run_id, attempt, step) values (?, ?, ?)
         on conflict (run_id, attempt, step) do update set under_way = stored.under_way + 1, finished_at = null`,
        [runId, attempt, step],
      );
      if (attempt <= MAX_KEPT_ATTEMPTS + 1) return;
      await table()
        .where({ run_id: runId })
        .whereBetween('attempt', [2, attempt - MAX_KEPT_ATTEMPTS])
        .delete();
    },

    /** Ends an attempt, or the staging of one part in it. The error of a part becomes the attempt's error. */
    async end({ runId, step, attempt }: StepKey, error?: StepError): Promise<void> {
      await table()
        .where({ run_id: runId, step, attempt })
        .update({
          under_way: db.raw('greatest(under_way - 1, 0)'),
          finished_at: db.raw('case when under_way <= 1 then clock_timestamp() end'),
          ...(error && {
            error_code: error.fault.code,
            error_owner: error.fault.owner,
            error_field: error.fault.field,
            error_detail: error.detail,
            next_try_at:
              error.nextTryInSeconds === undefined
                ? null
                : db.raw('clock_timestamp() + make_interval(secs => ?)', [error.nextTryInSeconds]),
          }),
        });
    },

    /** The number of the latest attempt at any of the steps; 1 if none is recorded. */
    async findLatestNumber(runId: string, steps: readonly AttemptStep[]): Promise<number> {
      const row = await table()
        .where({ run_id: runId })
        .whereIn('step', [...steps])
        .max<{ max: number | null } | undefined>('attempt')
        .first();
      return row?.max ?? 1;
    },

    /** Attempts of a run, in the order of their start. */
    async listOfRun(runId: string): Promise<StepAttempt[]> {
      const rows = (await table().where({ run_id: runId }).orderBy(['started_at', 'attempt'])) as Row[];
      return rows.map(attemptFrom);
    },
  };
}

function attemptFrom(row: Row): StepAttempt {
  const { error_code: code, error_owner: owner, error_field: field, error_detail: detail } = row;
  return {
    attempt: row.attempt,
    step: row.step,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    error: code && owner && detail !== null ? { code, owner, field, detail, nextTryAt: row.next_try_at } : null,
  };
}
