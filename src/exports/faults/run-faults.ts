/** Faults of the source, of the run itself and of this installation; `type` is the class of the error, which histories store. */
import {
  DeliveredElsewhere,
  DeliveryWouldShrink,
  IntervalShrank,
  SecretLost,
  type Fault,
  type FaultOwner,
} from '../../platform/errors.ts';

export type RunFault = {
  owner: FaultOwner;
  /** The field to correct, as named by `attr` in error responses. */
  field?: string;
  final?: boolean;
  sentence: string;
  /** Class of the errors that have no code of their own. */
  type?: string;
};

/** Example number for sentences that contain one. */
const ROWS = 3;

export const RUN_FAULTS = {
  // The source.
  interval_shrank: { owner: 'you', final: true, sentence: new IntervalShrank(ROWS).message, type: 'IntervalShrank' },
  delivery_would_shrink: {
    owner: 'you',
    final: true,
    sentence: new DeliveryWouldShrink(ROWS).message,
    type: 'DeliveryWouldShrink',
  },
  too_many_parts: {
    owner: 'you',
    field: 'interval',
    final: true,
    sentence: 'The data interval would take more files, or stage tables, than one run can have.',
  },
  source_expired: {
    owner: 'you',
    final: true,
    sentence:
      'The source has expired: events of the data interval are older than this project keeps them, and no longer complete.',
  },
  expression_failed: {
    owner: 'you',
    field: 'hogql_query',
    final: true,
    sentence: 'The rows of the data interval cannot be computed.',
  },
  source_read_timeout: {
    owner: 'you',
    field: 'hogql_query',
    final: true,
    sentence: 'Reading the rows of the data interval took more than 900 seconds.',
  },
  invalid_input: {
    owner: 'you',
    final: true,
    sentence: 'The configuration is no longer valid.',
    type: 'InvalidInput',
  },
  source_not_sealed: {
    owner: 'sluice',
    sentence: 'The data interval is not sealed yet: events may still join it.',
  },
  clocks_differ: {
    owner: 'sluice',
    sentence: 'The database’s clock and the worker’s differ: nothing is sealed until they agree.',
  },
  source_unavailable: {
    owner: 'sluice',
    sentence: 'The database of the events cannot be reached right now.',
    type: 'Unavailable',
  },
  // The destination, if it has no more specific code.
  destination_rejected: {
    owner: 'you',
    final: true,
    sentence: 'The destination refuses the delivery.',
    type: 'DestinationRejected',
  },
  destination_unavailable: {
    owner: 'destination',
    sentence: 'The destination cannot take the delivery right now.',
    type: 'DestinationUnavailable',
  },
  place_left: {
    owner: 'you',
    field: 'destination',
    final: true,
    sentence: 'The batch export no longer delivers to this place, and its credentials were deleted.',
  },
  secret_lost: { owner: 'you', field: 'destination', sentence: new SecretLost().message, type: 'SecretLost' },
  // The run's course.
  delivered_by_another_timeline: {
    owner: 'you',
    final: true,
    sentence: new DeliveredElsewhere().message,
    type: 'DeliveredElsewhere',
  },
  delivery_unknown: {
    owner: 'you',
    final: true,
    sentence:
      'The database was restored after this data interval ended, so the receiver may have its rows. Retry the run if it does not, ' +
      'or if repeated rows do no harm.',
  },
  deliveries_blocked: {
    owner: 'sluice',
    sentence:
      'This database may have been restored or copied: nothing is delivered until `sluice recover` says how to go on.',
    type: 'DeliveriesBlocked',
  },
  staged_lost: {
    owner: 'destination',
    sentence: 'The staged data of this run is no longer at the destination. Sluice will deliver the interval again.',
    type: 'StagedLost',
  },
  read_back_differs: {
    owner: 'destination',
    sentence: 'The content of the destination differs from what was delivered.',
    type: 'ReadBackDiffers',
  },
  superseded: { owner: 'sluice', sentence: 'Another run has taken over this data interval.', type: 'Superseded' },
  cancelled: { owner: 'you', final: true, sentence: 'The run was cancelled.' },
  export_deleted: { owner: 'you', final: true, sentence: 'The batch export was deleted.', type: 'NotFound' },
  worker_lost: { owner: 'sluice', sentence: 'No worker finished the work in time.', type: 'TimedOut' },
  workflow_ended: { owner: 'sluice', sentence: 'The workflow was terminated or cancelled in Temporal.' },
  workflow_lost: {
    owner: 'sluice',
    sentence: 'The workflow ended or disappeared without reporting the outcome of the run.',
  },
  internal_error: { owner: 'sluice', sentence: 'An unexpected error occurred; see the worker’s log.' },
} as const satisfies Record<string, RunFault>;

export type RunFaultCode = keyof typeof RUN_FAULTS;

export function runFault(code: RunFaultCode): Fault {
  const { owner, field }: RunFault = RUN_FAULTS[code];
  return { code, owner, field: field ?? null };
}

const BY_TYPE = new Map(
  Object.entries(RUN_FAULTS).flatMap(([code, known]) =>
    'type' in known ? [[known.type as string, code as RunFaultCode]] : [],
  ),
);

/** The fault of an error by its class, which is all that runs of earlier versions stored. */
export function faultOfType(type: string): Fault {
  return runFault(BY_TYPE.get(type) ?? 'internal_error');
}
