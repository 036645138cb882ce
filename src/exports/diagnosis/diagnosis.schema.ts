/** A diagnosis on the wire. */
import { nullable, stringEnum, Type, type Static } from '../../platform/schema.ts';
import { RUN_STATUSES } from '../domain/statuses.ts';
import { RunErrorBody } from '../faults/run-error.ts';
import { MAX_VALUE_LENGTH, MAX_CHANGES, type Diagnosis, type CauseCandidate } from './diagnosis.ts';

const Id = Type.String({ format: 'uuid' });
const Instant = Type.String({ format: 'date-time' });

const ChangeBody = Type.Object(
  {
    at: Instant,
    user: nullable(
      Type.Object({
        id: Type.Integer(),
        uuid: Id,
        first_name: Type.String(),
        last_name: Type.String(),
        email: Type.String(),
      }),
      { description: 'The author of the change; null for a key of the project, a deleted user, or Sluice itself.' },
    ),
    about: stringEnum(['batch_export', 'integration'] as const, {
      description: 'Whether the batch export was changed, or the integration that it uses.',
    }),
    fields: Type.Array(
      Type.Object({
        field: Type.String({
          description: 'The field, as `attr` names it in error responses.',
          examples: ['destination__config__bucket_name'],
        }),
        before: Type.Unknown({
          description: `The earlier value; null if there was none, or if it has more than ${MAX_VALUE_LENGTH} characters.`,
        }),
        after: Type.Unknown(),
      }),
      { description: 'The changed fields. Values of secrets are hidden; empty if only secrets were set.' },
    ),
  },
  { title: 'DiagnosedChange' },
);

export const DiagnosisBody = Type.Object(
  {
    run: Id,
    status: stringEnum(RUN_STATUSES),
    cause: RunErrorBody,
    owner: nullable(stringEnum(['you', 'destination', 'sluice'] as const), {
      description: 'The owner of the cause, as in `cause`; null if there is none.',
    }),
    last_success: nullable(
      Type.Object({
        run: Id,
        data_interval_start: Instant,
        data_interval_end: Instant,
        created_at: Instant,
        finished_at: nullable(Instant),
      }),
      { description: 'The last run that delivered, of those created before this one; null if there is none.' },
    ),
    changes: Type.Array(ChangeBody, {
      description:
        `The newest ${MAX_CHANGES} changes between the beginning of the last success, or else the creation of the export, and the end ` +
        'of this run, newest first.',
    }),
    more_changes: Type.Boolean({ description: 'Whether there were more changes.' }),
    waits_for: nullable(Type.String(), {
      description: 'A sentence about what the run, or after its end the data interval, waits for; null for nothing.',
    }),
    next_try_at: nullable(Instant, {
      description: 'When the run, or after its end the data interval, is tried again automatically; null if it is not.',
    }),
    later_run: nullable(Type.Object({ run: Id, status: stringEnum(RUN_STATUSES) }), {
      description: 'The newest run of the same data interval; null if it is this one.',
    }),
  },
  { title: 'RunDiagnosis' },
);

export function presentDiagnosis(diagnosis: Diagnosis): Static<typeof DiagnosisBody> {
  const { run, cause, lastSuccess, changes, hasMoreChanges, waitingReason, laterRun } = diagnosis;
  return {
    run: run.id,
    status: run.status,
    cause,
    owner: cause?.owner ?? null,
    last_success: lastSuccess
      ? {
          run: lastSuccess.id,
          data_interval_start: lastSuccess.start,
          data_interval_end: lastSuccess.end,
          created_at: lastSuccess.createdAt,
          finished_at: lastSuccess.finishedAt,
        }
      : null,
    changes: changes.map(presentChange),
    more_changes: hasMoreChanges,
    waits_for: waitingReason,
    next_try_at: run.nextTryAt,
    later_run: laterRun ? { run: laterRun.id, status: laterRun.status } : null,
  };
}

function presentChange({ at, author, changedObject, fields }: CauseCandidate): Static<typeof ChangeBody> {
  return {
    at,
    user: author,
    about: changedObject,
    fields: fields.map(({ field, before, after }) => ({ field, before, after })),
  };
}
