/** Runs on the wire. */
import { nullable, stringEnum, Type, type Static } from '../../platform/schema.ts';
import { RUN_STATUSES } from '../domain/statuses.ts';

const Instant = Type.String({ format: 'date-time' });

const summary = {
  id: Type.String({ format: 'uuid' }),
  status: stringEnum(RUN_STATUSES),
  records_completed: nullable(Type.Integer()),
  records_failed: nullable(
    Type.Integer({ description: 'Of the records that it had to deliver those that it did not.' }),
  ),
  latest_error: nullable(Type.String()),
  data_interval_start: Instant,
  data_interval_end: Instant,
  cursor: nullable(Type.String({ description: 'Opaque.' })),
  created_at: Instant,
  finished_at: nullable(Instant),
  last_updated_at: Instant,
  records_total_count: nullable(Type.Integer({ description: 'How many records the run has to deliver.' })),
  bytes_exported: nullable(Type.Integer({ description: 'As stored at the destination.' })),
  batch_export: Type.String({ format: 'uuid' }),
  workflow_id: Type.String({ description: 'In Temporal.' }),
  workflow_run_id: Type.String(),
  backfill: nullable(Type.String({ format: 'uuid' }), { description: 'That asked for it; null: nobody did.' }),
};

/** A run inside a batch export has no receipt, which can be long. */
export const RunSummaryBody = Type.Object(summary, { title: 'BatchExportRunSummary' });

export const RunBody = Type.Object(
  {
    ...summary,
    waiting_for: nullable(Type.String(), { description: 'What keeps a run that has been `Starting` for long.' }),
    receipt: nullable(Type.Record(Type.String(), Type.Unknown()), {
      description:
        'What the destination acknowledged: rows, digest, bytes, location, files with their hashes. In lists a receipt of more than 100 files has ' +
        '`file_count` instead of `files`.',
    }),
  },
  { title: 'BatchExportRun' },
);

export type RunSummaryBody = Static<typeof RunSummaryBody>;
export type RunBody = Static<typeof RunBody>;
