/** The second line of an export in the list: why it needs somebody, why it is paused, or how far it is complete. */
import { Link } from '@tanstack/react-router';
import { useNow } from '../../look/now.ts';
import { formatDuration, isToday, Time } from '../../look/time.tsx';
import { editAddress } from '../addresses.ts';
import { countIntervals } from '../words/cadence.ts';
import { Freshness } from '../words/freshness.tsx';
import { PauseWords } from '../words/pause.tsx';
import type { ListedExport } from './list-data.ts';
import styles from './list.module.css';

export function RowSentence({ projectId, one }: { projectId: number; one: ListedExport }) {
  const { undelivered, error, pause, nextTryAt } = one;
  const now = useNow();
  if (one.state === 'needs_you' && undelivered) {
    const { count, since } = undelivered;
    return (
      <p className={styles.sentence}>
        <strong className={styles.urgent}>{countIntervals(count, one.interval)} not delivered</strong> since{' '}
        <Time iso={since} date={!isToday(since)} />. {error && <span className={styles.error}>{error.detail} </span>}
        {error?.field && <Fix projectId={projectId} exportId={one.id} field={error.field} name={one.name} />}
        {pause && <PauseWords {...pause} />}
      </p>
    );
  }
  if (pause) {
    return (
      <p className={styles.sentence}>
        <PauseWords {...pause} />
      </p>
    );
  }
  return (
    <p className={styles.sentence}>
      <Freshness {...one} />
      {one.state === 'retrying' && (
        <>
          {' '}
          {error && <span className={styles.error}>{error.detail} </span>}
          {nextTryAt
            ? `The next try is in ${formatDuration(Math.max(1, (Date.parse(nextTryAt) - now) / 1000))}.`
            : 'It is tried again by itself.'}
        </>
      )}
    </p>
  );
}

type FixProps = { projectId: number; exportId: string; field: string; name: string };

/** Leads to the field that is to be mended. */
function Fix({ projectId, exportId, field, name }: FixProps) {
  return (
    <Link to={editAddress({ projectId, exportId }, field)} aria-label={`Fix ${name}`}>
      Fix
    </Link>
  );
}
