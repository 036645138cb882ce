/** Events as they arrive, the newest on top. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ApiError } from '../api/client.ts';
import { Button } from '../look/button.tsx';
import { Empty, Failure, Skeleton } from '../look/notes.tsx';
import { PageHead } from '../look/page-head.tsx';
import { EventFilter } from './event-filter.tsx';
import { EventTable } from './event-table.tsx';
import { cursorOf, eventsQuery, FILTERS, headQuery } from './events-data.ts';
import styles from './events.module.css';
import { SendFirstEvent } from './send-first-event.tsx';

const route = getRouteApi('/inside/project/$projectId/events');

export function EventsPage() {
  const { projectId } = route.useParams();
  const search = route.useSearch();
  const [isPaused, setPaused] = useState(false);
  const isNewest = search.cursor === undefined;
  const events = useQuery(eventsQuery(projectId, search));
  const head = useQuery(headQuery(projectId, search, isNewest && !isPaused));
  const { data, refetch, dataUpdatedAt, error } = events;
  const hasNewerEvents = head.data && head.dataUpdatedAt > dataUpdatedAt && head.data.id !== data?.results[0]?.id;
  useEffect(() => {
    if (isNewest && hasNewerEvents && !isPaused) void refetch();
  }, [isNewest, hasNewerEvents, isPaused, refetch]);
  const isFiltered = FILTERS.some((name) => search[name] !== undefined);
  const attr = error instanceof ApiError ? error.attr : null;
  // The message about a refused filter is shown at its field.
  const isFilterRefused = FILTERS.some((name) => name === attr);
  return (
    <main>
      <PageHead
        title="Events"
        action={
          isNewest && (
            <Button onPress={() => setPaused(!isPaused)} aria-pressed={isPaused}>
              {isPaused ? 'Follow' : 'Pause'}
            </Button>
          )
        }
      >
        <p className="quiet" role="status">
          {isNewest ? (isPaused ? '‖ Paused' : '● As they arrive') : 'Earlier events'}
        </p>
      </PageHead>
      <EventFilter
        key={projectId}
        search={search}
        refused={isFilterRefused ? { attr: attr!, text: error!.message } : undefined}
      />
      {events.isPending && <Skeleton rows={8} />}
      {error && !isFilterRefused && <Failure error={error} onRetry={() => void refetch()} />}
      {!error && head.isError && <Failure error={head.error} onRetry={() => void head.refetch()} />}
      {data && !error && data.results.length > 0 && <EventTable events={data.results} />}
      {data &&
        !error &&
        data.results.length === 0 &&
        (isFiltered || !isNewest ? <NothingMatches /> : <SendFirstEvent projectId={projectId} />)}
      {data && !error && (
        <nav aria-label="Pages" className={styles.pages}>
          {!isNewest && (
            <Link from="/project/$projectId/events" to="." search={{ ...search, cursor: undefined }}>
              Newest
            </Link>
          )}
          {data.next !== null && (
            <Link from="/project/$projectId/events" to="." search={{ ...search, cursor: cursorOf(data.next) }}>
              Earlier
            </Link>
          )}
        </nav>
      )}
    </main>
  );
}

function NothingMatches() {
  return (
    <Empty
      action={
        <Link from="/project/$projectId/events" to="." search={{}}>
          Clear the filters
        </Link>
      }
    >
      No events match.
    </Empty>
  );
}
