/**
 * Translates errors for Temporal: whether Temporal retries an activity, and what a workflow may know of it. Only messages that
 * were written for users travel; of anything else the history keeps a class name, never a message, a stack or a cause.
 */
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import {
  DeliveredElsewhere,
  DeliveriesBlocked,
  DeliveryWouldShrink,
  DestinationRejected,
  DestinationUnavailable,
  type Fault,
  IntervalShrank,
  InvalidInput,
  NotFound,
  ReadBackDiffers,
  SecretLost,
  StagedLost,
  Superseded,
  Unavailable,
} from '../errors.ts';

/** Errors that trying again would not fix. */
const FINAL_ERRORS = [
  DeliveredElsewhere,
  DeliveriesBlocked,
  DeliveryWouldShrink,
  DestinationRejected,
  IntervalShrank,
  InvalidInput,
  NotFound,
  ReadBackDiffers,
  StagedLost,
  Superseded,
];
/** Errors that may pass, with messages of ours. */
const PASSING_ERRORS = [DestinationUnavailable, SecretLost, Unavailable];

/**
 * The failure that an activity throws for an error of ours; `type` is the error's class name.
 * @param fault details for workflows, without secrets
 */
export function toFailure(error: unknown, fault?: Fault): Error {
  const details: unknown[] = fault ? [fault] : [];
  if (error instanceof CancelledFailure || error instanceof ApplicationFailure) return error;
  if (isOneOf(FINAL_ERRORS, error))
    return withoutStack(
      ApplicationFailure.create({ message: error.message, type: error.name, nonRetryable: true, details }),
    );
  if (isOneOf(PASSING_ERRORS, error))
    return withoutStack(ApplicationFailure.create({ message: error.message, type: error.name, details }));
  const type = error instanceof Error ? error.name : 'Error';
  return withoutStack(
    ApplicationFailure.create({ message: 'An unexpected error occurred; see the worker’s log.', type, details }),
  );
}

/** Returns the part of an error that is logged: an error written for users without its cause, which may name hosts. */
export function forLog(error: unknown): object {
  if (!isOneOf([...FINAL_ERRORS, ...PASSING_ERRORS], error)) return { err: error };
  const { code } = (error.cause ?? {}) as { code?: unknown };
  return { error: { type: error.name, message: error.message, ...(typeof code === 'string' && { code }) } };
}

function isOneOf(classes: readonly (abstract new (...args: never[]) => Error)[], error: unknown): error is Error {
  return classes.some((errorClass) => error instanceof errorClass);
}

/** Removes the stack, which names files and, in some drivers' errors, hosts; only the worker's log has it. */
function withoutStack(failure: ApplicationFailure): ApplicationFailure {
  failure.stack = '';
  return failure;
}
