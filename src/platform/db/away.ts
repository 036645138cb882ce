/** Tells whether an error means that Postgres is away, or refuses us for now, so the same request may pass later. */

import { SQL_STATE, sqlState } from './sql-states.ts';

/** SQLSTATE classes: connection, insufficient resources, operator intervention (shutdown, recovery, timeouts), system. */
const ERROR_CLASSES = new Set(['08', '53', '57', '58']);
/** Serialization failure, deadlock, lock timeout: another transaction was in the way. */
const CONFLICT_STATES = new Set<string>([
  SQL_STATE.serializationFailure,
  SQL_STATE.deadlockDetected,
  SQL_STATE.lockNotAvailable,
]);
const NETWORK_ERRORS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'EAI_AGAIN',
]);
/** Messages of errors that the driver and the pool throw without a code. */
const AWAY_MESSAGES =
  /Connection (terminated|ended)|Client has encountered a connection error|timeout exceeded when trying to connect|Query read timeout|^timeout expired$/;

export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = '', name, message } = error as Error & { code?: string };
  if (name === 'KnexTimeoutError' || NETWORK_ERRORS.has(code) || AWAY_MESSAGES.test(message)) return true;
  const state = sqlState(error);
  return state !== undefined && (ERROR_CLASSES.has(state.slice(0, 2)) || CONFLICT_STATES.has(state));
}
