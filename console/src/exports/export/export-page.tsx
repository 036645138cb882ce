import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { useKeys } from '../../keys/keys.ts';
import { COPY_REQUEST, copyRequest } from '../../look/copy.tsx';
import { Failure, Skeleton } from '../../look/notes.tsx';
import { useMayEdit } from '../access.ts';
import { BlockedBanner } from '../blocked.tsx';
import { ForeignDeliveries } from '../foreign/foreign-deliveries.tsx';
import { needsYou } from '../states/codes.ts';
import { Dates } from './dates.tsx';
import { ExportHeader } from './export-header.tsx';
import { exportQuery } from './export-data.ts';
import { Earlier, History } from './history.tsx';
import { DAY, isoOf, mapPath, mapQuery } from './interval-map.ts';
import { Troubles } from './troubles.tsx';

const route = getRouteApi('/inside/project/$projectId/exports/$exportId');

export function ExportPage() {
  const { projectId, exportId } = route.useParams();
  // The key remounts the view for another export, so it does not keep the first range and the active interval of this one.
  return <ExportView key={exportId} {...{ projectId, exportId }} />;
}

function ExportView({ projectId, exportId }: { projectId: number; exportId: string }) {
  const { start, end, since } = route.useSearch();
  const navigate = useNavigate();
  /** How often the user went to dates. */
  const [visit, setVisit] = useState(0);
  const batchExport = useQuery(exportQuery(projectId, exportId));
  const map = useQuery(mapQuery(projectId, exportId, since));
  const mayEdit = useMayEdit(projectId, exportId);
  const path = mapPath(projectId, exportId, map.data?.range ?? (since === undefined ? {} : { start: since }));
  useKeys({ c: { does: COPY_REQUEST, run: () => void copyRequest(path) } });
  // If the export was deleted while its page is open, the cached data would mislead, and its buttons do nothing.
  if (batchExport.error instanceof ApiError && batchExport.error.status === 404)
    return (
      <main>
        <h1>Not found</h1>
        <Failure error={batchExport.error} />
      </main>
    );
  /** Selects a range. If it begins before the map, or ends after a cut map, the map is loaded again from the range's first day on. */
  function goTo(range: { start: string; end: string }) {
    const shown = map.data?.starts[0] ?? Infinity;
    const isBeyond = map.data?.isCut === true && Date.parse(range.end) > map.data.ends.at(-1)!;
    setVisit(visit + 1);
    const day = isoOf(Math.floor(Date.parse(range.start) / DAY) * DAY);
    void navigate({
      to: '/project/$projectId/exports/$exportId',
      params: { projectId, exportId },
      search: (search) => ({ ...search, ...range, since: isBeyond || Date.parse(day) < shown ? day : search.since }),
      resetScroll: false,
    });
  }
  const failed = batchExport.isError ? batchExport : map.isError ? map : undefined;
  return (
    <main>
      <BlockedBanner />
      {batchExport.data && <ExportHeader {...{ projectId, mayEdit }} one={batchExport.data} map={map.data} />}
      {failed && <Failure error={failed.error} onRetry={() => void failed.refetch()} />}
      {batchExport.data && map.data && <Troubles {...{ projectId, mayEdit }} one={batchExport.data} map={map.data} />}
      {/* The map names the reason of its newest intervals only. */}
      {map.data && [...map.data.counts.keys()].some(needsYou) && <ForeignDeliveries {...{ projectId, exportId }} />}
      {batchExport.data && <Dates {...{ start, end }} one={batchExport.data} onGo={goTo} />}
      {(batchExport.isPending || map.isPending) && !failed && <Skeleton rows={12} />}
      {batchExport.data && map.data?.codes.length === 0 && (
        <Earlier
          {...{ projectId }}
          one={batchExport.data}
          before={Date.parse(batchExport.data.created_at)}
          words={mayEdit ? 'Or deliver history' : 'Show history'}
        />
      )}
      {batchExport.data && map.data && map.data.codes.length > 0 && (
        <History
          {...{ projectId, mayEdit, visit }}
          one={batchExport.data}
          map={map.data}
          isLoading={map.isPlaceholderData}
        />
      )}
    </main>
  );
}
