/** The next runs: in the viewer's time and in UTC, with changes of clocks marked. */
import { formatDuration, formatInterval, formatTime, viewerZone, zoneName } from '../../look/time.tsx';
import styles from './form.module.css';
import type { NextRun, NextRuns as Found } from './schedule-data.ts';

const SHOWN = 3;

export function NextRuns({ runs, last, timezone }: Found & { timezone: string }) {
  if (runs.length === 0) return null;
  const changing = runs.find((run) => run.clock_change_seconds !== 0);
  const shown = runs.slice(0, SHOWN);
  return (
    <div>
      <h2>Next runs</h2>
      <ul aria-label="Next runs" className={styles.runs}>
        {last && <Run run={last} timezone={timezone} note="as before" />}
        {shown.map((run) => (
          <Run key={run.data_interval_end} run={run} timezone={timezone} />
        ))}
        {changing && !shown.includes(changing) && <Run run={changing} timezone={timezone} isLater />}
      </ul>
    </div>
  );
}

type RunProps = { run: NextRun; timezone: string; note?: string; isLater?: boolean };

function Run({ run, timezone, note, isLater }: RunProps) {
  const { data_interval_start: start, data_interval_end: end, clock_change_seconds: change } = run;
  const isElsewhere = timezone !== viewerZone && timezone !== 'UTC' && !run.local_end.endsWith('+00:00');
  return (
    <li>
      {isLater && '… '}
      {formatTime(end, { weekday: true })} {zoneName(end, viewerZone)}
      <span className="quiet">
        {isElsewhere && ` (${formatTime(end, { timeZone: timezone })} in ${timezone})`} delivers{' '}
        {formatInterval(start, end)}
        {note && `, ${note}`}
      </span>
      {change !== 0 && (
        <strong>
          {' '}
          clocks go {change > 0 ? 'forward' : 'back'} by {formatDuration(Math.abs(change))}
        </strong>
      )}
    </li>
  );
}
