/** The plan of a delivery of the selected intervals, and its launch by the token of the plan that is shown. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState, type RefObject } from 'react';
import { asCurl } from '../../../api/curl.ts';
import { ApiError, messageOf } from '../../../api/client.ts';
import { Button } from '../../../look/button.tsx';
import { Copy } from '../../../look/copy.tsx';
import { formatInterval } from '../../../look/time.tsx';
import { runAddress } from '../../addresses.ts';
import { exportKeys } from '../../query-keys.ts';
import { countIntervals } from '../../words/cadence.ts';
import { zoneOf } from '../../words/interval-time.tsx';
import type { Cadence } from '../layout.ts';
import { BackfillReceipt } from './backfill-receipt.tsx';
import { backfillQuery, launch, previewQuery, type Backfill, type BackfillRange, type Preview } from './plan-data.ts';
import { linesOf, type PlanKind } from './plan-lines.ts';
import styles from '../export.module.css';

type SlipProps = PlanKind & {
  projectId: number;
  exportId: string;
  cadence: Cadence;
  range: { start: number; end: number };
  body: BackfillRange;
  onOnly: (onlyMissing: boolean) => void;
  /** The backfill that the address names: its receipt takes the place of the plan of the same range. */
  backfillId: string | undefined;
  onBackfill: (id: string | undefined) => void;
  buttonRef: RefObject<HTMLButtonElement | null>;
};

export function PlanSlip(props: SlipProps) {
  const {
    projectId,
    exportId,
    cadence,
    range,
    body,
    onlyMissing,
    isReplacing,
    isFiltered,
    onOnly,
    onBackfill,
    buttonRef,
  } = props;
  const queries = useQueryClient();
  const preview = useQuery(previewQuery(projectId, exportId, body));
  const [change, setChange] = useState<string>();
  const start = useMutation({
    mutationFn: (plan: Preview) => launch(projectId, exportId, body, plan.plan),
    onMutate: () => setChange(undefined),
    onSuccess: (id) => onBackfill(id),
    onError(error, shown) {
      const now = newPlanOf(error);
      if (!now) return;
      queries.setQueryData(previewQuery(projectId, exportId, body).queryKey, now);
      setChange(changeBetween(shown, now, cadence.interval));
    },
    onSettled: () => queries.invalidateQueries({ queryKey: [...exportKeys.intervals(projectId, exportId), 'map'] }),
  });
  const backfill = useBackfill(props);
  const isStarted = start.isPending || start.isSuccess || backfill !== undefined;
  const slip = useRef<HTMLElement>(null);
  useEffect(() => {
    // The button that had the focus is gone.
    if (isStarted && document.activeElement === document.body) slip.current?.focus();
    if (!isStarted && document.activeElement === slip.current) buttonRef.current?.focus();
  }, [isStarted, buttonRef]);
  function planAgain() {
    start.reset();
    onBackfill(undefined);
    // A token is good for one launch: the same plan again would deliver everything twice.
    void queries.resetQueries({ queryKey: previewQuery(projectId, exportId, body).queryKey });
  }
  const plan = preview.data;
  const isCurrent = plan !== undefined && !preview.isPlaceholderData && !preview.isError;
  // Why the button is disabled, unless an alert says it.
  const reason = plan?.total_runs === 0 ? nothingLeft(plan) : undefined;
  const path = `/api/environments/${projectId}/batch_exports/${exportId}/backfills/`;
  if (isStarted)
    return (
      <section ref={slip} tabIndex={-1} className={styles.slip} aria-label="Receipt">
        <RangeTitle range={range} cadence={cadence} />
        <BackfillReceipt of={{ projectId, exportId }} plan={start.variables} {...{ backfill, cadence, isFiltered }} />
        <div>
          {!start.isPending && (
            <Button ref={buttonRef} onPress={planAgain}>
              Plan again
            </Button>
          )}{' '}
          <CopyVerify exportId={exportId} range={range} />
        </div>
      </section>
    );
  return (
    <section ref={slip} tabIndex={-1} className={styles.slip} aria-label="Plan" aria-busy={preview.isFetching}>
      <RangeTitle range={range} cadence={cadence} />
      {preview.isError && <p role="alert">{refusalOf(preview.error)}</p>}
      {plan && !preview.isError && <Lines {...{ plan, onlyMissing, isReplacing, isFiltered }} isExact={isCurrent} />}
      {plan && !preview.isError && (
        <Waiting {...{ projectId, exportId, plan, onlyMissing }} interval={cadence.interval} />
      )}
      <fieldset className={styles.only}>
        <legend className="visually-hidden">Which intervals</legend>
        <label>
          <input type="radio" name="only" checked={onlyMissing} onChange={() => onOnly(true)} /> not delivered, failed
          or out of date
        </label>
        <label>
          <input type="radio" name="only" checked={!onlyMissing} onChange={() => onOnly(false)} /> all
        </label>
      </fieldset>
      {change && <p role="alert">{change}</p>}
      {start.isError && !newPlanOf(start.error) && <p role="alert">{messageOf(start.error)}</p>}
      {reason && <p id={REASON}>{reason}</p>}
      <Button
        kind="primary"
        ref={buttonRef}
        {...(reason && { 'aria-describedby': REASON })}
        isDisabled={!isCurrent || plan.total_runs === 0}
        onPress={() => plan && start.mutate(plan)}
      >
        {plan?.total_runs === 0 ? (
          'Nothing to deliver'
        ) : (
          <>
            {isCurrent
              ? `Deliver ${countIntervals(plan.total_runs, cadence.interval)}`
              : preview.isError
                ? 'Deliver'
                : 'Planning…'}{' '}
            <kbd aria-hidden>⏎</kbd>
          </>
        )}
      </Button>
      <div className={styles.commands}>
        <Copy text={() => asCurl('POST', path, { ...body, ...(plan && { plan: plan.plan }) })}>curl</Copy>
        <CopyVerify exportId={exportId} range={range} />
      </div>
    </section>
  );
}

/** @returns the backfill that the address names, if it is of the selected range; refreshes what it changes */
function useBackfill({ projectId, exportId, range, backfillId }: SlipProps): Backfill | undefined {
  const queries = useQueryClient();
  const { data } = useQuery(backfillQuery(projectId, exportId, backfillId));
  const isOfRange = Date.parse(data?.start_at ?? '') === range.start && Date.parse(data?.end_at ?? '') === range.end;
  const backfill = isOfRange ? data : undefined;
  const finished = backfill?.progress.finished_runs;
  const isOver = backfill?.finished_at != null;
  useEffect(() => {
    if (finished === undefined) return;
    // Only the map is loaded again: the plan must not change under the pointer.
    void queries.invalidateQueries({ queryKey: [...exportKeys.intervals(projectId, exportId), 'map'] });
    // The lines of the plan would still call delivered intervals not delivered.
    if (isOver) void queries.invalidateQueries({ queryKey: [...exportKeys.intervals(projectId, exportId), 'plan'] });
  }, [queries, projectId, exportId, finished, isOver]);
  return backfill;
}

/** Id of the sentence that says why the button is disabled. */
const REASON = 'plan-reason';

type RangeProps = { cadence: Cadence; range: { start: number; end: number } };

/** The selection in the export's zone for days, weeks and months, else in the viewer's; also in UTC, which operators use. */
function RangeTitle({ cadence, range }: RangeProps) {
  const [start, end] = [isoOf(range.start), isoOf(range.end)];
  const zone = zoneOf(cadence);
  return (
    <div>
      <h2>{formatInterval(start, end, zone)}</h2>
      {zone !== 'UTC' && <p className="quiet">{formatInterval(start, end)}</p>}
    </div>
  );
}

type WaitingProps = { projectId: number; exportId: string; plan: Preview; onlyMissing: boolean; interval: string };

/** Counts the intervals that wait for a decision before a run can deliver them, and links to the first decision. */
function Waiting({ projectId, exportId, plan: { awaiting_decision: waiting }, onlyMissing, interval }: WaitingProps) {
  if (waiting.count === 0) return null;
  const run = waiting.first.find((one) => one.run !== null)?.run;
  return (
    <p>
      Another timeline delivered {countIntervals(waiting.count, interval)} of these.{' '}
      {onlyMissing ? 'This plan leaves that out' : 'Runs fail there'} until somebody decides which delivery stays.{' '}
      {run && <Link to={runAddress({ projectId, exportId }, run) as string}>Decide</Link>}
    </p>
  );
}

type ViewersProps = RangeProps & { exportId: string };

/** Shown to viewers instead of the plan: the API plans for editors only. */
export function ViewersSlip({ exportId, range, cadence }: ViewersProps) {
  return (
    <section tabIndex={-1} className={styles.slip} aria-label="Selection">
      <RangeTitle range={range} cadence={cadence} />
      <p>You can look at this export; ask an editor to deliver these intervals.</p>
      <div className={styles.commands}>
        <CopyVerify exportId={exportId} range={range} />
      </div>
    </section>
  );
}

function CopyVerify({ exportId, range: { start, end } }: Omit<ViewersProps, 'cadence'>) {
  return <Copy text={`bin/sluice verify ${exportId} --from ${isoOf(start)} --to ${isoOf(end)}`}>verify</Copy>;
}

const isoOf = (at: number) => new Date(at).toISOString();

function refusalOf(error: unknown): string {
  if (error instanceof ApiError && error.status === 403) return 'You can look at this export; ask an editor to retry.';
  return messageOf(error);
}

/** Why a plan has no runs. @returns undefined where intervals wait for a decision, which has a sentence of its own */
function nothingLeft({ skipped, awaiting_decision: waiting }: Preview): string | undefined {
  if (skipped.running > 0) return 'What is not delivered yet is under way.';
  return waiting.count === 0 ? 'All of this is delivered already. Choose “all” to deliver it again.' : undefined;
}

/** Returns the current plan from a refusal of an outdated one. */
function newPlanOf(error: unknown): Preview | undefined {
  return error instanceof ApiError && error.status === 409 ? (error.body as { plan?: Preview }).plan : undefined;
}

/** @returns as `2 hours finished meanwhile. Now 1 hour.` */
function changeBetween(shown: Preview, now: Preview, interval: string): string {
  const gone = shown.total_runs - now.total_runs;
  const what =
    gone > 0 ? `${countIntervals(gone, interval)} finished meanwhile.` : 'The intervals have changed meanwhile.';
  return `${what} Now ${countIntervals(now.total_runs, interval)}.`;
}

type LinesProps = PlanKind & { plan: Preview; isExact: boolean };

function Lines({ plan, isExact, ...kind }: LinesProps) {
  const lines = linesOf(plan, kind);
  return (
    <dl className={styles.lines} data-pending={!isExact || undefined}>
      {lines.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
