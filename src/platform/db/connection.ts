/** Connections to Postgres. Instants and 64-bit integers stay text: a JavaScript Date drops microseconds. */
import type { PoolUse } from '../telemetry/database-gauges.ts';
import knex, { type Knex } from 'knex';
import pg from 'pg';

export type { Knex };
export type Pool = pg.Pool;
export type PoolClient = pg.PoolClient;

const OID = { int8: 20, date: 1082, timestamp: 1114, timestamptz: 1184, interval: 1186, numeric: 1700 };
const TEXT_OIDS = new Set<number>([OID.int8, OID.date, OID.timestamp, OID.timestamptz, OID.interval, OID.numeric]);

const asText = (value: string) => value;
/** `2015-05-17 10:05:03.000001+00` to `2015-05-17T10:05:03.000001Z`: sessions speak UTC, ISO (see SESSION). */
function isoInstant(value: string): string {
  const text = value.replace(' ', 'T').replace(/\+00$/, '');
  const dot = text.indexOf('.');
  if (dot < 0) return /^\d/.test(text) ? `${text}.000000Z` : text;
  return `${text.padEnd(dot + 7, '0')}Z`;
}

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === OID.timestamptz) return isoInstant;
    if (TEXT_OIDS.has(oid)) return asText;
    return pg.types.getTypeParser(oid, format);
  }) as pg.CustomTypesConfig['getTypeParser'],
};

/** Connections of a pool that names no number. */
const DEFAULT_CONNECTIONS = 10;

/** Settings of every session, so that a value's text does not depend on the server's configuration. */
const SESSION =
  '-c TimeZone=UTC -c DateStyle=ISO -c IntervalStyle=iso_8601 -c extra_float_digits=1 -c bytea_output=hex';

export type DatabaseOptions = {
  url: string;
  /** Shows in `pg_stat_activity`. */
  applicationName: string;
  maxConnections?: number;
  /** Milliseconds; 0 is none. */
  statementTimeoutMs?: number;
  lockTimeoutMs?: number;
  idleInTransactionTimeoutMs?: number;
  /** Longest wait for a connection, new or from the pool. */
  connectTimeoutMs?: number;
  /** Longest wait for an answer before Sluice drops the connection, because Postgres may be silent. */
  answerTimeoutMs?: number;
};

/**
 * Timeouts for connections that requests wait for, so that a silent Postgres counts as away. Statements time out at the server
 * first, so no statement outlives its caller.
 */
export const STORE_TIMEOUTS = { connectTimeoutMs: 5_000, statementTimeoutMs: 14_000, answerTimeoutMs: 15_000 } as const;

function connectionConfig(options: DatabaseOptions): pg.ClientConfig {
  const timeouts = [
    ['statement_timeout', options.statementTimeoutMs],
    ['lock_timeout', options.lockTimeoutMs],
    ['idle_in_transaction_session_timeout', options.idleInTransactionTimeoutMs],
  ]
    .filter(([, ms]) => ms !== undefined)
    .map(([name, ms]) => ` -c ${name}=${ms}`)
    .join('');
  return {
    connectionString: options.url,
    application_name: options.applicationName,
    options: SESSION + timeouts,
    types,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 10_000,
    ...(options.answerTimeoutMs !== undefined && { query_timeout: options.answerTimeoutMs }),
    keepAlive: true,
  };
}

/** Readers of the use of each open pool; undefined once the pool has ended. */
const useReaders = new Set<() => PoolUse | undefined>();

/** Returns the use of the pools of this process that are open. */
export function poolUses(): PoolUse[] {
  return [...useReaders].flatMap((read) => {
    const use = read();
    if (!use) useReaders.delete(read);
    return use ?? [];
  });
}

/** A pool of plain connections, for COPY and for hot paths. Idle connections that the server drops are replaced, not fatal. */
export function createPool(options: DatabaseOptions): Pool {
  const limit = options.maxConnections ?? DEFAULT_CONNECTIONS;
  const pool = new pg.Pool({ ...connectionConfig(options), max: limit });
  pool.on('error', () => {});
  // The pool listens to idle clients only, but a connection that is lost while in use must not end the process either.
  pool.on('connect', (client) => client.on('error', () => {}));
  useReaders.add(() =>
    pool.ended
      ? undefined
      : { pool: options.applicationName, open: pool.totalCount, waiting: pool.waitingCount, limit },
  );
  return pool;
}

/** The part of knex's pool that is read here. */
type TarnPool = { numUsed(): number; numFree(): number; numPendingAcquires(): number };

const SILENT = { warn() {}, error() {}, deprecate() {}, debug() {} };

/** knex over its own pool, for stores. */
export function createKnex(options: DatabaseOptions): Knex {
  const limit = options.maxConnections ?? DEFAULT_CONNECTIONS;
  const db = knex({
    client: 'pg',
    connection: connectionConfig(options) as Knex.PgConnectionConfig,
    pool: { min: 0, max: limit },
    acquireConnectionTimeout: 5_000,
    // Errors that knex throws say enough; its own log prints whole stacks.
    log: SILENT,
  });
  useReaders.add(() => {
    const pool = (db.client as { pool?: TarnPool }).pool;
    if (!pool) return undefined;
    const open = pool.numUsed() + pool.numFree();
    return { pool: options.applicationName, open, waiting: pool.numPendingAcquires(), limit };
  });
  return db;
}

/** One connection outside every pool: LISTEN, administration, long COPY. Connect and end it yourself. */
export function createClient(options: DatabaseOptions): pg.Client {
  return new pg.Client(connectionConfig(options));
}
