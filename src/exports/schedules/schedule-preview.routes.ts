/** `/batch_exports/schedule_preview/`: when a schedule would run, before it is saved. */
import { readDatetime } from '../../platform/http/parameters/datetime.ts';
import { InvalidInput } from '../../platform/errors.ts';
import { json, route } from '../../platform/http/route.ts';
import { nullable, Type } from '../../platform/schema.ts';
import { cadenceWith } from '../domain/cadence.ts';
import { isoMicros, millisOf } from '../domain/instants.ts';
import { Interval, scheduleIn, scheduleChangeOf } from './schedule-fields.ts';
import { localIso, nextRuns, type PreviewedRun } from './schedule-preview.ts';

const MAX_RUNS = 50;

const Datetime = nullable(Type.String(), {
  description: 'As in a batch export: an ISO 8601 datetime, in UTC if it has no time zone.',
});

const ScheduleBody = Type.Object(
  {
    interval: Interval,
    ...scheduleIn,
    start_at: Type.Optional(Datetime),
    end_at: Type.Optional(Datetime),
    count: Type.Integer({ minimum: 1, maximum: MAX_RUNS, default: 6, description: 'The number of runs to preview.' }),
  },
  { title: 'SchedulePreviewRequest' },
);

const Instant = Type.String({ format: 'date-time' });
const Local = Type.String({
  description: 'The same in the time zone of the schedule, with its offset from UTC.',
  examples: ['2026-10-25T00:00:00+02:00'],
});

const SchedulePreviewBody = Type.Object(
  {
    timezone: Type.String(),
    runs: Type.Array(
      Type.Object({
        data_interval_start: Instant,
        data_interval_end: Type.String({
          format: 'date-time',
          description: 'The run starts at this time, or up to `jitter_seconds` later.',
        }),
        local_start: Local,
        local_end: Local,
        clock_change_seconds: Type.Integer({
          description:
            'By how many seconds the clocks of the time zone are set forward during the interval; negative: set back; 0: not changed.',
        }),
      }),
      { description: 'The next runs, soonest first; fewer than `count` if `end_at` comes before.' },
    ),
  },
  { title: 'SchedulePreview' },
);

const previewSchedule = route({
  method: 'post',
  path: '/batch_exports/schedule_preview/',
  access: { scope: 'batch_export:read' },
  body: ScheduleBody,
  answers: { 200: SchedulePreviewBody },
  summary: 'Preview the next runs of an unsaved schedule',
  async handle({ body }) {
    const cadence = cadenceWith({ interval: body.interval, ...scheduleChangeOf(body) });
    const [startAt, endAt] = [instantOf(body.start_at, 'start_at'), instantOf(body.end_at, 'end_at')];
    if (startAt !== null && endAt !== null && startAt >= endAt)
      throw new InvalidInput('The end must be after the start.', 'end_at');
    const runs = nextRuns(cadence, { from: Math.max(Date.now(), startAt ?? 0), to: endAt, count: body.count });
    return json(200, { timezone: cadence.timezone, runs: runs.map((run) => presentRun(run, cadence.timezone)) });
  },
});

export const schedulePreviewRoutes = [previewSchedule];

function instantOf(text: string | null | undefined, field: string): number | null {
  return text === null || text === undefined ? null : millisOf(readDatetime(text, field));
}

function presentRun({ start, end, clockChange }: PreviewedRun, zone: string) {
  return {
    data_interval_start: isoMicros(start),
    data_interval_end: isoMicros(end),
    local_start: localIso(zone, start),
    local_end: localIso(zone, end),
    clock_change_seconds: clockChange / 1000,
  };
}
