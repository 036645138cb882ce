import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback, useMemo, useRef, useState, type RefObject } from 'react';
import { Chunk } from '../../chunks/chunk.tsx';
import { lazyChunk } from '../../chunks/lazy-chunk.ts';
import { useKeys } from '../../keys/keys.ts';
import { Empty, Failure, Skeleton } from '../../look/notes.tsx';
import { Blocked } from '../blocked.tsx';
import type { BulkResult } from './bulk.ts';
import { ExportRow, ROW_LINK } from './export-row.tsx';
import { ListHeader } from './list-header.tsx';
import { listQuery, type ExportList, type ListFilter } from './list-data.ts';

const route = getRouteApi('/inside/project/$projectId/exports');

/** Loaded where it is shown: most projects have exports. */
const EmptyProject = lazyChunk(() => import('./empty-project.tsx'), 'EmptyProject');

/** Loaded with the first selection. */
const SelectionBar = lazyChunk(() => import('./selection-bar.tsx'), 'SelectionBar');

export function ExportsPage() {
  const { projectId } = route.useParams();
  const filter = route.useSearch();
  const list = useQuery(listQuery(projectId, filter));
  const isEmpty = list.data?.total === 0 && !filter.search && !list.isPlaceholderData;
  return (
    <main>
      <h1 className="visually-hidden">Exports</h1>
      {list.isPending && <Skeleton rows={8} />}
      {list.isError && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {list.data?.blocked && <Blocked reason={list.data.blocked} />}
      {isEmpty && !list.data?.canCreate && (
        <Empty>
          No exports yet. You are a viewer of this project’s exports. To create one you need the editor level: ask a
          project admin for it.
        </Empty>
      )}
      {isEmpty && list.data?.canCreate && (
        <Chunk fallback={<Skeleton rows={4} />}>
          <EmptyProject projectId={projectId} />
        </Chunk>
      )}
      {list.data && !isEmpty && <Ledger key={projectId} {...{ projectId, filter, list: list.data }} />}
    </main>
  );
}

type LedgerProps = { projectId: number; filter: ListFilter; list: ExportList };

const NONE: ReadonlySet<string> = new Set();

function Ledger({ projectId, filter, list }: LedgerProps) {
  const [chosen, setChosen] = useState(NONE);
  const [results, setResults] = useState<ReadonlyMap<string, BulkResult>>(new Map());
  const rows = useRef<HTMLUListElement>(null);
  // Actions leave out exports that the filter hides.
  const selected = useMemo(() => list.exports.filter(({ id, canEdit }) => canEdit && chosen.has(id)), [list, chosen]);
  const select = useCallback((id: string, isSelected: boolean) => {
    setChosen((before) => {
      const next = new Set(before);
      if (isSelected) next.add(id);
      else next.delete(id);
      return next;
    });
  }, []);
  useListKeys(
    rows,
    (id) => select(id, !chosen.has(id)),
    () => setChosen(NONE),
  );
  return (
    <>
      <ListHeader projectId={projectId} list={list} filter={filter} />
      {list.exports.length === 0 && <NothingMatches projectId={projectId} filter={filter} />}
      <ul ref={rows} aria-label="Exports">
        {list.exports.map((one) => (
          <ExportRow
            key={one.id}
            projectId={projectId}
            batchExport={one}
            isSelected={one.canEdit && chosen.has(one.id)}
            onSelect={select}
            result={results.get(one.id)}
          />
        ))}
      </ul>
      {list.found > list.exports.length && (
        <p className="quiet">
          The first {list.exports.length} of {list.found.toLocaleString('en-US')}. Filter to see others.
        </p>
      )}
      {selected.length > 0 && (
        <Chunk>
          <SelectionBar {...{ projectId, selected }} onClear={() => setChosen(NONE)} onResults={setResults} />
        </Chunk>
      )}
    </>
  );
}

function NothingMatches({ projectId, filter }: { projectId: number; filter: ListFilter }) {
  return (
    <Empty>
      Nothing matches {filter.search ? <em>{filter.search}</em> : 'the filter'}.{' '}
      <Link to="/project/$projectId/exports" params={{ projectId }} search={{}}>
        Clear
      </Link>
    </Empty>
  );
}

/** @returns the index of the row that has the focus, in its link or in its checkbox; -1: none */
function focused(links: readonly HTMLAnchorElement[]): number {
  return links.findIndex((link) => link.closest('li')?.contains(document.activeElement));
}

function useListKeys(rows: RefObject<HTMLUListElement | null>, toggle: (id: string) => void, clear: () => void): void {
  const links = () => [...(rows.current?.querySelectorAll<HTMLAnchorElement>(`[${ROW_LINK}]`) ?? [])];
  function move(by: number) {
    const all = links();
    const at = focused(all);
    all[at < 0 ? 0 : Math.max(0, Math.min(all.length - 1, at + by))]?.focus();
  }
  useKeys({
    j: { does: 'Next export', run: () => move(1) },
    k: { does: 'Previous export', run: () => move(-1) },
    x: {
      does: 'Select the export',
      run() {
        const all = links();
        const id = all[focused(all)]?.getAttribute(ROW_LINK);
        if (id) toggle(id);
      },
    },
    Escape: { does: 'Select nothing', run: clear },
  });
}
