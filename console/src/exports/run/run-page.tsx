import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { asCurl } from '../../api/curl.ts';
import { Button, ButtonLink } from '../../look/button.tsx';
import { Copy } from '../../look/copy.tsx';
import { Failure, Skeleton } from '../../look/notes.tsx';
import { Time } from '../../look/time.tsx';
import { Attempts, Progress } from './attempts.tsx';
import { ErrorCard } from './error-card.tsx';
import { LogView } from './log-view.tsx';
import { ReceiptSlip } from './receipt-slip.tsx';
import { useMayEdit } from '../access.ts';
import { BlockedBanner, instanceQuery } from '../blocked.tsx';
import { foreignOfQuery } from '../foreign/foreign-data.ts';
import { ForeignDeliveryOfInterval } from '../foreign/foreign-deliveries.tsx';
import { exportQuery } from '../export/export-data.ts';
import { attemptsQuery, cancel, isOpen, retry, runQuery, type Run, type RunIds } from './run-data.ts';
import { IntervalTime } from '../words/interval-time.tsx';
import { STATUS_WORDS } from './status-words.ts';
import styles from './run.module.css';

const route = getRouteApi('/inside/project/$projectId/exports/$exportId/runs/$runId');

/** Page of one run: its steps, its receipt, and its error. */
export function RunPage() {
  const runIds = route.useParams();
  const run = useQuery(runQuery(runIds));
  const batchExport = useQuery(exportQuery(runIds.projectId, runIds.exportId));
  if (run.isPending) return <Skeleton rows={8} label="Loading the run" />;
  if (run.isError) return <Failure error={run.error} onRetry={() => void run.refetch()} />;
  return (
    <main className={styles.page}>
      <nav aria-label="Path" className="quiet">
        <Link to="/project/$projectId/exports" params={runIds}>
          Exports
        </Link>
        {' / '}
        <Link to="/project/$projectId/exports/$exportId" params={runIds}>
          {batchExport.data?.name ?? 'Export'}
        </Link>
      </nav>
      <BlockedBanner />
      <Header runIds={runIds} run={run.data} />
      <div className={styles.halves}>
        <div className={styles.left}>
          {run.data.status !== 'Completed' && (!isOpen(run.data) || run.data.error) && (
            <ErrorCard runIds={runIds} run={run.data} />
          )}
          {hasEndedUndelivered(run.data) && (
            <div id={DECISION}>
              <ForeignDeliveryOfInterval {...runIds} {...intervalOf(run.data)} ourRows={run.data.records_total_count} />
            </div>
          )}
          {isOpen(run.data) && <Progress runIds={runIds} />}
          <Attempts runIds={runIds} isOpen={isOpen(run.data)} />
          <Facts run={run.data} />
        </div>
        {batchExport.data && (
          <ReceiptSlip key={run.data.id} run={run.data} redelivery={batchExport.data.promises.redelivery} />
        )}
      </div>
      <LogView runIds={runIds} isOpen={isOpen(run.data)} />
    </main>
  );
}

/** Id of the element with the choice between two deliveries of the interval. */
const DECISION = 'decision';

const hasEndedUndelivered = (run: Run) => !isOpen(run) && run.status !== 'Completed';
const intervalOf = (run: Run) => ({ start: run.data_interval_start, end: run.data_interval_end });

function Header({ runIds, run }: { runIds: RunIds; run: Run }) {
  const queries = useQueryClient();
  const refreshOnSuccess = {
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['runs'] });
      await queries.invalidateQueries({ queryKey: ['exports'] });
    },
  };
  const mayEdit = useMayEdit(runIds.projectId, runIds.exportId);
  const retrying = useMutation({ mutationFn: () => retry(runIds), ...refreshOnSuccess });
  const cancelling = useMutation({ mutationFn: () => cancel(runIds), ...refreshOnSuccess });
  const foreign = foreignOfQuery(runIds.projectId, runIds.exportId, intervalOf(run));
  const waitsForDecision = Boolean(useQuery({ ...foreign, enabled: hasEndedUndelivered(run) }).data);
  const batchExport = useQuery(exportQuery(runIds.projectId, runIds.exportId));
  const attempts = useQuery(attemptsQuery(runIds, isOpen(run)));
  const attempt = Math.max(1, ...(attempts.data?.results ?? []).map((one) => one.attempt));
  const path = `/api/projects/${runIds.projectId}/batch_exports/${runIds.exportId}/runs/${runIds.runId}/`;
  return (
    <header className={styles.header}>
      <h1>
        <IntervalTime {...intervalOf(run)} cadence={batchExport.data} />{' '}
        <span>
          · {isOpen(run) && run.error ? 'retrying' : STATUS_WORDS[run.status]}
          {attempt > 1 && `, attempt ${attempt}`}
        </span>
      </h1>
      <div className={styles.buttons}>
        {isOpen(run) && mayEdit && (
          <Button onPress={() => cancelling.mutate()} isPending={cancelling.isPending}>
            Cancel
          </Button>
        )}
        {!isOpen(run) &&
          mayEdit &&
          !waitsForDecision &&
          (run.status === 'Completed' ? (
            // Links to the plan of all runs of the interval, including delivered ones, which says what would be replaced.
            <ButtonLink
              to="/project/$projectId/exports/$exportId"
              params={runIds}
              search={{ start: run.data_interval_start, end: run.data_interval_end, only: 'all' }}
            >
              Deliver again
            </ButtonLink>
          ) : (
            <Button onPress={() => retrying.mutate()} isPending={retrying.isPending} isDisabled={retrying.isSuccess}>
              Retry
            </Button>
          ))}
        {!isOpen(run) && mayEdit && !waitsForDecision && (
          <Copy text={() => asCurl('POST', `${path}retry/`)}>Copy retry as curl</Copy>
        )}
        <TemporalLink run={run} />
      </div>
      {mayEdit === false && !run.error && (
        <p className="quiet">You can look at this export; ask an editor to {requestFor(run)}.</p>
      )}
      {mayEdit && waitsForDecision && (
        <p>
          Another timeline delivered this interval, so a retry would fail.{' '}
          <a href={`#${DECISION}`}>Decide which delivery stays</a>
        </p>
      )}
      <div role="status" className={styles.outcome}>
        {retrying.isSuccess && 'Requested. A new run will deliver this interval; follow it on the export’s page.'}
        {cancelling.isSuccess && 'Cancelled.'}
      </div>
      {retrying.isError && <Failure error={retrying.error} />}
      {cancelling.isError && <Failure error={cancelling.error} />}
    </header>
  );
}

/** The next step that only editors can take. */
function requestFor(run: Run): string {
  if (isOpen(run)) return 'cancel this run';
  return run.status === 'Completed' ? 'deliver again' : 'retry';
}

/** Why a run without a backfill was started. */
const STARTED_BY: Readonly<Record<Run['kind'], string>> = {
  scheduled: 'the schedule',
  retry: 'a retry',
  backfill: 'a backfill',
  gap: 'the reconciler, because the interval was not delivered',
  stale: 'the reconciler, because events joined the interval later',
};

function startedBy({ backfill, kind, workflow_run_id: execution }: Run): string {
  if (backfill !== null) return `backfill ${backfill.slice(0, 8)}`;
  if (execution.startsWith('adopted-')) return 'another timeline, whose delivery was accepted';
  return STARTED_BY[kind];
}

function Facts({ run }: { run: Run }) {
  return (
    <dl className={styles.facts}>
      {run.waiting_for !== null && (
        <>
          <dt>Waits for</dt>
          <dd>{run.waiting_for}</dd>
        </>
      )}
      <dt>Started</dt>
      <dd>
        <Time iso={run.created_at} seconds />
      </dd>
      <dt>Ended</dt>
      <dd>{run.finished_at === null ? 'not yet' : <Time iso={run.finished_at} seconds />}</dd>
      <dt>Started by</dt>
      <dd>{startedBy(run)}</dd>
      <dt>Workflow</dt>
      <dd className="id">{run.workflow_id}</dd>
    </dl>
  );
}

/** A link to the workflow, if the installation has Temporal's UI. */
function TemporalLink({ run }: { run: Run }) {
  const { data } = useQuery(instanceQuery);
  if (!data?.temporal.ui_url) return null;
  const { namespace, ui_url } = data.temporal;
  const path = ['namespaces', namespace, 'workflows', run.workflow_id, run.workflow_run_id, 'history'];
  return (
    <a href={`${ui_url.replace(/\/$/, '')}/${path.map(encodeURIComponent).join('/')}`} target="_blank" rel="noreferrer">
      Temporal <span aria-hidden>↗</span>
    </a>
  );
}
