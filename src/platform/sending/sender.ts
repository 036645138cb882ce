/** Sends batches of events to a running server's `POST /batch/`. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { CommandFailed } from '../errors.ts';
import { isFaultyContent, isRetryable, readAnswer } from './answer.ts';
import type { Outgoing } from './batches.ts';
import { retryAfterMs, retryAttempts, TryAgain, type RetryPolicy } from './retry.ts';

const ATTEMPT_TIMEOUT_MS = 60_000;

export type SenderOptions = {
  /** Address of the server, for example `http://127.0.0.1:8000`. */
  url: string;
  /** The project's API key. */
  key: string;
  /** A personal or project secret key, for projects that accept history only with one. */
  secretKey: string | undefined;
  /** Places the events at their own timestamps instead of at the present. */
  historical: boolean;
  retry: RetryPolicy;
  /** Gets the reason of a failed attempt that will be repeated. */
  onRetry: (reason: string) => void;
};

export type Refusal = { line: number; reason: string };
export type SendOutcome = { sent: number; refused: Refusal[] };
export type Send = (events: readonly Outgoing[], signal: AbortSignal) => Promise<SendOutcome>;

/**
 * Retries failures that may pass (no answer, 408, 429, 5xx), which is harmless, because every event names its uuid. Halves a batch that the
 * server refuses as a whole (400, 413), until the faulty events stand alone.
 *
 * @returns a function that sends one batch and says which lines the server refused. It throws CommandFailed when a key is
 * refused, when nothing listens there, and when retries ran out.
 */
export function createSender(options: SenderOptions): Send {
  const endpoint = new URL('batch/', options.url.endsWith('/') ? options.url : `${options.url}/`);
  const batchStart = `{"api_key":${JSON.stringify(options.key)},"historical_migration":${options.historical},"batch":[`;
  const headers = {
    'content-type': 'application/json',
    'content-encoding': 'gzip',
    ...(options.secretKey !== undefined && { authorization: `Bearer ${options.secretKey}` }),
  };
  let hasEverAnswered = false;

  const post = async (events: readonly Outgoing[], signal: AbortSignal): Promise<Response> => {
    const body = await compress(`${batchStart}${events.map((event) => event.json).join(',')}]}`);
    const response = await fetch(endpoint, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_TIMEOUT_MS)]),
    }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw notAnsweredError(options.url, error, hasEverAnswered);
    });
    hasEverAnswered = true;
    return response;
  };

  /** @returns the refused lines, or the one reason for which the batch was refused as a whole */
  const attempt = async (events: readonly Outgoing[], signal: AbortSignal): Promise<Refusal[] | string> => {
    const response = await post(events, signal);
    const { rejected, warnings, detail } = readAnswer(await response.text());
    const [warning] = warnings;
    if (warning !== undefined) throw new CommandFailed(`${warning} Stopped; see --secret-key.`);
    if (response.ok) return rejected.map(({ index, reason }) => ({ line: lineOf(events, index), reason }));
    const reason = detail ?? `${response.status} ${response.statusText}`;
    if (isRetryable(response.status)) throw new TryAgain(reason, retryAfterMs(response.headers.get('retry-after')));
    if (isFaultyContent(response.status, detail)) return reason;
    throw new CommandFailed(finalRefusal(options.url, response.status, reason));
  };

  return async function send(events, signal): Promise<SendOutcome> {
    const { retry: policy, onRetry } = options;
    const refused = await retryAttempts(() => attempt(events, signal), { policy, signal, onRetry }).catch(
      explainGivingUp,
    );
    if (typeof refused !== 'string') return { sent: events.length - refused.length, refused };
    if (events.length === 1) return { sent: 0, refused: [{ line: lineOf(events, 0), reason: refused }] };
    const middle = Math.ceil(events.length / 2);
    const first = await send(events.slice(0, middle), signal);
    const second = await send(events.slice(middle), signal);
    return { sent: first.sent + second.sent, refused: [...first.refused, ...second.refused] };
  };
}

const lineOf = (events: readonly Outgoing[], index: number) => events[index]?.line ?? 0;

const deflate = promisify(gzip);
const compress = (text: string) => deflate(text, { level: 1 });

function explainGivingUp(error: unknown): never {
  if (!(error instanceof TryAgain)) throw error;
  throw new CommandFailed(
    `The server does not accept events (last attempt: ${error.message}). Send the file again later: nothing is stored twice.`,
    { cause: error },
  );
}

/** Chooses the error: a server that never answered means a wrong address, one that stopped answering may recover. */
function notAnsweredError(url: string, error: unknown, hasEverAnswered: boolean): Error {
  const code = (error as { cause?: { code?: string } }).cause?.code;
  const isUnreachable = code === 'ECONNREFUSED' || code === 'ENOTFOUND';
  if (isUnreachable && !hasEverAnswered) {
    return new CommandFailed(
      `No server answers at ${url}. Start one with "npm start", or give another address with --url.`,
      {
        cause: error,
      },
    );
  }
  return new TryAgain(`no answer (${code ?? (error as Error).message})`, undefined, { cause: error });
}

function finalRefusal(url: string, status: number, reason: string): string {
  if (status === 401 || status === 403) {
    return (
      `The server refused the key: ${reason} Give a project API key (phc_...) with --key. If the key was replaced since ` +
      '"npm start", dev.json has the old one until the next start.'
    );
  }
  return `${url} does not take events (${status}: ${reason}). Give the address of a Sluice server with --url.`;
}
