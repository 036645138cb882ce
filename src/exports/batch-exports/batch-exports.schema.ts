/** Batch exports on the wire. */
import { DESTINATION_TYPES } from '../destinations/index.ts';
import { PromisesBody } from '../integrations/promises.schema.ts';
import { Notifications, NotificationsIn } from '../../platform/notify/notice.ts';
import { LEVELS } from '../../platform/http/access.ts';
import { nullable, stringEnum, Type, type Static } from '../../platform/schema.ts';
import { contentIn, contentOut, MODELS } from './content-fields.ts';
import { UnresolvedErrorBody } from '../faults/run-error.ts';
import { PauseBody } from '../pauses/pauses.schema.ts';
import { RunSummaryBody } from '../runs/runs.schema.ts';
import { Interval, scheduleIn, scheduleOut } from '../schedules/schedule-fields.ts';

const MaxConcurrentRuns = Type.Integer({
  minimum: 1,
  maximum: 100,
  description:
    'The maximum number of concurrent runs for backfills, retries and gaps; 10 by default. Scheduled runs are ' +
    'not limited.',
});
const Name = Type.String({ minLength: 1, maxLength: 400, description: 'The display name.' });
const Datetime = nullable(Type.String({ description: 'An ISO 8601 datetime, in UTC if it has no time zone.' }));

const IntegrationId = Type.Integer({
  minimum: 1,
  maximum: 2 ** 31 - 1,
  description: 'The ID of the integration that provides the credentials.',
});

const choices = DESTINATION_TYPES.map((type) => `\`${type}\``).join(', ');

/** A destination in a request; `config` is checked by the destination's own schema. */
const DestinationIn = Type.Object({
  type: Type.String({
    minLength: 1,
    description: `The type of the destination, one of ${choices}. It cannot be changed. The fields of each type are listed in docs/destinations/.`,
  }),
  config: Type.Optional(
    nullable(Type.Record(Type.String(), Type.Unknown()), {
      description:
        'The configuration of the destination; its fields depend on the type and are listed in docs/destinations/.',
    }),
  ),
  integration: Type.Optional(nullable(IntegrationId)),
  integration_id: Type.Optional(nullable(IntegrationId)),
});

const FreshnessTarget = nullable(Type.Integer({ minimum: 1, maximum: 31_536_000 }), {
  description:
    'The number of seconds that a data interval may be overdue before the `behind_schedule` notification is ' +
    'sent; null to send none.',
});

const RedeliverStale = Type.Boolean({
  description:
    'Whether stale data intervals are delivered again automatically: ten minutes after the last import into ' +
    'them, or after an hour at the latest. False by default.',
});
const IntervalTroubles = Type.Object(
  {
    stale: Type.Integer({ description: 'The number of delivered intervals to which rows were added later.' }),
    unsettled: Type.Integer({
      description:
        'The number of intervals that a run left partly delivered and that cannot currently be cleaned up at the ' +
        'destination.',
    }),
    gave_up: Type.Integer({ description: 'The number of undelivered intervals whose automatic retries have ended.' }),
  },
  { description: 'The number of data intervals that need attention, at most one minute old.' },
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
  {
    title: 'BatchExportPatch',
    description: 'Omitted fields keep their values, including secrets and other fields of `config`.',
  },
);

export const BatchExportPutBody = Type.Object(
  { ...BatchExportPatchBody.properties, name: Name, destination: DestinationIn, interval: Interval },
  { title: 'BatchExportPut', description: 'The same as for PATCH, with the name, destination and interval required.' },
);

const Instant = Type.String({ format: 'date-time' });

export const BatchExportBody = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    team_id: Type.Integer({ description: 'The ID of the project.' }),
    name: Type.String(),
    model: stringEnum(MODELS),
    destination: Type.Object({
      type: Type.String(),
      config: Type.Record(Type.String(), Type.Unknown(), {
        description: 'The configuration of the destination, without secrets.',
      }),
      integration: nullable(Type.Integer()),
    }),
    promises: Type.Object(PromisesBody.properties, {
      description: 'The promises of the destination about deliveries, as configured.',
    }),
    interval: Interval,
    ...scheduleOut,
    max_concurrent_runs: Type.Integer(),
    paused: Type.Boolean(),
    created_at: Instant,
    last_updated_at: Instant,
    last_paused_at: nullable(Instant),
    paused_reason: nullable(Type.String(), {
      description: 'Why the export was paused automatically; null if it is not paused, or if a person paused it.',
    }),
    pause: nullable(PauseBody, { description: 'The current pause; null if the export is not paused.' }),
    complete_until: nullable(Instant, {
      description:
        'The time up to which every data interval to be delivered has been delivered and is not stale; null before ' +
        'the first delivery.',
    }),
    lag_seconds: Type.Integer({
      description:
        'The number of seconds that the oldest undelivered data interval has been overdue, or the oldest stale ' +
        'interval has been stale; 0 if there are none.',
    }),
    freshness_target_seconds: FreshnessTarget,
    redeliver_stale: RedeliverStale,
    interval_troubles: IntervalTroubles,
    error: UnresolvedErrorBody,
    notifications: nullable(Notifications),
    start_at: nullable(Instant, { description: 'The time before which no runs are scheduled; null for no limit.' }),
    end_at: nullable(Instant, { description: 'The time after which no runs are scheduled; null for no limit.' }),
    latest_runs: Type.Array(RunSummaryBody, { description: 'The ten newest runs.' }),
    user_access_level: stringEnum(LEVELS, { description: 'The access level of the caller for this export.' }),
    ...contentOut,
  },
  { title: 'BatchExport' },
);

export type NewBatchExportBody = Static<typeof NewBatchExportBody>;
export type BatchExportPatchBody = Static<typeof BatchExportPatchBody>;
export type BatchExportBody = Static<typeof BatchExportBody>;
