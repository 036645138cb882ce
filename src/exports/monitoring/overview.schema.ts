/** The overview of exports on the wire. */
import { LEVELS } from '../../platform/http/access.ts';
import { offsetPageOf } from '../../platform/http/parameters/pagination.ts';
import { nullable, stringEnum, Type, type Static } from '../../platform/schema.ts';
import { MODELS } from '../batch-exports/content-fields.ts';
import { RunErrorBody } from '../faults/run-error.ts';
import { REASONS } from '../intervals/interval-attention.ts';
import { cells, MissedBody } from '../intervals/interval-map.schema.ts';
import { MAX_TROUBLED } from '../intervals/troubled-intervals.store.ts';
import { PauseBody } from '../pauses/pauses.schema.ts';
import { Interval } from '../schedules/schedule-fields.ts';
import { OVERVIEW_STATES } from './overview.ts';

const Instant = Type.String({ format: 'date-time' });

export const OverviewStateName = stringEnum(OVERVIEW_STATES, {
  description:
    'How the export is doing: the first of these that is true. `needs_you`: a data interval needs somebody. `retrying`: an interval whose ' +
    'last attempt or run failed is retried automatically. `paused`: the export is paused. `behind`: `lag_seconds` exceeds the target, or 15 minutes if there is none. ' +
    '`on_time`: otherwise.',
});

const Total = Type.Integer({ description: 'The number of exports in this state.' });

const LastError = Type.Object(
  {
    data_interval_start: Instant,
    data_interval_end: Instant,
    reason: nullable(stringEnum(REASONS), {
      description: 'Why the interval needs somebody, as in `intervals/map/`; null if it is retried automatically.',
    }),
    detail: nullable(Type.String(), { description: 'The error of the newest run, a sentence; null if there is none.' }),
    error: RunErrorBody,
    run_id: nullable(Type.String({ format: 'uuid' }), { description: 'The ID of the newest run of the interval.' }),
  },
  { title: 'LastError' },
);

export const OverviewItemBody = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    model: stringEnum(MODELS),
    interval: Interval,
    destination: Type.Object({
      type: Type.String(),
      label: Type.String({
        description:
          'The place in a few words, such as `s3://bucket/prefix` or `schema.table`, without hosts and secrets.',
        examples: ['s3://lake/orders'],
      }),
    }),
    state: OverviewStateName,
    paused: Type.Boolean(),
    paused_reason: nullable(Type.String(), {
      description: 'Why the export was paused automatically; null if it is not paused, or if a person paused it.',
    }),
    last_paused_at: nullable(Instant),
    pause: nullable(PauseBody, { description: 'The current pause; null if the export is not paused.' }),
    complete_until: nullable(Instant, {
      description: 'The time up to which every data interval to be delivered has been delivered and is not stale.',
    }),
    lag_seconds: Type.Integer({
      description:
        'The number of seconds for which the oldest undelivered or stale interval has been overdue or stale.',
    }),
    freshness_target_seconds: nullable(Type.Integer()),
    start_at: nullable(Instant, {
      description: 'As on the export: no data interval before it is delivered automatically.',
    }),
    recent: Type.Object(cells, {
      description:
        'The newest 48 data intervals that are over, as in `intervals/map/`; what is stale is at most one minute old.',
    }),
    newest_delivery: nullable(Type.Object({ data_interval_start: Instant, data_interval_end: Instant }), {
      description: 'The newest data interval that was delivered, by the schedule or a backfill; null if none was.',
    }),
    needs_you: Type.Integer({
      description: `The number of data intervals that need somebody, among the newest ${MAX_TROUBLED} that failed or are being retried, that were given up or are not settled, and that another timeline delivered, each.`,
    }),
    needs_you_held: Type.Integer({
      description: 'The number of those whose earlier delivery the destination still holds.',
    }),
    retrying: Type.Integer({
      description: 'The number of data intervals that are retried automatically, with the same limit.',
    }),
    counts_are_minimums: Type.Boolean({
      description: 'Whether more intervals than these may need somebody or be retried, because a limit was reached.',
    }),
    next_try_at: nullable(Instant, {
      description: 'The time from which the next of them is retried, within a minute.',
    }),
    last_error: nullable(LastError, {
      description:
        'The newest data interval that needs somebody, else the newest that is retried; null if there are none.',
    }),
    missed_while_paused: nullable(MissedBody),
    user_access_level: stringEnum(LEVELS, { description: 'The access level of the caller for this export.' }),
  },
  { title: 'BatchExportOverview' },
);
export type OverviewItemBody = Static<typeof OverviewItemBody>;

export const OverviewBody = Type.Object(
  {
    ...offsetPageOf(OverviewItemBody).properties,
    totals: Type.Object(
      { needs_you: Total, retrying: Total, behind: Total, paused: Total, on_time: Total },
      { description: 'The number of exports that match `search`, by state, whatever `state` is.' },
    ),
    user_access_level: stringEnum(LEVELS, {
      description:
        'The access level of the caller for batch exports in general; with `editor` or higher they may create one.',
    }),
    deliveries_blocked: nullable(Type.String(), {
      description: 'Why the installation delivers nothing until an operator runs `sluice recover`; null if it does.',
    }),
  },
  { title: 'BatchExportsOverview' },
);
