/** The attempts of a run, each with its steps and their durations, and the progress of its parts. */
import { useQuery } from '@tanstack/react-query';
import { useNow } from '../../look/now.ts';
import { formatBytes, formatCount, formatDuration, isToday, Time } from '../../look/time.tsx';
import { attemptsQuery, progressQuery, type Attempt, type RunIds } from './run-data.ts';
import { quantity } from '../words/quantity.ts';
import styles from './run.module.css';

export function Attempts({ runIds, isOpen }: { runIds: RunIds; isOpen: boolean }) {
  const { data } = useQuery(attemptsQuery(runIds, isOpen));
  const steps = data?.results ?? [];
  if (steps.length === 0) return null;
  const byAttempt = [...Map.groupBy(steps, ({ attempt }) => attempt)].sort(([one], [other]) => one - other);
  return (
    <table className={styles.attempts}>
      <caption className="visually-hidden">Attempts</caption>
      <thead className="visually-hidden">
        <tr>
          <th scope="col">Attempt</th>
          <th scope="col">Steps</th>
          <th scope="col">Began</th>
        </tr>
      </thead>
      <tbody>
        {byAttempt.map(([attempt, stepsOfAttempt]) => (
          <tr key={attempt}>
            <th scope="row">{attempt}</th>
            <td>
              {stepsOfAttempt.map((one) => (
                <Step key={`${one.step} ${one.started_at}`} attempt={one} isOpen={isOpen} />
              ))}
              {stepsOfAttempt.map(
                ({ step, started_at, error }) => error && <p key={`${step} ${started_at}`}>{error.detail}</p>,
              )}
              <NextTry
                at={stepsOfAttempt.findLast(({ error }) => error?.next_try_at)?.error?.next_try_at}
                isAwaited={isOpen && attempt === byAttempt.at(-1)?.[0]}
              />
            </td>
            <td>
              <Time iso={stepsOfAttempt[0]!.started_at} date={false} seconds />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** When the attempt after one that failed begins, or was to begin; `isAwaited`: it has not begun. */
function NextTry({ at, isAwaited }: { at: string | null | undefined; isAwaited: boolean }) {
  const now = useNow();
  if (!at) return null;
  if (isAwaited && Date.parse(at) <= now) return <p className="quiet">The next try is due.</p>;
  return (
    <p className="quiet">
      Next try {Date.parse(at) > now ? 'is' : 'was'} <Time iso={at} date={!isToday(at)} seconds />
    </p>
  );
}

function Step({ attempt, isOpen }: { attempt: Attempt; isOpen: boolean }) {
  const { step, started_at, finished_at, error } = attempt;
  const seconds = finished_at === null ? null : (Date.parse(finished_at) - Date.parse(started_at)) / 1000;
  const words = error ? 'failed' : seconds === null ? (isOpen ? 'running' : 'cut off') : 'done';
  const mark = { failed: '×', running: '…', 'cut off': '–', done: '✓' }[words];
  return (
    <span className={error ? styles.failedStep : styles.step}>
      {step} <span aria-hidden>{mark}</span>
      <span className="visually-hidden">{words}</span>
      {seconds !== null && <span className="quiet"> {formatDuration(seconds)}</span>}
    </span>
  );
}

/** Progress of an open run. */
export function Progress({ runIds }: { runIds: RunIds }) {
  const { data } = useQuery(progressQuery(runIds));
  if (!data || data.records.total === null) return null;
  const { records, bytes, parts } = data;
  const total = records.total ?? 0;
  return (
    <div className={styles.progress}>
      <progress aria-label="Rows that were read" value={records.done} max={Math.max(1, total)} />
      <p>
        {formatCount(records.done)} of {quantity(total, 'row')}, {formatBytes(bytes)}
        {parts.total !== null && `, ${formatCount(parts.staged)} of ${quantity(parts.total, 'file')} staged`}
      </p>
    </div>
  );
}
