/** The second line of an export in the list: why it needs attention, why it is paused, or how far it is complete. */
import { Link } from '@tanstack/react-router';
import { useNow } from '../../look/now.ts';
import { formatDuration, isToday, Time } from '../../look/time.tsx';
import { editAddress, runAddress } from '../addresses.ts';
import { countIntervals } from '../words/cadence.ts';
import { Freshness } from '../words/freshness.tsx';
import { PauseWords } from '../words/pause.tsx';
import type { ListedExport } from './list-data.ts';
import styles from './list.module.css';

export function RowSentence({ projectId, one }: { projectId: number; one: ListedExport }) {
  const { error, pause, missed } = one;
  const now = useNow();
  if (one.undelivered) {
    return (
      <p className={styles.sentence}>
        <Undelivered one={one} undelivered={one.undelivered} />{' '}
        {error?.detail && <span className={styles.error}>{error.detail} </span>}
        <Mend projectId={projectId} one={one} />
        {pause && <PauseWords {...pause} />}
      </p>
    );
  }
  if (pause) {
    return (
      <p className={styles.sentence}>
        <PauseWords {...pause} />
        {missed > 0 && ` ${countIntervals(missed, one.interval)} missed so far.`}
      </p>
    );
  }
  return (
    <p className={styles.sentence}>
      <Freshness {...one} />
      {one.state === 'retrying' && (
        <>
          {' '}
          {error?.detail && <span className={styles.error}>{error.detail} </span>}
          {nextTry(one.nextTryAt, now)}
        </>
      )}
    </p>
  );
}

function nextTry(at: string | null, now: number): string {
  if (at === null) return 'It is tried again by itself.';
  const seconds = (Date.parse(at) - now) / 1000;
  return seconds > 0 ? `The next try is in ${formatDuration(Math.ceil(seconds))}.` : 'The next try is due.';
}

type UndeliveredProps = { one: ListedExport; undelivered: NonNullable<ListedExport['undelivered']> };

function Undelivered({ one, undelivered: { count, since } }: UndeliveredProps) {
  return (
    <>
      <strong className={styles.urgent}>{countIntervals(count, one.interval)} not delivered</strong>
      {since && (
        <>
          {since.isFirst ? ' since ' : ', the newest of '}
          <Time iso={since.start} date={!isToday(since.start)} />
        </>
      )}
      .
    </>
  );
}

/** Links to the field to correct, or to the run with the details; viewers read why, and whom to ask. */
function Mend({ projectId, one: { id, name, error, canEdit } }: { projectId: number; one: ListedExport }) {
  const of = { projectId, exportId: id };
  if (!canEdit)
    return (
      <>
        <Why {...{ of, name, error }} />
        You can look at this export; ask an editor to retry.{' '}
      </>
    );
  if (error?.field)
    return (
      <>
        <Link to={editAddress(of, error.field) as string} aria-label={`Fix ${name}`}>
          Fix
        </Link>{' '}
      </>
    );
  return <Why {...{ of, name, error }} />;
}

type WhyProps = { of: Parameters<typeof runAddress>[0] } & Pick<ListedExport, 'name' | 'error'>;

/** Leads to the run with the details of an error. */
function Why({ of, name, error }: WhyProps) {
  if (!error?.runId) return null;
  return (
    <>
      <Link to={runAddress(of, error.runId) as string} aria-label={`Why ${name} failed`}>
        Why
      </Link>{' '}
    </>
  );
}
