/** The intervals of an export as a grid or a table, beside the plan of the selected ones, or its receipt. */
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useKeys } from '../../keys/keys.ts';
import { messageOf } from '../../api/client.ts';
import { Button } from '../../look/button.tsx';
import { ChoiceLinks } from '../../look/choice-links.tsx';
import { showNotice } from '../../look/notice.tsx';
import { runAddress } from '../addresses.ts';
import { hasRun, needsYou } from '../states/codes.ts';
import { useMedia } from '../use-media.ts';
import { isOfCalendar } from '../words/cadence.ts';
import { Legend } from '../states/cell.tsx';
import type { ExportBody } from './export-data.ts';
import { Grid, GRID_KEYS } from './grid.tsx';
import { nameOf } from './interval-name.ts';
import { DAY, isoOf, rangeBetween, type IntervalMap, type Range } from './interval-map.ts';
import { layoutOf } from './layout.ts';
import { runOf, backfillRange } from './plan/plan-data.ts';
import { PlanSlip, ViewersSlip } from './plan/plan-slip.tsx';
import { IntervalTable } from './table-twin.tsx';
import styles from './export.module.css';

const route = getRouteApi('/inside/project/$projectId/exports/$exportId');

/** Number of intervals from which the link to earlier ones is hidden; a map has at most twice as many. */
const MAX_INTERVALS_WITH_EARLIER_LINK = 50_000;

type EarlierProps = { projectId: number; one: ExportBody; before: number; words: string };

/** Links to earlier intervals: 30 more days, or 365 for daily, weekly and monthly exports. */
export function Earlier({ projectId, one, before, words }: EarlierProps) {
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

export function History({ projectId, one, map, mayEdit, isLoading, visit }: HistoryProps) {
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
  const body = useRef<HTMLDivElement>(null);
  const wantsSlip = useRef(false);
  useEffect(() => {
    const slip = wantsSlip.current && body.current?.querySelector<HTMLElement>('section');
    if (!slip) return;
    wantsSlip.current = false;
    slip.focus({ preventScroll: true });
    // At once, also for people who want motion.
    slip.scrollIntoView({ block: 'nearest' });
  });
  /** Selects a stretch of the table, which may be longer than the screen: the plan is below it. */
  function selectInTable(range: Range) {
    wantsSlip.current = true;
    select(range);
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
      {newestNotBlank < 0 && (
        <p>
          Each dash is an interval outside of the schedule.{mayEdit && ' Select the intervals that you want delivered.'}
        </p>
      )}
      <p className={styles.readout}>
        {nameOf(map, active, cadence)}{' '}
        {hasRun(map.codes[active]!) && (
          <Button kind="quiet" onPress={() => openRun(active)}>
            Open its run
          </Button>
        )}
      </p>
      <div ref={body} className={styles.body} aria-busy={isLoading}>
        {!isGrid ? (
          <IntervalTable map={map} cadence={cadence} selected={selected} onSelect={selectInTable} onOpen={openRun} />
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
