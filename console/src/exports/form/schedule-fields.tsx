/** Fields of the schedule: the interval, and for days, weeks and months their time zone and when they begin. */
import { TextField } from '../../look/field.tsx';
import { Select } from '../../look/select.tsx';
import { viewerZone } from '../../look/time.tsx';
import { isOfCalendar } from '../words/cadence.ts';
import type { Draft } from './draft.ts';
import styles from './form.module.css';
import { useProblem } from './problem.ts';

type ScheduleProps = { draft: Draft; set: (change: Partial<Draft>) => void };

const MINUTES = 'minutes';
const INTERVALS = [
  { value: 'hour', label: 'Hour' },
  { value: 'day', label: 'Day' },
  { value: 'week', label: 'Week' },
  { value: 'month', label: 'Month' },
  { value: MINUTES, label: 'Some minutes' },
];
export const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const DAYS = WEEKDAYS.map((label, day) => ({ value: String(day), label }));
const HOURS = Array.from({ length: 24 }, (_, hour) => ({ value: String(hour), label: hourName(hour) }));
const ZONES = [...new Set([viewerZone, 'UTC', ...Intl.supportedValuesOf('timeZone')])];

export function hourName(hour: number): string {
  return `${String(hour).padStart(2, '0')}:00`;
}

/** @returns the N of `every N minutes`, as it was typed */
function minutesOf(interval: string): string | undefined {
  return /^every (.*) minutes$/.exec(interval)?.[1];
}

/** Minutes of the interval right after “Some minutes” is chosen. */
const FEW_MINUTES = 5;

export function IntervalField({ draft, set }: ScheduleProps) {
  const problem = useProblem();
  const isOfMinutes = minutesOf(draft.interval) !== undefined;
  return (
    <Select
      label="Every"
      options={INTERVALS}
      value={isOfMinutes ? MINUTES : draft.interval}
      onChange={(value) => set({ interval: value === MINUTES ? `every ${FEW_MINUTES} minutes` : value })}
      error={isOfMinutes ? undefined : problem.at('interval')}
    />
  );
}

/** Fields that depend on the interval. */
export function ScheduleFields({ draft, set }: ScheduleProps) {
  const problem = useProblem();
  const minutes = minutesOf(draft.interval);
  if (minutes !== undefined)
    return (
      <TextField
        label="Minutes"
        description="From 1 to 1440, counted from midnight UTC of 1 January 1970."
        value={minutes}
        onChange={(text) => set({ interval: `every ${text} minutes` })}
        inputMode="numeric"
        isRequired
        error={problem.at('interval')}
      />
    );
  if (!isOfCalendar(draft.interval)) return null;
  return (
    <div className={styles.pair}>
      {draft.interval === 'week' && (
        <Select
          label="Weeks begin on"
          options={DAYS}
          value={String(draft.offset_day ?? 0)}
          onChange={(day) => set({ offset_day: Number(day) })}
          error={problem.at('offset_day')}
        />
      )}
      <Select
        label="Begins at"
        options={HOURS}
        value={String(draft.offset_hour ?? 0)}
        onChange={(hour) => set({ offset_hour: Number(hour) })}
        error={problem.at('offset_hour')}
      />
      <TextField
        label="Time zone"
        value={draft.timezone}
        onChange={(timezone) => set({ timezone })}
        suggestions={ZONES}
        placeholder="Europe/Berlin"
        isRequired
        error={problem.at('timezone')}
      />
    </div>
  );
}
