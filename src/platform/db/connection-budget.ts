/** Warns at start if all processes together may open more connections than Postgres allows. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../telemetry/logger.ts';
import type { Pool } from './connection.ts';
import { connectionLimit } from './pools.ts';

/** Numbers of processes that the operator runs, and of the parts that each worker stages at once. */
export type PlannedProcesses = { apiProcesses: number; workerProcesses: number; partsAtOnce: number };

/** `most`: `max_connections`. `database` and `role`: limits of both, -1 for none. `others`: open connections of other programs, such as Temporal. */
type ConnectionLimits = { most: number; reserved: number; database: number; role: number; others: number };

/**
 * Superusers may use reserved connections. Postgres 15 has no setting `reserved_connections`. Processes of the server itself have no user or
 * no database, so they are not counted.
 */
const SELECT_LIMITS = `
  select current_setting('max_connections')::int as most,
    case when rolsuper then 0 else current_setting('superuser_reserved_connections')::int
      + coalesce(current_setting('reserved_connections', true)::int, 0) end as reserved,
    (select datconnlimit from pg_database where datname = current_database()) as database,
    rolconnlimit as role,
    (select count(*)::int from pg_stat_activity where usesysid is not null and datid is not null
      and (application_name like 'sluice-%' and datname = current_database()) is not true) as others
  from pg_roles where rolname = current_user`;

/** @returns a warning that connections may run out, with the setting to change; undefined if they cannot */
export async function connectionShortage(pool: Pool, planned: PlannedProcesses): Promise<string | undefined> {
  const { rows } = await pool.query<ConnectionLimits>(SELECT_LIMITS);
  const { most, reserved, database, role, others } = rows[0]!;
  const { apiProcesses, workerProcesses, partsAtOnce } = planned;
  const [perApi, perWorker] = [connectionLimit('api', partsAtOnce), connectionLimit('worker', partsAtOnce)];
  const neededConnections = apiProcesses * perApi + workerProcesses * perWorker;
  const processes =
    `SLUICE_API_PROCESSES (${apiProcesses}) of ${perApi} connections each and SLUICE_WORKER_PROCESSES (${workerProcesses}) of ${perWorker} ` +
    `each may need ${neededConnections}`;
  const shortages = [
    most < neededConnections + reserved + others &&
      `max_connections is ${most}, of which ${reserved} are reserved and ${others} are used by others: ` +
        `set max_connections to at least ${neededConnections + reserved + others}`,
    database >= 0 &&
      database < neededConnections &&
      `the database allows ${database}: alter database … connection limit ${neededConnections}`,
    role >= 0 &&
      role < neededConnections &&
      `the role allows ${role}: alter role … connection limit ${neededConnections}`,
  ].filter((shortage) => shortage !== false);
  if (shortages.length === 0) return undefined;
  return `Postgres may run out of connections. ${processes}, but ${shortages.join('; ')}; or run fewer processes.`;
}

/**
 * Logs the shortage, if there is one, as soon as Postgres answers. Only warns: pools open connections when they are needed, so that a small
 * installation works with fewer.
 */
export async function warnOfShortage(
  pool: Pool,
  planned: PlannedProcesses,
  { log, signal, retryMs = 10_000 }: { log: Logger; signal: AbortSignal; retryMs?: number },
): Promise<void> {
  while (!signal.aborted) {
    try {
      const shortage = await connectionShortage(pool, planned);
      if (shortage !== undefined) log.warn(shortage);
      return;
    } catch {
      // Readiness reports a Postgres that is away.
      await sleep(retryMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }
}
