/** The second line of an export in the list: why it needs attention, why it is paused, or how far it is complete. */
import { useNow } from '../../look/now.ts';
import { isToday, Time } from '../../look/time.tsx';
import { countIntervals } from '../words/cadence.ts';
import { Freshness } from '../words/freshness.tsx';
import { ErrorLinks, nextTry } from '../words/error-links.tsx';
import { PauseWords } from '../words/pause.tsx';
import type { ListedExport } from './list-data.ts';
import styles from './list.module.css';

export function RowStatus({ projectId, batchExport }: { projectId: number; batchExport: ListedExport }) {
  const { error, pause, missed, undelivered, retrying, areCountsMinimums, interval, canEdit } = batchExport;
  const atLeast = areCountsMinimums && 'At least ';
  const now = useNow();
  return (
    <p className={styles.sentence}>
      {undelivered ? (
        <Undelivered {...{ batchExport, undelivered, atLeast }} />
      ) : (
        !pause && <Freshness {...batchExport} hasTroubles={retrying > 0} />
      )}
      {(undelivered || retrying > 0) && (
        <>
          {' '}
          {!undelivered && (
            <strong className={styles.retried}>
              {atLeast}
              {countIntervals(retrying, interval)} retrying.{' '}
            </strong>
          )}
          {error?.detail && <span className={styles.error}>{error.detail} </span>}
          {!undelivered && `${nextTry(batchExport.nextTryAt, now)} `}
          {(undelivered || canEdit) && <ErrorLinks {...batchExport} of={{ projectId, exportId: batchExport.id }} />}
        </>
      )}
      {pause && <PauseWords {...pause} />}
      {pause && !undelivered && missed && ` ${countIntervals(missed.intervals, interval)} missed so far.`}
    </p>
  );
}

type UndeliveredProps = {
  batchExport: ListedExport;
  undelivered: NonNullable<ListedExport['undelivered']>;
  atLeast: string | false;
};

function Undelivered({ batchExport, undelivered: { count, deliveredBefore, since }, atLeast }: UndeliveredProps) {
  const never = count - deliveredBefore;
  return (
    <>
      <strong className={styles.urgent}>
        {atLeast}
        {never > 0 && `${countIntervals(never, batchExport.interval)} not delivered`}
        {never > 0 && deliveredBefore > 0 && ', '}
        {deliveredBefore > 0 && `${countIntervals(deliveredBefore, batchExport.interval)} not delivered again`}
      </strong>
      {deliveredBefore > 0 && ` (the earlier ${deliveredBefore === 1 ? 'delivery stands' : 'deliveries stand'})`}
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
