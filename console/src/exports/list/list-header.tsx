/** Counts of exports by state, each a link that filters the list, and the search field. */
import { Link, useNavigate } from '@tanstack/react-router';
import { ButtonLink } from '../../look/button.tsx';
import { useNow } from '../../look/now.ts';
import { SearchField } from '../../look/search-field.tsx';
import { isToday, Time } from '../../look/time.tsx';
import { newExportAddress } from '../addresses.ts';
import { STATES, type ExportList, type ListFilter, type ListState } from './list-data.ts';
import styles from './list.module.css';

type HeaderProps = { projectId: number; list: ExportList; filter: ListFilter };

export function ListHeader({ projectId, list, filter }: HeaderProps) {
  const navigate = useNavigate();
  const now = useNow();
  return (
    <header className={styles.header}>
      <ul className={styles.counts} aria-label="Exports by state">
        {STATES.filter((state) => list.counts[state] > 0).map((state) => (
          <li key={state} className={styles[state]}>
            <Link
              to="/project/$projectId/exports"
              params={{ projectId }}
              search={{ ...filter, state: filter.state === state ? undefined : state }}
              aria-current={filter.state === state ? 'true' : undefined}
            >
              {list.counts[state]} {WORDS[state](list.counts[state])}
              {state === 'retrying' && list.nextTryAt && (
                <>
                  {', next try '}
                  {Date.parse(list.nextTryAt) > now ? (
                    <>
                      at <Time iso={list.nextTryAt} date={!isToday(list.nextTryAt)} />
                    </>
                  ) : (
                    'is due'
                  )}
                </>
              )}
            </Link>
          </li>
        ))}
      </ul>
      <SearchField
        key={projectId}
        label="Filter"
        value={filter.search ?? ''}
        onChange={(search) =>
          void navigate({
            to: '/project/$projectId/exports',
            params: { projectId },
            search: { ...filter, search: search || undefined },
            replace: true,
          })
        }
        isFirst
      />
      {list.canCreate && (
        <ButtonLink kind="primary" to={newExportAddress(projectId)}>
          New export
        </ButtonLink>
      )}
    </header>
  );
}

const WORDS: Readonly<Record<ListState, (count: number) => string>> = {
  needs_you: (count) => (count === 1 ? 'needs you' : 'need you'),
  retrying: () => 'retrying',
  behind: () => 'behind',
  paused: () => 'paused',
  on_time: () => 'up to date',
};
