/** A dashboard, drawn like its shared page, with the button that shares it by link. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { positionTiles } from '../../../../src/analytics/sharing/charts/positions.ts';
import '../../../../src/analytics/sharing/charts/charts.css';
import { Chunk } from '../../chunks/chunk.tsx';
import { lazyChunk } from '../../chunks/lazy-chunk.ts';
import { Button } from '../../look/button.tsx';
import { Empty, Failure, Skeleton } from '../../look/notes.tsx';
import { PageHead } from '../../look/page-head.tsx';
import { dashboardQuery, type Dashboard } from '../dashboards-data.ts';
import { FromTemplate } from '../from-template.tsx';
import styles from './dashboard.module.css';
import { DashboardTile } from './tile.tsx';

const SharingDialog = lazyChunk(() => import('../sharing/sharing-dialog.tsx'), 'SharingDialog');

const route = getRouteApi('/inside/project/$projectId/dashboards/$dashboardId');

export function DashboardPage() {
  const { projectId, dashboardId } = route.useParams();
  const dashboard = useQuery(dashboardQuery(projectId, dashboardId));
  const [isSharing, setSharing] = useState(false);
  const { data } = dashboard;
  const close = () => {
    setSharing(false);
    void dashboard.refetch();
  };
  return (
    <main>
      {dashboard.isPending && <Skeleton rows={8} />}
      {dashboard.isError && <Failure error={dashboard.error} onRetry={() => void dashboard.refetch()} />}
      {data && (
        <>
          <PageHead
            title={data.name || 'Untitled'}
            action={<Button onPress={() => setSharing(true)}>{data.is_shared ? 'Shared by link' : 'Share'}</Button>}
          />
          {data.description !== '' && <p className={styles.description}>{data.description}</p>}
          <Tiles dashboard={data} projectId={projectId} />
        </>
      )}
      {isSharing && data && (
        <Chunk onClose={close}>
          <SharingDialog
            mayEdit={mayEdit(data)}
            path={{ project_id: projectId, dashboard_id: String(dashboardId) }}
            onClose={close}
          />
        </Chunk>
      )}
    </main>
  );
}

const EDITORS_ONLY_PRIVILEGE = 37;

/** Whether the user may change the dashboard and its link: their access level and the dashboard's restriction must both allow it. */
function mayEdit({ user_access_level: level, effective_privilege_level: privilege }: Dashboard): boolean {
  return privilege === EDITORS_ONLY_PRIVILEGE && (level === 'editor' || level === 'manager');
}

function Tiles({ dashboard: { tiles }, projectId }: { dashboard: Dashboard; projectId: number }) {
  if (tiles.length === 0) {
    return (
      <Empty action={<FromTemplate projectId={projectId} />}>
        This dashboard has no tiles yet. Add insights and texts with the API, or create another dashboard from a
        template.
      </Empty>
    );
  }
  const areas = new Map(positionTiles(tiles));
  return (
    <div className={styles.tiles}>
      {tiles.map((tile) => (
        <DashboardTile key={tile.id} tile={tile} area={areas.get(tile.id) ?? 'auto'} />
      ))}
    </div>
  );
}
