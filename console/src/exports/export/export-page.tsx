import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useRef, useState } from 'react';
import { useKeys } from '../../keys/keys.ts';
import { ApiError, messageOf } from '../../api/client.ts';
import { Button } from '../../look/button.tsx';
import { ChoiceLinks } from '../../look/choice-links.tsx';
import { Failure, Skeleton } from '../../look/notes.tsx';
import { useMayEdit } from '../access.ts';
import { BlockedBanner } from '../blocked.tsx';
import { ForeignDeliveries } from '../foreign/foreign-deliveries.tsx';
import { runAddress } from '../addresses.ts';
import { hasRun, needsYou } from '../states/codes.ts';
import { useMedia } from '../use-media.ts';
import { isOfCalendar } from '../words/cadence.ts';
import { Legend } from '../states/cell.tsx';
import { Dates } from './dates.tsx';
import { ExportHeader } from './export-header.tsx';
import { exportQuery, type ExportBody } from './export-data.ts';
import { Grid, GRID_KEYS } from './grid.tsx';
import { nameOf } from './interval-name.ts';
import { mapQuery, rangeBetween, type IntervalMap, type Range } from './interval-map.ts';
import { layoutOf } from './layout.ts';
import { showNotice } from '../../look/notice.tsx';
import { runOf, backfillRange } from './plan-data.ts';
import { PlanSlip, ViewersSlip } from './plan-slip.tsx';
import { IntervalTable } from './table-twin.tsx';
import { Troubles } from './troubles.tsx';
import styles from './export.module.css';

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

const isoOf = (instant: number) => new Date(instant).toISOString();

/** Number of intervals from which the link to earlier ones is hidden; a map has at most twice as many. */
const MAX_INTERVALS_WITH_EARLIER_LINK = 50_000;

const DAY = 86_400_000;

type EarlierProps = { projectId: number; one: ExportBody; before: number; words: string };

/** Links to earlier intervals: 30 more days, or 365 for daily, weekly and monthly exports. */
function Earlier({ projectId, one, before, words }: EarlierProps) {
  const days = isOfCalendar(one.interval) ? 365 : 30;
  return (
    <Link
      to="/project/$projectId/exports/$exportId"
      params={{ projectId, exportId: one.id }}
      search={(search) => ({ ...search, since: isoOf(Math.max(0, Math.floor(before / DAY - days) * DAY)) })}
      resetScroll={false}
    >
      {words}
    </Link>
  );
}

type HistoryProps = {
  projectId: number;
  one: ExportBody;
  map: IntervalMap;
  mayEdit: boolean | undefined;
  /** Whether the map is the one shown before, until the one of the address is there. */
  isLoading: boolean;
  /** Changes when the user goes to dates, also to those of the selection. */
  visit: number;
};

function History({ projectId, one, map, mayEdit, isLoading, visit }: HistoryProps) {
  const search = route.useSearch();
  const navigate = useNavigate();
  const isNarrow = useMedia('(width < 720px)');
  const { interval, timezone } = one;
  const cadence = useMemo(() => ({ interval, timezone }), [interval, timezone]);
  const layout = useMemo(() => layoutOf(map, cadence), [map, cadence]);
  const selected = useMemo(
    // The map shown before may lack a part of the selection, and a plan must be for all of it.
    () => (isLoading ? undefined : rangeBetween(map, search.start, search.end)),
    [isLoading, map, search.start, search.end],
  );
  // The active interval by its start, because numbers change when earlier intervals are shown. Absent, or of an earlier visit: the
  // selection's last one.
  const [chosen, setChosen] = useState<{ start: number; visit: number }>();
  const setActive = (number: number) => setChosen({ start: map.starts[number]!, visit });
  const newest = map.codes.length - 1;
  // By default the newest interval that is not blank is active, so an export whose deliveries are all old opens at them.
  const newestNotBlank = map.codes.findLastIndex((code) => code !== '--');
  const last = selected?.last ?? (newestNotBlank >= 0 ? newestNotBlank : newest);
  const found = chosen?.visit === visit ? map.starts.indexOf(chosen.start) : -1;
  const active = found >= 0 ? found : last;
  const scrollRef = useRef<HTMLDivElement>(null);
  const wantsFocus = useRef(false);
  const deliverButton = useRef<HTMLButtonElement>(null);
  const isGrid = !isNarrow && search.view !== 'table';
  const onlyMissing = search.only !== 'all';
  const params = { projectId, exportId: one.id };

  const go = (change: Partial<typeof search>) =>
    void navigate({
      to: '/project/$projectId/exports/$exportId',
      params,
      search: { ...search, ...change },
      replace: true,
      resetScroll: false,
    });
  function select(range: Range | undefined) {
    go(
      range
        ? { start: isoOf(map.starts[range.first]!), end: isoOf(map.ends[range.last]!) }
        : { start: undefined, end: undefined },
    );
  }
  async function open(number: number) {
    const known = [...map.needs_you, ...map.retrying].find(
      ({ data_interval_end }) => Date.parse(data_interval_end) === map.ends[number],
    )?.run_id;
    const run = known ?? (await runOf(projectId, one.id, map.starts[number]!, map.ends[number]!));
    if (run) await navigate({ to: runAddress(params, run) as string });
    else select({ first: number, last: number });
  }
  const openRun = (number: number) =>
    void open(number).catch((error: unknown) => showNotice({ text: messageOf(error) }));
  useKeys({
    n: {
      does: 'Next interval that needs you',
      run() {
        const before = map.codes.findLastIndex((code, number) => number < active && needsYou(code));
        const next = before >= 0 ? before : map.codes.findLastIndex(needsYou);
        if (next < 0) return;
        wantsFocus.current = true;
        setActive(next);
        // The grid must draw a cell that is far away before it can be focused.
        scrollRef.current?.querySelector<HTMLElement>(`[data-number="${next}"]`)?.focus();
      },
    },
    ...(isGrid && GRID_KEYS),
    b: { does: 'Go to the plan', run: () => deliverButton.current?.focus() },
    Escape: { does: 'Select nothing', run: () => select(undefined) },
  });

  const bounds = selected && { start: map.starts[selected.first]!, end: map.ends[selected.last]! };
  return (
    <>
      {!isNarrow && (
        <ChoiceLinks
          label="Intervals as"
          name="view"
          value={search.view === 'table' ? 'table' : undefined}
          choices={[{ value: 'table', label: 'Table' }]}
          all="Grid"
        />
      )}
      <p className={styles.readout}>
        {nameOf(map, active, cadence)}{' '}
        {hasRun(map.codes[active]!) && (
          <Button kind="quiet" onPress={() => openRun(active)}>
            Open its run
          </Button>
        )}
      </p>
      <div className={styles.body} aria-busy={isLoading}>
        {!isGrid ? (
          <IntervalTable map={map} cadence={cadence} selected={selected} onSelect={select} onOpen={openRun} />
        ) : (
          <Grid
            {...{ map, layout, cadence, selected, active, visit, isLoading, scrollRef, wantsFocus }}
            onSelect={select}
            onActive={setActive}
            onOpen={openRun}
            onRun={() => deliverButton.current?.click()}
          />
        )}
        {bounds && mayEdit === false && <ViewersSlip exportId={one.id} range={bounds} cadence={cadence} />}
        {bounds && mayEdit && (
          <PlanSlip
            key={`${bounds.start} ${bounds.end}`}
            projectId={projectId}
            exportId={one.id}
            cadence={cadence}
            range={bounds}
            body={backfillRange(cadence, bounds.start, bounds.end, onlyMissing)}
            onlyMissing={onlyMissing}
            isReplacing={one.promises.redelivery === 'replaces'}
            isFiltered={(one.filters ?? []).length > 0}
            onOnly={(only) => go({ only: only ? undefined : 'all' })}
            backfillId={search.backfill}
            onBackfill={(backfill) => go({ backfill })}
            buttonRef={deliverButton}
          />
        )}
        {!bounds && !isLoading && (
          <p className="quiet">
            {search.start && search.end && 'No interval that has ended lies between these times. '}
            {mayEdit && 'Select intervals to see what a delivery of them would do.'}
          </p>
        )}
      </div>
      <Legend counts={map.counts} />
      {map.isCut && (
        <p className="quiet">
          Later intervals are left out, because there are too many for one grid.{' '}
          <Link to="/project/$projectId/exports/$exportId" params={params} search={{}}>
            Show the newest
          </Link>
        </p>
      )}
      {map.codes.length < MAX_INTERVALS_WITH_EARLIER_LINK && (
        <p>
          <Earlier {...{ projectId, one }} before={map.starts[0]!} words="Show earlier intervals" />
        </p>
      )}
    </>
  );
}
