/** Deliveries of another timeline that wait for a decision: all of an export, or the one of an interval. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Button } from '../../look/button.tsx';
import { Failure } from '../../look/notes.tsx';
import { formatCount } from '../../look/time.tsx';
import type { ExportPath } from '../addresses.ts';
import { Decision } from './decision.tsx';
import { foreignOfQuery, foreignQuery, ourRowsQuery, type ForeignDelivery } from './foreign-data.ts';
import styles from './foreign.module.css';

const AT_FIRST = 3;
/** Deliveries that each further step shows. */
const MORE = 50;

export function ForeignDeliveries({ projectId, exportId }: ExportPath) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery(
    foreignQuery(projectId, exportId),
  );
  const [most, setMost] = useState(AT_FIRST);
  const found = data?.pages.flat() ?? [];
  const lacksPage = most > found.length && hasNextPage;
  // Not in the press: a refresh cancels the fetch of a page, which then begins again.
  useEffect(() => {
    if (lacksPage && !isFetching && !error) void fetchNextPage();
  }, [lacksPage, isFetching, error, fetchNextPage]);
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (found.length === 0) return null;
  return (
    <section className={styles.list} aria-labelledby="foreign-title">
      <h2 id="foreign-title">Delivered by another timeline</h2>
      <p>
        The destination holds deliveries that this database does not know, as after a restore. Nothing was replaced.
        Decide which one stays.
      </p>
      {found.slice(0, most).map((theirs) => (
        <DecisionOfExport key={theirs.id} {...{ projectId, exportId, theirs }} />
      ))}
      {(found.length > most || hasNextPage) && (
        <p className={styles.more}>
          <span className="quiet">
            The oldest {formatCount(Math.min(most, found.length))} of {hasNextPage && 'more than '}
            {formatCount(found.length)}.
          </span>
          <Button isPending={lacksPage} onPress={() => setMost(most + MORE)}>
            Show more
          </Button>
        </p>
      )}
    </section>
  );
}

function DecisionOfExport({ theirs, ...of }: ExportPath & { theirs: ForeignDelivery }) {
  const { data: ourRows = null } = useQuery(ourRowsQuery(of, theirs));
  return <Decision {...of} {...{ theirs, ourRows }} />;
}

type OfInterval = ExportPath & { start: string; end: string; ourRows: number | null };

export function ForeignDeliveryOfInterval({ projectId, exportId, start, end, ourRows }: OfInterval) {
  const { data } = useQuery(foreignOfQuery(projectId, exportId, { start, end }));
  return data ? <Decision {...{ projectId, exportId, ourRows }} theirs={data} /> : null;
}
