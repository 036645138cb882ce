/** Sends batches of events to a running server's `POST /batch/`. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { CommandFailed } from '../errors.ts';
import type { Outgoing } from './batches.ts';
import { retryAfterMs, retrying, TryAgain, type RetryPolicy } from './retry.ts';

const ATTEMPT_TIMEOUT_MS = 60_000;

export type SenderOptions = {
  /** Where the server is, for example `http://127.0.0.1:8000`. */
  url: string;
  /** The project's API key. */
  key: string;
  /** Places the events at their own timestamps instead of at the present. */
  historical: boolean;
  retry: RetryPolicy;
  onRetry: () => void;
};

export type Refusal = { line: number; reason: string };
export type SendOutcome = { sent: number; refused: Refusal[] };
export type Send = (events: readonly Outgoing[], signal: AbortSignal) => Promise<SendOutcome>;

/**
 * Repeating is harmless, because every event names its uuid: whatever may pass (no answer, 408, 429, 5xx) is tried again. A batch
 * that the server finds fault with (400, 413, 422) is halved until the faulty events stand alone.
 *
 * @returns a function that sends one batch and says which lines the server refused. It throws CommandFailed when the key is
 * refused, when nothing listens there, and when retries ran out.
 */
export function createSender(options: SenderOptions): Send {
  const endpoint = new URL('batch/', options.url.endsWith('/') ? options.url : `${options.url}/`);
  const head = `{"api_key":${JSON.stringify(options.key)},"historical_migration":${options.historical},"batch":[`;
  let everAnswered = false;

  const post = async (events: readonly Outgoing[], signal: AbortSignal): Promise<Response> => {
    const body = await compress(`${head}${events.map((event) => event.json).join(',')}]}`);
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_TIMEOUT_MS)]),
    }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw notAnswered(options.url, error, everAnswered);
    });
    everAnswered = true;
    return response;
  };

  const attempt = async (events: readonly Outgoing[], signal: AbortSignal): Promise<Refusal | undefined> => {
    const response = await post(events, signal);
    const text = await response.text();
    if (response.ok) return undefined;
    const reason = `${response.status}: ${detailOf(text) ?? response.statusText}`;
    if (mayPass(response.status)) throw new TryAgain(reason, retryAfterMs(response.headers.get('retry-after')));
    if (FAULTY_CONTENT.has(response.status)) return { line: events[0]?.line ?? 0, reason };
    throw new CommandFailed(finalRefusal(options.url, response.status, reason));
  };

  return async function send(events, signal): Promise<SendOutcome> {
    const { retry: policy, onRetry } = options;
    const refusal = await retrying(() => attempt(events, signal), { policy, signal, onRetry }).catch(
      (error: unknown) => {
        if (!(error instanceof TryAgain)) throw error;
        throw new CommandFailed(
          `The server does not take events (last answer: ${error.message}). Send the file again later: what was stored is not stored twice.`,
          { cause: error },
        );
      },
    );
    if (refusal === undefined) return { sent: events.length, refused: [] };
    if (events.length === 1) return { sent: 0, refused: [refusal] };
    const middle = Math.ceil(events.length / 2);
    const first = await send(events.slice(0, middle), signal);
    const second = await send(events.slice(middle), signal);
    return { sent: first.sent + second.sent, refused: [...first.refused, ...second.refused] };
  };
}

const FAULTY_CONTENT = new Set([400, 413, 422]);
const mayPass = (status: number) => status === 408 || status === 429 || status >= 500;

const deflate = promisify(gzip);
const compress = (text: string) => deflate(text, { level: 1 });

/** The sentence in our error envelope, `{type, code, detail, attr}`. */
function detailOf(body: string): string | undefined {
  try {
    const { detail } = JSON.parse(body) as { detail?: unknown };
    return typeof detail === 'string' ? detail : undefined;
  } catch {
    return undefined;
  }
}

/** A server that was never there is a mistake in the address, one that went away may come back. */
function notAnswered(url: string, error: unknown, everAnswered: boolean): Error {
  const code = (error as { cause?: { code?: string } }).cause?.code;
  const nobodyThere = code === 'ECONNREFUSED' || code === 'ENOTFOUND';
  if (nobodyThere && !everAnswered) {
    return new CommandFailed(`No server answers at ${url}. Start one with "npm start", or name another with --url.`, {
      cause: error,
    });
  }
  return new TryAgain(`no answer (${code ?? (error as Error).message})`, undefined, { cause: error });
}

function finalRefusal(url: string, status: number, reason: string): string {
  if (status === 401 || status === 403) {
    return `The server refused the key (${reason}). Give a project API key (phc_...) with --key.`;
  }
  return `${url} does not take events (${reason}). Give the address of a Sluice server with --url.`;
}
