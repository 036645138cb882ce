/** Deliveries of another timeline about which somebody has to decide: all of an export, or that of one interval. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../look/button.tsx';
import { Failure } from '../../look/notes.tsx';
import { Decision } from './decision.tsx';
import { foreignQuery, type ForeignDelivery } from './foreign-data.ts';
import styles from './foreign.module.css';

type Of = { projectId: number; exportId: string };

const AT_ONCE = 3;

export function ForeignDeliveries({ projectId, exportId }: Of) {
  const { data = [], error, refetch } = useQuery(foreignQuery(projectId, exportId));
  const [most, setMost] = useState(AT_ONCE);
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data.length === 0) return null;
  return (
    <section className={styles.list} aria-labelledby="foreign-title">
      <h2 id="foreign-title">Delivered by another timeline</h2>
      <p>
        The destination holds deliveries that this database does not know, as after a restore. Nothing was replaced.
        Decide which one stays.
      </p>
      {data.slice(0, most).map((theirs) => (
        <Decision key={theirs.id} {...{ projectId, exportId, theirs }} ourRows={null} />
      ))}
      {data.length > most && <Button onPress={() => setMost(most + AT_ONCE)}>{data.length - most} more</Button>}
    </section>
  );
}

type OfInterval = Of & { end: string; ourRows: number | null };

export function ForeignDeliveryOf({ projectId, exportId, end, ourRows }: OfInterval) {
  const { data = [] } = useQuery(foreignQuery(projectId, exportId));
  const isOfInterval = (one: ForeignDelivery) => Date.parse(one.data_interval_end) === Date.parse(end);
  const theirs = data.find(isOfInterval);
  return theirs && <Decision {...{ projectId, exportId, theirs, ourRows }} />;
}
