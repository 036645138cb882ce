/** The second line of an export in the list: why it needs attention, why it is paused, or how far it is complete. */
import { useNow } from '../../look/now.ts';
import { isToday, Time } from '../../look/time.tsx';
import { countIntervals } from '../words/cadence.ts';
import { Freshness } from '../words/freshness.tsx';
import { ErrorLinks, nextTry } from '../words/mend.tsx';
import { PauseWords } from '../words/pause.tsx';
import type { ListedExport } from './list-data.ts';
import styles from './list.module.css';

export function RowSentence({ projectId, one }: { projectId: number; one: ListedExport }) {
  const { error, pause, missed, undelivered, retrying, isLeast, interval, canEdit } = one;
  const least = isLeast && 'At least ';
  const now = useNow();
  return (
    <p className={styles.sentence}>
      {undelivered ? <Undelivered {...{ one, undelivered, least }} /> : !pause && <Freshness {...one} />}
      {(undelivered || retrying > 0) && (
        <>
          {' '}
          {!undelivered && (
            <strong className={styles.retried}>
              {least}
              {countIntervals(retrying, interval)} retrying.{' '}
            </strong>
          )}
          {error?.detail && <span className={styles.error}>{error.detail} </span>}
          {!undelivered && `${nextTry(one.nextTryAt, now)} `}
          {(undelivered || canEdit) && <ErrorLinks {...one} of={{ projectId, exportId: one.id }} />}
        </>
      )}
      {pause && <PauseWords {...pause} />}
      {pause && !undelivered && missed > 0 && ` ${countIntervals(missed, interval)} missed so far.`}
    </p>
  );
}

type UndeliveredProps = {
  one: ListedExport;
  undelivered: NonNullable<ListedExport['undelivered']>;
  least: string | false;
};

function Undelivered({ one, undelivered: { count, held, since }, least }: UndeliveredProps) {
  const never = count - held;
  return (
    <>
      <strong className={styles.urgent}>
        {least}
        {never > 0 && `${countIntervals(never, one.interval)} not delivered`}
        {never > 0 && held > 0 && ', '}
        {held > 0 && `${countIntervals(held, one.interval)} not delivered again`}
      </strong>
      {held > 0 && ` (the earlier ${held === 1 ? 'delivery stands' : 'deliveries stand'})`}
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
