/** Backfills on the wire. */
import { nullable, stringEnum, Type, type Static } from '../../platform/schema.ts';
import { BACKFILL_STATUSES, RUN_KINDS } from '../domain/statuses.ts';
import { INTERVAL_STATUSES } from '../domain/interval-status.ts';

const Instant = Type.String({ format: 'date-time' });

const edge = (description: string) =>
  nullable(Type.String(), {
    description: `${description}: an ISO 8601 datetime with a zone, or a date. Days, weeks and months begin at it in the export's time zone, at its offset.`,
  });

const range = { start_at: edge('Where the range begins'), end_at: edge('Where it ends, not in the future') };

export const NewBackfillBody = Type.Object(
  {
    ...range,
    only: Type.Optional(
      Type.Unknown({
        description:
          'Only data intervals that are `missing`, `failed` or `stale`: one of these, or a list. All without it.',
      }),
    ),
    dry_run: Type.Boolean({ default: false, description: 'Only say what would run.' }),
    plan: Type.Optional(
      Type.String({
        description: 'Of a preview with the same range and `only`: run exactly that, or refuse with 409.',
      }),
    ),
  },
  { title: 'NewBackfill' },
);

export const BackfillIdBody = Type.Object({ backfill_id: Type.String({ format: 'uuid' }) }, { title: 'BackfillId' });
export const CancelledBody = Type.Object({ cancelled: Type.Literal(true) }, { title: 'Cancelled' });

export const IntervalBody = Type.Object(
  {
    data_interval_start: Instant,
    data_interval_end: Instant,
    status: stringEnum(INTERVAL_STATUSES, {
      description:
        '`missing`: nothing was delivered. `failed`: the last run did not deliver. `stale`: rows have joined it since. ' +
        '`running`: a run is under way, asked for, or due.',
    }),
    run: nullable(Type.String({ format: 'uuid' }), { description: 'The newest.' }),
    records_delivered: nullable(Type.Integer(), { description: 'Of the last delivery.' }),
    unsettled: Type.Boolean({
      description: 'A run left it half way, and the destination does not let us settle it now.',
    }),
    gave_up: Type.Boolean({ description: 'It is not delivered, and no longer tried by itself.' }),
  },
  { title: 'DataInterval' },
);
export type IntervalBody = Static<typeof IntervalBody>;

const Count = Type.Object({
  count: Type.Integer(),
  first: Type.Array(IntervalBody, { description: 'The oldest ten.' }),
});

export const PreviewBody = Type.Object(
  {
    dry_run: Type.Literal(true),
    plan: Type.String({ description: 'Send it back to run exactly this.' }),
    start_at: Instant,
    end_at: Instant,
    total_runs: Type.Integer(),
    intervals: Type.Object(
      {
        missing: Count,
        failed: Count,
        stale: Count,
        delivered: Count,
        running: Count,
      },
      { description: 'Those that would run, by what they are now.' },
    ),
    rows: nullable(
      Type.Object({
        count: Type.Integer(),
        exact: Type.Boolean({ description: 'Else estimated by the database’s statistics.' }),
      }),
      { description: 'What these intervals hold now, before any filter; null: cannot be told beforehand.' },
    ),
    overwrites: Type.Object(
      { intervals: Type.Integer(), records: Type.Integer() },
      { description: 'What was delivered before, and is replaced where it differs.' },
    ),
  },
  { title: 'BackfillPreview' },
);
export type PreviewBody = Static<typeof PreviewBody>;

export const BackfillBody = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    team: Type.Integer({ description: 'The project.' }),
    batch_export: Type.String({ format: 'uuid' }),
    kind: stringEnum(RUN_KINDS, { description: 'A retry is a backfill of one data interval.' }),
    start_at: Instant,
    end_at: Instant,
    adjusted_start_at: nullable(Instant, { description: 'Where its first data interval begins.' }),
    status: stringEnum(BACKFILL_STATUSES, {
      description: '`Starting`: its runs are being requested. `Failed`: every run ended, not every one `Completed`.',
    }),
    created_at: Instant,
    finished_at: nullable(Instant),
    last_updated_at: Instant,
    waiting_for: nullable(Type.String(), { description: 'What keeps a backfill that has no run under way.' }),
    total_records_count: nullable(Type.Integer(), { description: 'What its runs delivered, once all have ended.' }),
    progress: Type.Object({
      total_runs: Type.Integer(),
      finished_runs: Type.Integer(),
      failed_runs: Type.Integer({ description: 'Of the finished ones those that did not deliver.' }),
      progress: Type.Number({ minimum: 0, maximum: 1, description: 'One decimal; 1 only when all are finished.' }),
    }),
  },
  { title: 'Backfill' },
);
export type BackfillBody = Static<typeof BackfillBody>;
