/** The next runs of a schedule that is not saved: in the viewer's time and in UTC, with changes of clocks marked. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, done } from '../../api/client.ts';
import { formatDuration, formatInterval, formatTime, viewerZone, zoneName } from '../../look/time.tsx';
import { isOfCalendar } from '../words/cadence.ts';
import styles from './form.module.css';

type NextRunsProps = {
  projectId: number;
  interval: string;
  /** Undefined: days begin at midnight UTC. */
  schedule: Schedule | undefined;
};

export type Schedule = { timezone: string; offset_day: number | null; offset_hour: number | null };

const SHOWN = 3;

export function NextRuns({ projectId, interval, schedule }: NextRunsProps) {
  const body = {
    interval,
    count: SHOWN,
    ...(schedule && { timezone: schedule.timezone }),
    ...(schedule && isOfCalendar(interval) && { offset_hour: schedule.offset_hour }),
    ...(schedule && interval === 'week' && { offset_day: schedule.offset_day }),
  };
  const { data } = useQuery({
    queryKey: ['schedule-preview', projectId, body],
    queryFn: ({ signal }) =>
      done(
        api.POST('/api/environments/{project_id}/batch_exports/schedule_preview/', {
          params: { path: { project_id: projectId } },
          body,
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    // A refused interval is reported at its field when the form is sent.
    retry: false,
  });
  if (!data || data.runs.length === 0) return null;
  return (
    <ul aria-label="Next runs" className={styles.runs}>
      {data.runs.map(({ data_interval_start: start, data_interval_end: end, clock_change_seconds: change }) => (
        <li key={end}>
          {formatTime(end, { weekday: true })} {zoneName(end, viewerZone)}
          <span className="quiet"> delivers {formatInterval(start, end)}</span>
          {change !== 0 && (
            <strong>
              {' '}
              clocks go {change > 0 ? 'forward' : 'back'} by {formatDuration(Math.abs(change))}
            </strong>
          )}
        </li>
      ))}
    </ul>
  );
}
