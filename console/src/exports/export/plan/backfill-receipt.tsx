/** The receipt that takes the place of a plan once it is started: how far it is, then line by line what came, and a link to each run. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatCount, formatDuration, formatInterval } from '../../../look/time.tsx';
import { runAddress, type ExportPath } from '../../addresses.ts';
import { STATUS_WORDS } from '../../run/status-words.ts';
import { countIntervals, isOfCalendar } from '../../words/cadence.ts';
import type { Cadence } from '../layout.ts';
import { backfillRunsQuery, type Backfill, type Preview } from './plan-data.ts';
import { durationValue, rowsValue } from './plan-lines.ts';
import { quantity } from '../../words/quantity.ts';
import styles from '../export.module.css';

/** Runs that are listed; failed ones come first. */
const SHOWN = 12;

type ReceiptProps = {
  of: ExportPath;
  /** Undefined: it is being started. */
  backfill: Backfill | undefined;
  cadence: Cadence;
  /** The plan that was started; undefined after a reload. */
  plan: Preview | undefined;
  /** Whether the export has filters, which the plan's count of rows leaves out. */
  isFiltered: boolean;
};

export function BackfillReceipt({ of, backfill, cadence, plan, isFiltered }: ReceiptProps) {
  const ended = backfill?.finished_at ? { ...backfill, finished_at: backfill.finished_at } : undefined;
  const lines = [
    ['rows', ended && rowsOf(ended), plan && rowsValue(plan, isFiltered)],
    ['duration', ended && durationOf(ended), plan?.estimate.seconds && durationValue(plan)],
  ] as const;
  return (
    <>
      <h3>Receipt</h3>
      <p role="status">
        {backfill
          ? deliveredWords(backfill, cadence.interval)
          : `Starting ${plan ? countIntervals(plan.total_runs, cadence.interval) : ''}…`}
      </p>
      {backfill?.status === 'Cancelled' && <p>It was cancelled, so what had not begun was left out.</p>}
      <dl className={styles.lines}>
        {lines.map(
          ([name, value, planned]) =>
            (value || planned) && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  {value} {planned && <span className="quiet">planned {planned}</span>}
                </dd>
              </div>
            ),
        )}
      </dl>
      {ended && <Runs {...{ of, cadence }} backfill={ended} />}
    </>
  );
}

const rowsOf = ({ total_records_count: rows }: Backfill) => (rows === null ? 'not known' : formatCount(rows));

const durationOf = ({ created_at: start, finished_at: end }: Backfill & { finished_at: string }) =>
  formatDuration((Date.parse(end) - Date.parse(start)) / 1000);

/** How many intervals are delivered, also while others are under way. */
function deliveredWords({ progress }: Backfill, interval: string): string {
  const { total_runs, finished_runs, failed_runs } = progress;
  const failed = failed_runs > 0 ? `, ${formatCount(failed_runs)} failed` : '';
  return `${formatCount(finished_runs - failed_runs)} of ${countIntervals(total_runs, interval)} delivered${failed}.`;
}

type RunsProps = Pick<ReceiptProps, 'of' | 'cadence'> & { backfill: Backfill };

function Runs({ of, backfill, cadence: { interval, timezone } }: RunsProps) {
  const { data = [] } = useQuery(backfillRunsQuery(of, backfill));
  const hasFailed = ({ status }: (typeof data)[number]) => status !== 'Completed';
  const runs = data.toSorted((one, other) => Number(hasFailed(other)) - Number(hasFailed(one)));
  const hidden = backfill.progress.total_runs - Math.min(SHOWN, runs.length);
  return (
    <ul aria-label="Runs" className={styles.runs}>
      {runs.slice(0, SHOWN).map((run) => (
        <li key={run.id}>
          <Link to={runAddress(of, run.id) as string}>
            {formatInterval(run.data_interval_start, run.data_interval_end, isOfCalendar(interval) ? timezone : 'UTC')}
          </Link>{' '}
          <span className="quiet">
            {hasFailed(run)
              ? STATUS_WORDS[run.status]
              : run.records_completed !== null && quantity(run.records_completed, 'row')}
          </span>
        </li>
      ))}
      {hidden > 0 && runs.length > 0 && <li className="quiet">and {formatCount(hidden)} more</li>}
    </ul>
  );
}
