/** Tables whose old rows are deleted: how long rows are kept, and what needs them for longer. */
import type { GrowingTable } from './growing-table.ts';

const EXPORTS = { table: 'batch_exports', column: 'batch_export_id' };

/** @param run SQL for the id of a run */
const isOpen = (run: string) => `exists (
  select from batch_export_runs as open_run where open_run.id = ${run} and open_run.finished_at is null)`;

/** Whether the run's data interval awaits a delivery. A commit then may find what any run of the interval has staged. */
const MAY_COMMIT = `exists (
  select from batch_export_runs as run join batch_export_intervals as ledger using (batch_export_id, data_interval_start, data_interval_end)
  where run.id = old.run_id and ledger.state <> 'delivered')`;

/**
 * Whether the place of the run may still have a manifest that names no run, as earlier versions wrote it: such a manifest is recognised by
 * staged parts (isInterruptedCommit). A receipt that names a run says that the manifest at its place names one since. Plans of earlier
 * versions pinned no place, so their parts stay.
 */
// tooth: retention-unnamed-parts
const MAY_BE_UNNAMED = `not exists (
  select from batch_export_runs as run join batch_export_runs as named using (batch_export_id, data_interval_start, data_interval_end)
  where run.id = old.run_id and named.epoch >= run.epoch and named.receipt ->> 'run_id' is not null
    and (named.plan -> 'destination') - 'config' = (run.plan -> 'destination') - 'config')`;

/** Types of destinations that name only the run of the last delivery of a data interval. */
export const NAMING_ONE_RUN = [
  'AwsS3',
  'AzureBlob',
  'GCS',
  'HTTP',
  'LocalFile',
  'NoOp',
  'Postgres',
  'S3',
  'S3Compatible',
];
/** Types of destinations where data that later deliveries left alone names the run that wrote it. */
export const NAMING_SEVERAL_RUNS = ['Iceberg'];

/**
 * Whether a later run has made the delivery that the run's place holds now. A commit replaces only deliveries of known runs, so the run
 * must be known as long as a destination may name it: the receipt of a later run that found its content there already names the earlier
 * run. A destination that is rolled back names the earlier run again, so the time for which that run is kept begins with the end of the
 * later one. Plans of versions that pinned no destination have no later run by this condition. A run without a plan cannot have delivered.
 */
// tooth: retention-replaced-runs
const IS_REPLACED = `exists (
  select from batch_export_runs as later
  where later.batch_export_id = old.batch_export_id and later.data_interval_end = old.data_interval_end
    and later.data_interval_start = old.data_interval_start and later.created_at > old.created_at
    and later.status = 'Completed' and later.receipt is not null and later.finished_at < now() - make_interval(days => $1)
    and (old.plan is null or later.epoch > old.epoch and later.receipt ->> 'run_id' = later.id::text
      and (later.plan -> 'destination') - 'config' = (old.plan -> 'destination') - 'config'
      and old.plan #>> '{destination,type}' in (${NAMING_ONE_RUN.map((type) => `'${type}'`).join(', ')})))`;

const OF_INTERVAL = `of_interval.batch_export_id = old.batch_export_id
  and of_interval.data_interval_start = old.data_interval_start and of_interval.data_interval_end = old.data_interval_end`;

export const EXPIRING_TABLES: Readonly<Record<string, GrowingTable>> = {
  activity_log: {
    grownBy: 'changes that people make',
    expiry: {
      setting: 'RETENTION_AUDIT_LOG_DAYS',
      clock: 'created_at',
      owners: { table: 'organizations', column: 'organization_id' },
      holds: {},
    },
  },
  batch_export_attempts: {
    grownBy: 'runs, with each attempt at a step',
    expiry: {
      setting: 'RETENTION_RUN_DETAIL_DAYS',
      clock: 'started_at',
      holds: { 'runs in progress': isOpen('old.run_id') },
    },
  },
  batch_export_logs: {
    grownBy: 'runs',
    expiry: {
      setting: 'RETENTION_EXPORT_LOG_DAYS',
      clock: '"timestamp"',
      owners: EXPORTS,
      holds: { 'runs in progress': isOpen('old.run_id') },
    },
  },
  batch_export_parts: {
    grownBy: 'runs, with each part that they stage',
    expiry: {
      setting: 'RETENTION_RUN_DETAIL_DAYS',
      clock: 'staged_at',
      // tooth: retention-undelivered-parts
      holds: {
        'runs in progress': isOpen('old.run_id'),
        'undelivered data intervals': MAY_COMMIT,
        'deliveries whose manifest may name no run': MAY_BE_UNNAMED,
      },
    },
  },
  batch_export_plan_parts: {
    grownBy: 'runs of more than 100 parts',
    expiry: {
      setting: 'RETENTION_RUN_DETAIL_DAYS',
      clock: 'planned_at',
      holds: { 'runs in progress': isOpen('old.run_id'), 'undelivered data intervals': MAY_COMMIT },
    },
  },
  batch_export_requests: {
    grownBy: 'backfills, retries, gaps and stale intervals',
    expiry: {
      setting: 'RETENTION_RUN_DETAIL_DAYS',
      clock: 'closed_at',
      // A backfill counts its requests until it has ended, and again when a run of it turns out to have delivered.
      holds: {
        'backfills in progress, or ended since': `exists (
          select from batch_export_backfill_requests as link join batch_export_backfills as backfill on backfill.id = link.backfill_id
          where link.request_id = old.id
            and coalesce(backfill.finished_at >= now() - make_interval(days => $1), true))`,
      },
    },
  },
  batch_export_runs: {
    grownBy: 'schedules, backfills, retries, gaps and stale intervals',
    expiry: {
      setting: 'RETENTION_RUN_DAYS',
      clock: 'finished_at',
      owners: EXPORTS,
      mostlyHeld: true,
      holds: {
        'the last delivery of their data interval at its place, or no delivery since that is as old': `not ${IS_REPLACED}`,
        // Deleting the run would delete the row of the ledger.
        // tooth: retention-ledger
        'the ledger': 'exists (select from batch_export_intervals as ledger where ledger.run_id = old.id)',
        'files to delete at the destination':
          'exists (select from superseded_files as file where file.run_id = old.id)',
        'uploads to remove at the destination': `exists (
          select from batch_export_artifacts as of_interval where ${OF_INTERVAL} and of_interval.epoch = old.epoch)`,
        'foreign deliveries that await a decision': `exists (
          select from foreign_deliveries as of_interval where ${OF_INTERVAL} and of_interval.accepted is null)`,
        'requests that they answered':
          'exists (select from batch_export_requests as request where request.run_id = old.id)',
      },
    },
  },
  flag_requests: {
    grownBy: 'days, with each kind of request, key and SDK that asks for flags',
    expiry: {
      setting: 'RETENTION_FLAG_REQUEST_DAYS',
      clock: 'day',
      owners: { table: 'projects', column: 'project_id' },
      holds: {},
    },
  },
};
