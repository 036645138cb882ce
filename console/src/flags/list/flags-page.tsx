/** The flags of a project, with their state, rollout and age. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { ROW, useRowKeys } from '../../keys/row-keys.ts';
import { Button } from '../../look/button.tsx';
import { ChoiceLinks } from '../../look/choice-links.tsx';
import { Empty, Failure, Skeleton } from '../../look/notes.tsx';
import { PageHead } from '../../look/page-head.tsx';
import { Pages } from '../../look/pages.tsx';
import { SearchField } from '../../look/search-field.tsx';
import { Time } from '../../look/time.tsx';
import { flagListQuery, PAGE_SIZE, type Flag } from '../flags-data.ts';
import { rolloutInWords, STATES, TYPES } from '../words/rollout.ts';
import styles from './flags-page.module.css';
import { NewFlagDialog } from './new-flag-dialog.tsx';
import { useListNames } from './use-list-names.ts';

const route = getRouteApi('/inside/project/$projectId/flags');

export function FlagsPage() {
  const { projectId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [isAdding, setAdding] = useState(false);
  const flags = useQuery(flagListQuery(projectId, search));
  const isFiltered = [search.search, search.state, search.type].some((value) => value !== undefined);
  const newFlag = (
    <Button kind={isFiltered ? 'plain' : 'primary'} onPress={() => setAdding(true)}>
      New flag
    </Button>
  );
  return (
    <main>
      <PageHead title="Flags" action={(isFiltered || (flags.data && flags.data.count > 0)) && newFlag}>
        <SearchField
          label="Filter by key or name"
          value={search.search ?? ''}
          onChange={(text) =>
            void navigate({ search: (now) => ({ ...now, search: text, page: undefined }), replace: true })
          }
          isFirst
        />
        <ChoiceLinks label="State" name="state" value={search.state} choices={STATES} />
        <ChoiceLinks label="Type" name="type" value={search.type} choices={TYPES} all="Any type" />
      </PageHead>
      {flags.isPending && <Skeleton rows={8} />}
      {flags.isError && <Failure error={flags.error} onRetry={() => void flags.refetch()} />}
      {flags.data && flags.data.results.length > 0 && <FlagTable projectId={projectId} flags={flags.data.results} />}
      {flags.data?.results.length === 0 &&
        (isFiltered ? (
          <Empty
            action={
              <Link from="/project/$projectId/flags" to=".">
                Clear the filters
              </Link>
            }
          >
            {search.search === undefined ? (
              'No flags match.'
            ) : (
              <>
                Nothing matches <em>{search.search}</em>.
              </>
            )}
          </Empty>
        ) : (
          <Empty action={newFlag}>
            No flags yet. A flag determines what each person gets: on or off, or one of several variants.
          </Empty>
        ))}
      {flags.data && <Pages page={search.page ?? 1} size={PAGE_SIZE} count={flags.data.count} />}
      {isAdding && <NewFlagDialog projectId={projectId} onClose={() => setAdding(false)} />}
    </main>
  );
}

function FlagTable({ projectId, flags }: { projectId: number; flags: readonly Flag[] }) {
  const names = useListNames(projectId, flags);
  const table = useRef<HTMLTableElement>(null);
  useRowKeys(table);
  return (
    <table className={styles.flags} ref={table}>
      <thead>
        <tr>
          <th>Flag</th>
          <th>State</th>
          <th>Who gets it</th>
          <th className="number">Version</th>
          <th>Changed</th>
        </tr>
      </thead>
      <tbody>
        {flags.map((flag) => (
          <tr key={flag.id}>
            <td>
              <Link
                from="/project/$projectId/flags"
                to="$flagId"
                params={{ flagId: flag.id }}
                className={styles.key}
                {...ROW}
              >
                {flag.key}
              </Link>
              {flag.name !== '' && <div className="quiet">{flag.name}</div>}
              <div className={styles.narrow}>{rolloutInWords(flag, names)}</div>
            </td>
            <td>
              <StateOf flag={flag} />
            </td>
            <td className={styles.rollout}>{rolloutInWords(flag, names)}</td>
            <td className="number">{flag.version}</td>
            <td className={styles.changed}>
              <Time iso={flag.updated_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function StateOf({ flag: { active, status } }: { flag: Flag }) {
  return (
    <span className={`${styles.state} ${active ? '' : 'quiet'}`}>
      <span aria-hidden>{active ? '●' : '○'}</span> {active ? 'On' : 'Off'}
      {status === 'STALE' && <span className="quiet"> stale</span>}
    </span>
  );
}
