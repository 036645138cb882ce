/**
 * Every failure that a caller can act on, one class per consequence. `platform/http/error-body.ts` translates the classes to answers, and
 * `platform/temporal/failures.ts` to failures of Temporal.
 *
 * Messages are for the person who caused the failure: they name the field and the fix, never a host, a secret or SQL.
 */
export abstract class SluiceError extends Error {
  readonly fault: Fault | undefined;

  constructor(message: string, { fault, ...options }: FaultOptions = {}) {
    super(message, options);
    this.name = new.target.name;
    this.fault = fault;
  }
}

/**
 * The people who can end a failure. `you`: those who configure the export, by correcting a field or getting rights at the destination.
 * `destination`: its operators; it may also end by itself. `sluice`: the operators of this installation; it may also end by itself.
 */
export type FaultOwner = 'you' | 'destination' | 'sluice';

/** A failure in a form for programs; the message is for people. Names fields, never their values. */
export type Fault = {
  code: string;
  owner: FaultOwner;
  /** The field to correct, named as in an answer's `attr`; null: no field helps. */
  field: string | null;
};

type FaultOptions = ErrorOptions & { fault?: Fault | undefined };

/** The request is well formed but has an invalid value: the caller must change a field. */
export class InvalidInput extends SluiceError {
  readonly attr: string | null;
  readonly code: string;

  /** @param attr the field, nested names joined by `__`, or null when the whole body is at fault */
  constructor(detail: string, attr: string | null = null, code = 'invalid_input', options?: FaultOptions) {
    super(detail, options);
    this.attr = attr;
    this.code = code;
  }
}

/** The body does not match its content type or encoding. */
export class MalformedRequest extends SluiceError {
  readonly code: string;

  constructor(detail: string, code = 'parse_error') {
    super(detail);
    this.code = code;
  }
}

/** More bytes, events or nesting than the service accepts: sending less helps. */
export class TooLarge extends SluiceError {}

/** The content type or encoding is not one that this endpoint reads. */
export class UnsupportedMedia extends SluiceError {}

/** No credentials, or credentials that are not valid. */
export class NotAuthenticated extends SluiceError {
  readonly code: string;

  constructor(detail = 'Authentication credentials were not provided.', code = 'not_authenticated') {
    super(detail);
    this.code = code;
  }
}

/** Valid credentials that do not allow this. */
export class PermissionDenied extends SluiceError {
  readonly code: string;

  constructor(detail = 'You do not have permission to perform this action.', code = 'permission_denied') {
    super(detail);
    this.code = code;
  }
}

/** No such object in this project (or none that the caller may know of). */
export class NotFound extends SluiceError {
  constructor(detail = 'Not found.') {
    super(detail);
  }
}

/** The path exists, but not with this method. */
export class MethodNotAllowed extends SluiceError {
  readonly allow: readonly string[];

  constructor(method: string, allow: readonly string[]) {
    super(`Method "${method}" not allowed.`);
    this.allow = allow;
  }
}

/** The object's current state forbids it; the same request may pass later. */
export class Conflict extends SluiceError {
  readonly extraFields: Readonly<Record<string, unknown>>;

  /** @param extraFields fields added to the error's body, which the caller needs for the next request */
  constructor(detail: string, extraFields: Readonly<Record<string, unknown>> = {}, options?: FaultOptions) {
    super(detail, options);
    this.extraFields = extraFields;
  }
}

/** A stored secret was encrypted with a key that is declared lost. */
export class SecretLost extends Conflict {
  constructor(
    sentence = 'A stored secret cannot be read, because the key that encrypted it is lost. Give it again.',
    options?: FaultOptions,
  ) {
    super(sentence, {}, options);
  }
}

/** The object changed since the caller read it (`If-Match`): read it again. */
export class Stale extends SluiceError {}

/** Too many requests from this caller. */
export class Throttled extends SluiceError {
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    const unit = retryAfterSeconds === 1 ? 'second' : 'seconds';
    super(`Request was throttled. Expected available in ${retryAfterSeconds} ${unit}.`);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The agreed quota is used up until it is renewed or raised. */
export class QuotaExceeded extends SluiceError {}

/** As many as allowed are running already: the caller must wait, or end one. */
export class LimitReached extends SluiceError {
  readonly code: string;

  constructor(detail: string, code: string) {
    super(detail);
    this.code = code;
  }
}

/** A dependency is unavailable right now; the same request may pass later. */
export class Unavailable extends SluiceError {
  readonly retryAfterSeconds: number;

  constructor(detail: string, retryAfterSeconds = 5, options?: FaultOptions) {
    super(detail, options);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A command cannot continue; the message says what is wrong and how to fix it. Printed without a stack. */
export class CommandFailed extends SluiceError {}

/** The destination would refuse again, so Sluice never retries the request. The message tells the user what to fix. */
export class DestinationRejected extends SluiceError {}

/** The destination may accept the request later, so Sluice retries it. */
export class DestinationUnavailable extends SluiceError {}

/** Another run took over this data interval: nothing more may be written under our epoch. */
export class Superseded extends SluiceError {}

/** The destination holds a delivery of this data interval that our database does not know: an operator decides which one stays. */
export class DeliveredElsewhere extends SluiceError {
  constructor() {
    super(
      'This data interval was delivered by another timeline: the destination holds a delivery that this database does not know, as ' +
        'after a restore. Nothing was replaced. Accept theirs, or ours, under `foreign_deliveries/` or with `sluice recover`.',
    );
  }
}

/** This database may have been restored or copied: nothing is delivered until an operator decides how to continue. */
export class DeliveriesBlocked extends SluiceError {}

/** The source holds fewer rows than the plan counted: delivering less would be a silent loss. */
export class IntervalShrank extends SluiceError {
  constructor(missingRows: number) {
    super(
      `The interval shrank by ${missingRows} row${missingRows === 1 ? '' : 's'} since this run was planned: ` +
        'events were deleted at the source. Retry the run to deliver what is there now.',
    );
  }
}

/** An automatic run would replace a delivery by fewer rows of the same content, so a person decides. */
export class DeliveryWouldShrink extends SluiceError {
  constructor(missingRows: number) {
    super(
      `${missingRows} row${missingRows === 1 ? '' : 's'} of the last delivery of this data interval are no longer at the source. What was ` +
        'delivered stays. Retry the run to deliver what is there now.',
    );
  }
}

/** A run's staged rows or files are gone from the destination, though no other run took over the interval: a new run delivers it again. */
export class StagedLost extends SluiceError {}

/** The destination does not hold what was delivered to it: another run delivers the interval again. */
export class ReadBackDiffers extends SluiceError {}
