/** A run's error on the wire. */
import { nullable, stringEnum, Type, type Static } from '../../platform/schema.ts';
import { isOpen } from '../domain/statuses.ts';
import type { Run } from '../runs/run-rows.ts';
import { faultOfType } from './run-faults.ts';

const ErrorBody = Type.Object(
  {
    code: Type.String({ description: 'A code that does not change; docs/faults.md lists them.' }),
    owner: stringEnum(['you', 'destination', 'sluice'] as const, {
      description:
        '`you`: whoever configures the export has to act. `destination`: the operators of the destination, or time. ' +
        '`sluice`: the operators of this installation, or time.',
    }),
    field: nullable(Type.String(), {
      description:
        'The field of the batch export that resolves the error, as `attr` names it in error responses, such as ' +
        '`destination__config__bucket_name`; null if there is none.',
    }),
    detail: Type.String({ description: 'The same sentence as `latest_error`.' }),
    next_try_at: nullable(Type.String({ format: 'date-time' }), {
      description:
        'When the run, or after its end the data interval, is tried again automatically; in the past once that has ' +
        'happened; null if it is not tried again automatically.',
    }),
  },
  { title: 'BatchExportError' },
);

export const RunErrorBody = nullable(ErrorBody, {
  description: 'The last error of the run; null if there is none, or if an earlier version kept only its sentence.',
});
export const UnresolvedErrorBody = nullable(ErrorBody, {
  description:
    'The error of the newest failed or retrying run whose data interval has not been delivered since, among the 200 ' +
    'newest such runs; null if there is none.',
});
export type RunErrorBody = Static<typeof ErrorBody> | null;

/** Fields of a run that describe its error. */
export type RunError = Pick<
  Run,
  'status' | 'latestError' | 'errorType' | 'errorCode' | 'errorOwner' | 'errorField' | 'nextTryAt'
>;

/** Presents the error of a run; runs of earlier versions have at most the class of their error. */
export function presentError(run: RunError): RunErrorBody {
  const { status, latestError, errorType, errorCode, errorOwner, errorField, nextTryAt } = run;
  if (latestError === null || status === 'Completed') return null;
  if (errorCode !== null && errorOwner !== null) {
    return { code: errorCode, owner: errorOwner, field: errorField, detail: latestError, next_try_at: nextTryAt };
  }
  if (errorType === null || isOpen(status)) return null;
  return { ...faultOfType(errorType), detail: latestError, next_try_at: null };
}
