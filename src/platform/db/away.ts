/** Whether an error says that Postgres is not there, or not for us right now: the same request may pass later. */

/** SQLSTATE classes: connection, insufficient resources, operator intervention (shutdown, recovery, timeouts), system. */
const CLASSES = new Set(['08', '53', '57', '58']);
/** Serialization failure, deadlock, lock timeout: another transaction was in the way. */
const IN_THE_WAY = new Set(['40001', '40P01', '55P03']);
const NETWORK = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EHOSTUNREACH', 'EAI_AGAIN']);
/** Messages of errors that the driver and the pool throw without a code. */
const WORDS =
  /Connection (terminated|ended)|Client has encountered a connection error|timeout exceeded when trying to connect|Query read timeout|^timeout expired$/;

export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = '', name, message } = error as Error & { code?: string };
  if (name === 'KnexTimeoutError' || NETWORK.has(code) || WORDS.test(message)) return true;
  // Postgres's own errors have a severity; a five-letter code alone may come from elsewhere.
  return 'severity' in error && (CLASSES.has(code.slice(0, 2)) || IN_THE_WAY.has(code));
}
