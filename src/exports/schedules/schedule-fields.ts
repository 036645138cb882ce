/** The fields of a batch export that say when it runs: on the wire, and from there to a cadence and back. */
import { nullable, Type, type Static } from '../../platform/schema.ts';
import type { BatchExport } from '../batch-exports/batch-export.ts';
import { isOfCalendar, type CadenceChange } from '../domain/cadence.ts';

export const Interval = Type.String({
  description: '`hour`, `day`, `week`, `month` or `every N minutes`, N from 1 to 1440.',
  examples: ['hour'],
});

const OffsetDay = Type.Integer({
  minimum: 0,
  maximum: 6,
  description: 'The day on which weeks begin; 0, the default, is Sunday.',
});
const OffsetHour = Type.Integer({
  minimum: 0,
  maximum: 23,
  description: 'The hour at which days, weeks and months begin; 0 by default.',
});
const Timezone = Type.String({
  description:
    'IANA name of the zone in which days, weeks and months begin; hours and minutes are the same everywhere.',
  examples: ['Europe/Berlin'],
});
const JitterSeconds = Type.Integer({
  minimum: 0,
  maximum: 3600,
  description: 'A run starts up to this much later than its interval ends, at random; 0 by default.',
});

/** Beside `interval`. Left out they stay as they are; null is the default. */
export const scheduleIn = {
  timezone: Type.Optional(nullable(Timezone)),
  offset_day: Type.Optional(nullable(OffsetDay)),
  offset_hour: Type.Optional(nullable(OffsetHour)),
  jitter_seconds: Type.Optional(nullable(JitterSeconds)),
};

export const scheduleOut = {
  timezone: Timezone,
  offset_day: nullable(OffsetDay, { description: 'null unless the interval is a week.' }),
  offset_hour: nullable(OffsetHour, { description: 'null unless the interval is a day, a week or a month.' }),
  jitter_seconds: JitterSeconds,
};

const ScheduleIn = Type.Object(scheduleIn);
const ScheduleOut = Type.Object(scheduleOut);

export function wantedSchedule({
  timezone,
  offset_day,
  offset_hour,
  jitter_seconds,
}: Static<typeof ScheduleIn>): CadenceChange & { jitterSeconds?: number } {
  return {
    ...(timezone !== undefined && { timezone }),
    ...(offset_day !== undefined && { offsetDay: offset_day }),
    ...(offset_hour !== undefined && { offsetHour: offset_hour }),
    ...(jitter_seconds !== undefined && { jitterSeconds: jitter_seconds ?? 0 }),
  };
}

export function presentSchedule(one: BatchExport): Static<typeof ScheduleOut> {
  return {
    timezone: one.timezone,
    offset_day: one.interval === 'week' ? one.offsetDay : null,
    offset_hour: isOfCalendar(one.interval) ? one.offsetHour : null,
    jitter_seconds: one.jitterSeconds,
  };
}
