/** Attempts and progress of a run on the wire. */
import { nullable, stringEnum, Type, type Static } from '../../platform/schema.ts';
import { RunErrorBody } from '../faults/run-error.ts';
import { countParts } from '../domain/plan.ts';
import { ATTEMPT_STEPS, MAX_KEPT_ATTEMPTS, type StepAttempt } from './attempts.store.ts';
import type { RunProgress } from './progress.store.ts';
import type { Run } from './run-rows.ts';

const Instant = Type.String({ format: 'date-time' });
const Count = Type.Integer({ minimum: 0 });

const AttemptBody = Type.Object(
  {
    attempt: Type.Integer({
      minimum: 1,
      description:
        'The number of the attempt, as in the log. A step after one that was retried has the number of its last attempt.',
    }),
    step: stringEnum(ATTEMPT_STEPS, {
      description:
        '`plan`: seals and counts the data interval. `stage`: writes parts, several at once, where they are not visible yet. `commit`: makes ' +
        'them visible. `verify`: reads the destination back.',
    }),
    started_at: Instant,
    finished_at: nullable(Instant, {
      description:
        'When the attempt ended; null while it is in progress, or if it was cut off, as by a worker that stopped.',
    }),
    error: { ...RunErrorBody, description: 'Why the attempt failed; null if it did not.' },
  },
  { title: 'RunAttempt' },
);

export const AttemptsBody = Type.Object(
  {
    results: Type.Array(AttemptBody, {
      description: `The first attempt and the newest ${MAX_KEPT_ATTEMPTS} of each step, sorted by their start.`,
    }),
  },
  { title: 'RunAttempts' },
);

export function presentAttempt({
  attempt,
  step,
  startedAt,
  finishedAt,
  error,
}: StepAttempt): Static<typeof AttemptBody> {
  return {
    attempt,
    step,
    started_at: startedAt,
    finished_at: finishedAt,
    error: error && {
      code: error.code,
      owner: error.owner,
      field: error.field,
      detail: error.detail,
      next_try_at: error.nextTryAt,
    },
  };
}

export const ProgressBody = Type.Object(
  {
    records: Type.Object({
      done: Type.Integer({
        minimum: 0,
        description: 'The number of records that were read for parts that are staged or being staged.',
      }),
      total: nullable(Count, {
        description: 'The number of records that the run has to deliver; null until it is known.',
      }),
    }),
    bytes: Type.Integer({
      minimum: 0,
      description: 'The size of these records before compression; approximate while parts are being staged.',
    }),
    parts: Type.Object({
      staged: Count,
      total: nullable(Count, { description: 'The number of parts (files) of the run; null until it is known.' }),
    }),
    updated_at: nullable(Instant, {
      description:
        'When the parts that are being staged last reported, at most once a second; null until one has been for a second.',
    }),
  },
  { title: 'RunProgress' },
);

export function presentProgress(
  { status, plan, recordsCompleted, recordsTotalCount }: Run,
  { rows, bytes, stagedParts, updatedAt }: RunProgress,
): Static<typeof ProgressBody> {
  // Retention deletes staged parts, but a run completes only with all of them.
  if (status === 'Completed' && plan && stagedParts < countParts(plan)) {
    const parts = countParts(plan);
    return {
      records: { done: recordsCompleted ?? plan.rows, total: recordsTotalCount },
      bytes: plan.bytes,
      parts: { staged: parts, total: parts },
      updated_at: null,
    };
  }
  return {
    records: { done: rows, total: recordsTotalCount },
    bytes,
    parts: { staged: stagedParts, total: plan && countParts(plan) },
    updated_at: updatedAt,
  };
}
