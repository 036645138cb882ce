/** Backfills on the wire. */
import { nullable, stringEnum, Type, type Static } from '../../platform/schema.ts';
import { ErrorBody } from '../../platform/http/error-body.ts';
import { BACKFILL_STATUSES, RUN_KINDS } from '../domain/statuses.ts';
import { INTERVAL_STATUSES } from '../domain/interval-status.ts';

const Instant = Type.String({ format: 'date-time' });

const rangeBound = (description: string) =>
  nullable(Type.String(), {
    description: `${description}: an ISO 8601 datetime with a time zone, or a date. For daily, weekly and monthly exports, a date is read in the time zone of the export, at its offset.`,
  });

const range = {
  start_at: rangeBound('The start of the range'),
  end_at: rangeBound('The end of the range, not in the future'),
};

export const NewBackfillBody = Type.Object(
  {
    ...range,
    only: Type.Optional(
      Type.Unknown({
        description:
          'Restricts the backfill to data intervals with these statuses: `missing`, `failed` or `stale`, as one ' +
          'value or a list. Intervals that await a decision about a delivery of another timeline are left out. All intervals by default.',
      }),
    ),
    dry_run: Type.Boolean({
      default: false,
      description: 'If true, returns a preview of the backfill and creates nothing.',
    }),
    plan: Type.Optional(
      Type.String({
        description:
          'The `plan` of a preview with the same range and `only`: runs exactly the previewed intervals, or the ' +
          'request is refused with 409.',
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
        '`missing`: nothing has been delivered. `failed`: the last run did not deliver. `stale`: rows were added ' +
        'after the delivery. `running`: a run is in progress, requested or due. `expired`: nothing has been delivered, and rows may be ' +
        'gone at the source.',
    }),
    run: nullable(Type.String({ format: 'uuid' }), {
      description: 'The ID of the newest run of this interval; null if there is none.',
    }),
    records_delivered: nullable(Type.Integer(), {
      description: 'The number of records in the last delivery; null if nothing was delivered.',
    }),
    unsettled: Type.Boolean({
      description:
        'True if a run left the interval partly delivered and the destination does not currently allow the cleanup.',
    }),
    gave_up: Type.Boolean({ description: 'True if the interval is not delivered and automatic retries have ended.' }),
    awaiting_decision: Type.Boolean({
      description:
        'True if another timeline delivered the interval and nobody has decided which delivery to keep: until then its runs ' +
        'fail and replace nothing.',
    }),
  },
  { title: 'DataInterval' },
);
export type IntervalBody = Static<typeof IntervalBody>;

const Count = Type.Object({
  count: Type.Integer(),
  first: Type.Array(IntervalBody, { description: 'The ten oldest intervals.' }),
});

const Skipped = Type.Integer({ description: 'The number of intervals.' });

export const PreviewBody = Type.Object(
  {
    dry_run: Type.Literal(true),
    plan: Type.String({
      description: 'A token for this preview; send it back as `plan` to run exactly these intervals.',
    }),
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
      { description: 'The intervals that would run, by their current status.' },
    ),
    skipped: Type.Object(
      {
        missing: Skipped,
        failed: Skipped,
        stale: Skipped,
        delivered: Skipped,
        running: Skipped,
      },
      { description: 'The intervals of the range that would not run because of `only`, by their current status.' },
    ),
    awaiting_decision: Type.Object(Count.properties, {
      description:
        'The intervals of the range that another timeline delivered and about which somebody has to decide first. With `only` they ' +
        'would not run, and are not in `skipped`; without it they are in `intervals`, and their runs fail until then.',
    }),
    rows: nullable(
      Type.Object({
        count: Type.Integer(),
        exact: Type.Boolean({
          description: 'True if the rows were counted; false if the count is an estimate from database statistics.',
        }),
      }),
      {
        description:
          'The number of rows currently in these intervals, before filters; null if it cannot be determined in advance.',
      },
    ),
    overwrites: Type.Object(
      {
        intervals: Type.Integer(),
        records: Type.Integer(),
        files: Type.Integer({ description: 'The number of files; 0 if the destination has no files.' }),
      },
      { description: 'Intervals, records and files delivered earlier, which the backfill replaces where they differ.' },
    ),
    estimate: Type.Object(
      {
        rows: nullable(Type.Integer(), {
          description:
            'The number of rows that the backfill delivers: counted if the export delivers every event, otherwise the mean of past ' +
            'runs; null if neither is known.',
        }),
        seconds: nullable(Type.Object({ low: Type.Integer(), high: Type.Integer() }), {
          description:
            'How long the backfill takes: between the shortest time, with as many runs at once as the export may have, and the pace ' +
            'of past backfills; null if no past run is known.',
        }),
        basis: nullable(
          Type.Object({
            runs: Type.Integer({ description: 'The number of past runs of this export, those nearest in size.' }),
            backfills: Type.Integer({
              description:
                'The number of past backfills whose pace is included. Without any, `high` assumes one run after the other.',
            }),
            since: Type.String({ format: 'date-time', description: 'When the oldest of these runs started.' }),
          }),
          {
            description:
              'The past runs and backfills that `seconds` is estimated from; null if the export has no completed run.',
          },
        ),
      },
      {
        description: 'An estimate from past runs and backfills of this export.',
      },
    ),
  },
  { title: 'BackfillPreview' },
);
export type PreviewBody = Static<typeof PreviewBody>;

/** Refusal of an outdated plan: the error envelope, and the current plan. */
export const OutdatedPlanBody = Type.Object(
  { ...ErrorBody.properties, plan: PreviewBody },
  {
    title: 'OutdatedPlan',
    description: 'The previewed plan is outdated; `plan` is a preview of the same request as of now.',
  },
);

export const BackfillBody = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    team: Type.Integer({ description: 'The ID of the project.' }),
    batch_export: Type.String({ format: 'uuid' }),
    kind: stringEnum(RUN_KINDS, {
      description: 'Why the backfill was created. A retry is a backfill of one data interval.',
    }),
    start_at: Instant,
    end_at: Instant,
    adjusted_start_at: nullable(Instant, { description: 'The start of the first data interval of the backfill.' }),
    status: stringEnum(BACKFILL_STATUSES, {
      description:
        '`Starting`: the runs are being requested. `Failed`: every run has ended, and at least one of them is not ' +
        '`Completed`.',
    }),
    created_at: Instant,
    finished_at: nullable(Instant),
    last_updated_at: Instant,
    waiting_for: nullable(Type.String(), {
      description: 'Why the backfill has no run in progress; null if it is not waiting.',
    }),
    total_records_count: nullable(Type.Integer(), {
      description: 'The number of records delivered by all runs; null until every run has ended.',
    }),
    progress: Type.Object({
      total_runs: Type.Integer(),
      finished_runs: Type.Integer(),
      failed_runs: Type.Integer({ description: 'The number of finished runs that did not deliver.' }),
      progress: Type.Number({
        minimum: 0,
        maximum: 1,
        description:
          'The fraction of runs that have finished, from 0 to 1, rounded to one decimal place; 1 only when all have ' +
          'finished.',
      }),
    }),
  },
  { title: 'Backfill' },
);
export type BackfillBody = Static<typeof BackfillBody>;
