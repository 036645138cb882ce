/** The dashboards of a project, pinned ones first. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { ROW, useRowKeys } from '../../keys/row-keys.ts';
import { Empty, Failure, Skeleton } from '../../look/notes.tsx';
import { PageHead } from '../../look/page-head.tsx';
import { Pages } from '../../look/pages.tsx';
import { SearchField } from '../../look/search-field.tsx';
import { Time } from '../../look/time.tsx';
import type { components } from '../../api/schema.d.ts';
import { dashboardListQuery, PAGE_SIZE } from '../dashboards-data.ts';
import { FromTemplate, NewDashboard, useTemplates } from '../from-template.tsx';
import styles from './dashboards-page.module.css';

const route = getRouteApi('/inside/project/$projectId/dashboards');

export function DashboardsPage() {
  const { projectId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const dashboards = useQuery(dashboardListQuery(projectId, search));
  const making = useTemplates(projectId);
  const { data, error } = dashboards;
  const isFiltered = search.search !== undefined;
  return (
    <main>
      <PageHead
        title="Dashboards"
        action={(isFiltered || (data && data.count > 0)) && <NewDashboard making={making} />}
      >
        <SearchField
          label="Filter by name"
          value={search.search ?? ''}
          onChange={(text) => void navigate({ search: { search: text || undefined }, replace: true })}
          isFirst
        />
      </PageHead>
      {making.isError && <Failure error={making.error} />}
      {dashboards.isPending && <Skeleton rows={6} />}
      {error && <Failure error={error} onRetry={() => void dashboards.refetch()} />}
      {data && data.results.length > 0 && <DashboardTable dashboards={data.results} />}
      {data?.results.length === 0 &&
        (isFiltered ? (
          <Empty
            action={
              <Link from="/project/$projectId/dashboards" to="." search={{}}>
                Clear the filter
              </Link>
            }
          >
            Nothing matches <em>{search.search}</em>.
          </Empty>
        ) : (
          <Empty action={<FromTemplate projectId={projectId} />}>
            No dashboards yet. Start from a template, or create one from your own insights with the API.
          </Empty>
        ))}
      {data && <Pages page={search.page ?? 1} size={PAGE_SIZE} count={data.count} />}
    </main>
  );
}

type ListedDashboard = components['schemas']['ListedDashboard'];

function DashboardTable({ dashboards }: { dashboards: readonly ListedDashboard[] }) {
  const table = useRef<HTMLTableElement>(null);
  useRowKeys(table);
  return (
    <table ref={table}>
      <thead>
        <tr>
          <th>Dashboard</th>
          <th>Shared</th>
          <th className={styles.wide}>Created</th>
        </tr>
      </thead>
      <tbody>
        {dashboards.map((board) => (
          <tr key={board.id}>
            <td className={styles.name}>
              <Link
                from="/project/$projectId/dashboards"
                to="$dashboardId"
                params={{ dashboardId: board.id }}
                className={styles.link}
                {...ROW}
              >
                {board.name || 'Untitled'}
              </Link>
              {board.pinned && <span className="quiet"> pinned</span>}
              {board.description !== '' && <div className="quiet">{board.description}</div>}
              {board.tags.length > 0 && <div className="quiet">{board.tags.join(', ')}</div>}
            </td>
            <td>{board.is_shared ? 'by link' : <span className="quiet">no</span>}</td>
            <td className={styles.wide}>
              <Time iso={board.created_at} />
              {board.created_by && (
                <div className={`quiet ${styles.name}`}>by {board.created_by.first_name || board.created_by.email}</div>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
