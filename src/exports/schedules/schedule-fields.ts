/** The schedule fields of a batch export: on the wire, and converted to a cadence and back. */
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { nullable, Type, type Static } from '../../platform/schema.ts';
import type { BatchExport } from '../batch-exports/batch-export.ts';
import { isCalendarInterval, type CadenceChange } from '../domain/cadence.ts';

export const Interval = Type.String({
  description:
    'The interval of the export: `hour`, `day`, `week`, `month` or `every N minutes`, with N from 1 to 1440.',
  examples: ['hour'],
});

const OffsetDay = Type.Integer({
  minimum: 0,
  maximum: 6,
  description: 'The day on which weeks start, from 0 (Sunday, the default) to 6.',
});
const OffsetHour = Type.Integer({
  minimum: 0,
  maximum: 23,
  description: 'The hour at which days, weeks and months start; 0 by default.',
});
const Timezone = Type.String({
  description:
    'The IANA name of the time zone in which days, weeks and months start. Intervals of hours and minutes do ' +
    'not depend on it.',
  examples: ['Europe/Berlin'],
});
const JitterSeconds = Type.Integer({
  minimum: 0,
  maximum: 3600,
  description: 'The maximum random delay of a scheduled run after the end of its interval, in seconds; 0 by default.',
});

/** Fields of a request besides `interval`. Omitted fields keep their values; null stands for the default. */
export const scheduleIn = {
  timezone: Type.Optional(nullable(Timezone)),
  offset_day: Type.Optional(nullable(OffsetDay)),
  offset_hour: Type.Optional(nullable(OffsetHour)),
  jitter_seconds: Type.Optional(nullable(JitterSeconds)),
};

export const scheduleOut = {
  timezone: Timezone,
  offset_day: nullable(OffsetDay, {
    description: 'The day on which weeks start, from 0 (Sunday) to 6; null unless the interval is a week.',
  }),
  offset_hour: nullable(OffsetHour, {
    description: 'The hour at which intervals start; null unless the interval is a day, a week or a month.',
  }),
  jitter_seconds: JitterSeconds,
};

const ScheduleIn = Type.Object(scheduleIn);
const ScheduleOut = Type.Object(scheduleOut);

export function scheduleChangeOf({
  timezone,
  offset_day,
  offset_hour,
  jitter_seconds,
}: Static<typeof ScheduleIn>): CadenceChange & { jitterSeconds?: number } {
  const jitterSeconds = jitter_seconds === null ? 0 : jitter_seconds;
  return omitUndefined({ timezone, offsetDay: offset_day, offsetHour: offset_hour, jitterSeconds });
}

export function presentSchedule(batchExport: BatchExport): Static<typeof ScheduleOut> {
  return {
    timezone: batchExport.timezone,
    offset_day: batchExport.interval === 'week' ? batchExport.offsetDay : null,
    offset_hour: isCalendarInterval(batchExport.interval) ? batchExport.offsetHour : null,
    jitter_seconds: batchExport.jitterSeconds,
  };
}
