/** Batch exports on the wire. */
import { DESTINATION_TYPES } from '../destinations/index.ts';
import { Notifications, NotificationsIn } from '../../platform/notify/notice.ts';
import { nullable, stringEnum, Type, type Static } from '../../platform/schema.ts';
import { contentIn, contentOut, MODELS } from './content-fields.ts';
import { RunSummaryBody } from '../runs/runs.schema.ts';
import { Interval, scheduleIn, scheduleOut } from '../schedules/schedule-fields.ts';

const MaxConcurrentRuns = Type.Integer({
  minimum: 1,
  maximum: 100,
  description:
    'How many runs that were asked for (backfills, retries, gaps) may be under way at once; 10 by default. Scheduled runs do not wait.',
});
const Name = Type.String({ minLength: 1, maxLength: 400, description: 'For people.' });
const Datetime = nullable(Type.String({ description: 'ISO 8601; without a zone it is UTC.' }));

const IntegrationId = Type.Integer({
  minimum: 1,
  maximum: 2 ** 31 - 1,
  description: 'Of an integration, which brings the credentials.',
});

const choices = DESTINATION_TYPES.map((type) => `\`${type}\``).join(', ');

/** `config` is checked by the destination's own schema. */
const DestinationIn = Type.Object({
  type: Type.String({
    minLength: 1,
    description: `One of ${choices}; their fields are in docs/destinations.md. It stays for good.`,
  }),
  config: Type.Optional(
    nullable(Type.Record(Type.String(), Type.Unknown()), { description: 'By type: see docs/destinations.md.' }),
  ),
  integration: Type.Optional(nullable(IntegrationId)),
  integration_id: Type.Optional(nullable(IntegrationId)),
});

const FreshnessTarget = nullable(Type.Integer({ minimum: 1, maximum: 31_536_000 }), {
  description: 'How long a data interval may be due, in seconds, before `behind_schedule` is told; null: any time.',
});

const RedeliverStale = Type.Boolean({
  description:
    'Whether stale data intervals are delivered again by themselves: after ten minutes without an import into them, after an hour at most. ' +
    'False by default.',
});
const IntervalTroubles = Type.Object(
  {
    stale: Type.Integer({ description: 'Delivered; rows have joined them since.' }),
    unsettled: Type.Integer({
      description: 'A run left them half way, and the destination does not let us settle them now.',
    }),
    gave_up: Type.Integer({ description: 'Not delivered, and no longer tried by themselves.' }),
  },
  { description: 'How many data intervals need attention, as of the last minute.' },
);

export const NewBatchExportBody = Type.Object(
  {
    name: Name,
    model: stringEnum(MODELS, { default: 'events' }),
    destination: DestinationIn,
    interval: Interval,
    ...scheduleIn,
    max_concurrent_runs: Type.Optional(MaxConcurrentRuns),
    paused: Type.Boolean({ default: false }),
    start_at: Type.Optional(Datetime),
    end_at: Type.Optional(Datetime),
    freshness_target_seconds: Type.Optional(FreshnessTarget),
    redeliver_stale: Type.Optional(RedeliverStale),
    notifications: Type.Optional(nullable(NotificationsIn)),
    ...contentIn,
  },
  { title: 'NewBatchExport' },
);

export const BatchExportPatchBody = Type.Object(
  {
    name: Type.Optional(Name),
    model: Type.Optional(Type.String()),
    destination: Type.Optional(DestinationIn),
    interval: Type.Optional(Interval),
    ...scheduleIn,
    max_concurrent_runs: Type.Optional(MaxConcurrentRuns),
    paused: Type.Optional(Type.Boolean()),
    last_paused_at: Type.Optional(Datetime),
    start_at: Type.Optional(Datetime),
    end_at: Type.Optional(Datetime),
    freshness_target_seconds: Type.Optional(FreshnessTarget),
    redeliver_stale: Type.Optional(RedeliverStale),
    notifications: Type.Optional(nullable(NotificationsIn)),
    ...contentIn,
  },
  { title: 'BatchExportPatch', description: 'What is left out stays; so do secrets and other members of `config`.' },
);

export const BatchExportPutBody = Type.Object(
  { ...BatchExportPatchBody.properties, name: Name, destination: DestinationIn, interval: Interval },
  { title: 'BatchExportPut', description: 'Like a PATCH that has to say these three.' },
);

export const UnpauseBody = Type.Object(
  { backfill: Type.Boolean({ default: false, description: 'Deliver what was missed in the pause.' }) },
  { title: 'Unpause' },
);

const Instant = Type.String({ format: 'date-time' });

export const BatchExportBody = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    team_id: Type.Integer({ description: 'The project.' }),
    name: Type.String(),
    model: stringEnum(MODELS),
    destination: Type.Object({
      type: Type.String(),
      config: Type.Record(Type.String(), Type.Unknown(), { description: 'Without secrets.' }),
      integration: nullable(Type.Integer()),
    }),
    interval: Interval,
    ...scheduleOut,
    max_concurrent_runs: Type.Integer(),
    paused: Type.Boolean(),
    created_at: Instant,
    last_updated_at: Instant,
    last_paused_at: nullable(Instant),
    paused_reason: nullable(Type.String(), { description: 'Why it paused by itself; null when a person paused it.' }),
    complete_until: nullable(Instant, {
      description:
        'Every data interval up to here that should be delivered is, and is not stale; null until the first one is.',
    }),
    lag_seconds: Type.Integer({
      description:
        'How long the oldest data interval that is not delivered has been due, or the oldest stale one stale; 0: none is.',
    }),
    freshness_target_seconds: FreshnessTarget,
    redeliver_stale: RedeliverStale,
    interval_troubles: IntervalTroubles,
    notifications: nullable(Notifications),
    start_at: nullable(Instant, { description: 'No runs are triggered before this time.' }),
    end_at: nullable(Instant, { description: 'No runs are triggered after this time.' }),
    latest_runs: Type.Array(RunSummaryBody, { description: 'The newest ten.' }),
    ...contentOut,
  },
  { title: 'BatchExport' },
);

export type NewBatchExportBody = Static<typeof NewBatchExportBody>;
export type BatchExportPatchBody = Static<typeof BatchExportPatchBody>;
export type BatchExportBody = Static<typeof BatchExportBody>;
