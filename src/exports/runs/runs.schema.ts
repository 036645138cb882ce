/** Runs on the wire. */
import { nullable, stringEnum, Type, type Static } from '../../platform/schema.ts';
import { RUN_KINDS, RUN_STATUSES } from '../domain/statuses.ts';
import { RunErrorBody } from '../faults/run-error.ts';

const Instant = Type.String({ format: 'date-time' });

const summary = {
  id: Type.String({ format: 'uuid' }),
  status: stringEnum(RUN_STATUSES),
  kind: stringEnum(RUN_KINDS, {
    description:
      'Why the run was started. A `gap` run delivers an interval whose scheduled run never came or failed, a `stale` run ' +
      'one that events joined after its delivery.',
  }),
  records_completed: nullable(Type.Integer()),
  records_failed: nullable(
    Type.Integer({
      description:
        'The number of records that were not delivered: 0 if the run completed, all of them if it failed; null ' +
        'otherwise.',
    }),
  ),
  latest_error: nullable(Type.String()),
  error: RunErrorBody,
  data_interval_start: Instant,
  data_interval_end: Instant,
  cursor: nullable(Type.String({ description: 'An opaque value; null until the run has completed.' })),
  created_at: Instant,
  finished_at: nullable(Instant),
  verified_at: nullable(Instant, {
    description:
      'When the destination was read back and held what was delivered; null until then, for destinations that cannot be ' +
      'read, and for runs of earlier versions.',
  }),
  last_updated_at: Instant,
  records_total_count: nullable(
    Type.Integer({ description: 'The number of records that the run has to deliver; null until it is known.' }),
  ),
  bytes_exported: nullable(
    Type.Integer({ description: 'The number of bytes stored at the destination; null until the run has delivered.' }),
  ),
  batch_export: Type.String({ format: 'uuid' }),
  workflow_id: Type.String({ description: 'The ID of the Temporal workflow.' }),
  workflow_run_id: Type.String(),
  backfill: nullable(Type.String({ format: 'uuid' }), {
    description: 'The ID of the backfill that requested this run; null if none did.',
  }),
};

/** A run in the body of its batch export, without its receipt, which can be long. */
export const RunSummaryBody = Type.Object(summary, { title: 'BatchExportRunSummary' });

export const RunBody = Type.Object(
  {
    ...summary,
    waiting_for: nullable(Type.String(), {
      description: 'Why the run has been `Starting` for a long time; null otherwise.',
    }),
    receipt: nullable(Type.Record(Type.String(), Type.Unknown()), {
      description:
        'The data acknowledged by the destination: rows, digest, bytes, location, and files with their hashes; ' +
        'null until the run has delivered. In lists, a receipt with more than 100 files has `file_count` instead ' +
        'of `files`.',
    }),
  },
  { title: 'BatchExportRun' },
);

export type RunSummaryBody = Static<typeof RunSummaryBody>;
export type RunBody = Static<typeof RunBody>;
