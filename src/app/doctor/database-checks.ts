/** Checks of Postgres: what it is, whether its schema is this version's, and what could hold deliveries back. */
import type { Pool } from '../../platform/db/connection.ts';
import { connectionShortage, type PlannedProcesses } from '../../platform/db/connection-budget.ts';
import { PARTITIONED_DAYS } from '../../platform/health/checks.ts';
import { pendingMigrations, unknownMigrations } from '../../platform/db/migrate.ts';
import { countPartitionedDaysAhead } from '../../events/table/partitions.ts';
import { unreachableError } from '../prepare-database.ts';
import { ok, problem, warning, type Examination } from './diagnosis.ts';

const OLDEST_SERVER = 15;
/** Difference of two clocks that delays deliveries noticeably, in milliseconds; a minute is beyond any drift. */
const SKEW_WARNING_MS = 2_000;
const SKEW_PROBLEM_MS = 60_000;
/** Age of a transaction above which it was probably forgotten, in seconds. */
const LONG_TRANSACTION_S = 600;

export const DATABASE = 'database';
export const SCHEMA = 'schema';

type Dependencies = {
  /** Age above which an open transaction is reported, in seconds. */
  longTransactionS?: number;
  pool: Pool;
  planned: PlannedProcesses;
  /** This machine's clock, in milliseconds. */
  now?: () => number;
};

export function databaseChecks({
  pool,
  planned,
  now = Date.now,
  longTransactionS = LONG_TRANSACTION_S,
}: Dependencies): Examination[] {
  return [
    {
      name: DATABASE,
      async run() {
        try {
          const { rows } = await pool.query<{ version: string; major: number }>(
            `select current_setting('server_version') as version, current_setting('server_version_num')::int / 10000 as major`,
          );
          const { version, major } = rows[0]!;
          if (major < OLDEST_SERVER)
            return problem(`Postgres ${version} is too old.`, `Upgrade it to Postgres ${OLDEST_SERVER} or newer.`);
          return ok(`Postgres ${version} answers.`);
        } catch (error) {
          const unreachable = unreachableError(error);
          if (!unreachable) throw error;
          return problem(
            unreachable.message,
            'Start Postgres, or correct DATABASE_URL: host, port, user, password, database.',
          );
        }
      },
    },
    {
      name: SCHEMA,
      needs: [DATABASE],
      async run() {
        const [pending, unknown] = [await pendingMigrations(pool), await unknownMigrations(pool)];
        if (pending.length > 0)
          return problem(
            `${pending.length} migrations are missing, the first of them ${pending[0]}.`,
            'Run `bin/sluice migrate`.',
          );
        if (unknown.length > 0)
          return problem(
            `The database is newer than this program: it has ${unknown.at(-1)}, which this version does not know.`,
            'Run the newer version. docs/upgrade.md says how to go back.',
          );
        return ok('The schema is this version’s.');
      },
    },
    {
      name: 'partitions',
      needs: [SCHEMA],
      async run() {
        const days = await countPartitionedDaysAhead(pool);
        const text = `Events have partitions for the next ${days} days.`;
        return days < PARTITIONED_DAYS
          ? problem(
              text,
              'Run `bin/sluice migrate`. Workers do the same while they run: see the check of the reconciler.',
            )
          : ok(text);
      },
    },
    {
      name: 'connections',
      needs: [DATABASE],
      async run() {
        const shortage = await connectionShortage(pool, planned);
        return shortage === undefined
          ? ok('Postgres grants enough connections for all processes.')
          : warning(
              shortage,
              'Change the setting that is named, or set SLUICE_API_PROCESSES and SLUICE_WORKER_PROCESSES.',
            );
      },
    },
    {
      name: 'clock',
      needs: [DATABASE],
      async run() {
        const skew = await measureSkew(pool, now);
        const text = `This machine’s clock is ${(Math.abs(skew) / 1000).toFixed(1)} s ${skew < 0 ? 'behind' : 'ahead of'} that of Postgres.`;
        const fix = 'Synchronize the clocks of both machines by NTP (`timedatectl set-ntp true`).';
        if (Math.abs(skew) >= SKEW_PROBLEM_MS) return problem(text, fix);
        return Math.abs(skew) >= SKEW_WARNING_MS
          ? warning(text, fix)
          : ok('This machine and Postgres have the same time.');
      },
    },
    {
      name: 'transactions',
      needs: [DATABASE],
      async run() {
        return [...(await findLongTransactions(pool, longTransactionS)), ...(await findPreparedTransactions(pool))];
      },
    },
  ];
}

/** Milliseconds by which our clock is ahead of the server's. The shortest of three requests is the most precise one. */
async function measureSkew(pool: Pool, now: () => number): Promise<number> {
  let best = { took: Infinity, skew: 0 };
  for (let tries = 0; tries < 3; tries++) {
    const [startedAt, from] = [now(), performance.now()];
    const { rows } = await pool.query<{ ms: number }>(
      'select extract(epoch from clock_timestamp())::float8 * 1000 as ms',
    );
    const took = performance.now() - from;
    if (took < best.took) best = { took, skew: startedAt + took / 2 - rows[0]!.ms };
  }
  return best.skew;
}

async function findLongTransactions(pool: Pool, longTransactionS: number) {
  const { rows } = await pool.query<{ pid: number; name: string; state: string; seconds: number }>(
    `select pid, application_name as name, state, extract(epoch from clock_timestamp() - xact_start)::float8 as seconds
       from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid() and xact_start < clock_timestamp() - $1 * interval '1 second'
      order by xact_start limit 3`,
    [longTransactionS],
  );
  if (rows.length === 0) {
    const seen = await pool.query<{ all: boolean }>(
      `select pg_has_role(current_user, 'pg_read_all_stats', 'usage') as all`,
    );
    const whose = seen.rows[0]!.all
      ? 'No transaction'
      : 'No transaction of the role of DATABASE_URL, which cannot see those of others,';
    return [ok(`${whose} has been open for ${longTransactionS / 60} minutes.`)];
  }
  return rows.map(({ pid, name, state, seconds }) =>
    warning(
      `Process ${pid} of Postgres (${name || 'no name'}, ${state}) has a transaction that began ${Math.round(seconds / 60)} minutes ago. ` +
        'Such a transaction delays vacuum, and exports of what it wrote.',
      `End it if it was forgotten: \`select pg_terminate_backend(${pid})\`.`,
    ),
  );
}

/** A prepared transaction that wrote events keeps its lock, so the time that exports may read does not advance. */
async function findPreparedTransactions(pool: Pool) {
  const { rows } = await pool.query<{ count: number; minutes: number }>(
    `select count(*)::int as count, coalesce(extract(epoch from clock_timestamp() - min(prepared)) / 60, 0)::float8 as minutes
       from pg_prepared_xacts where database = current_database() and prepared < clock_timestamp() - interval '1 minute'`,
  );
  const { count, minutes } = rows[0]!;
  if (count === 0) return [];
  return [
    warning(
      `${count} prepared transactions were never ended; the oldest is ${Math.round(minutes)} minutes old.`,
      'Look at `pg_prepared_xacts`, and end each with `commit prepared` or `rollback prepared`.',
    ),
  ];
}
