/** Sends batches one after another, and repeats each until the receiver acknowledges it with 2xx, refuses it, or has failed too often. */
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { DestinationRejected } from '../../../platform/errors.ts';
import { HostRefused, type HostRules } from '../../../platform/net/host-rules.ts';
import { poster, type Answer } from '../../../platform/net/post.ts';
import { signedHeaders } from '../../../platform/net/webhook-signature.ts';
import { networkFaultOf } from '../network-faults.ts';
import { httpFault, statusFault } from './faults.ts';

const compress = promisify(gzip);

/** Time limit of one request. */
const REQUEST_MS = 60_000;
/** Limit of an answer's body; more is not read. */
const MAX_ANSWER_BYTES = 1024 * 1024;
/** Attempts at one batch; afterwards the part starts again from its beginning. */
const MAX_ATTEMPTS = 6;
const FIRST_WAIT_MS = 500;
/** Limit of what `Retry-After` may ask for. */
const MAX_WAIT_MS = 60_000;

export type SenderOptions = {
  url: URL;
  headers: Readonly<Record<string, string>>;
  signingSecret: string | null;
  gzip: boolean;
  /** Whether answers are the capture API's, which name events that were not stored. */
  isCapture: boolean;
  rules: HostRules;
  signal: AbortSignal;
  attempts?: number;
  /** As in `SessionContext`. */
  onRequest?: (failure?: Error) => void;
};

export type Sender = {
  /** @throws DestinationRejected, DestinationUnavailable, or the signal's reason */
  send(body: Buffer, key: string): Promise<void>;
  close(): void;
};

export function openSender({ attempts = MAX_ATTEMPTS, signal, onRequest, ...options }: SenderOptions): Sender {
  const { post, close } = poster(options.rules, { maxAnswerBytes: MAX_ANSWER_BYTES });

  async function attempt(body: Buffer, sent: Buffer, key: string): Promise<{ error?: Error; retryAfter?: string }> {
    const headers = {
      'content-type': 'application/json',
      ...options.headers,
      'user-agent': 'Sluice',
      'idempotency-key': key,
      ...(options.gzip && { 'content-encoding': 'gzip' }),
      // Each attempt is signed with its own time.
      ...(options.signingSecret !== null && signedHeaders(options.signingSecret, key, body)),
    };
    try {
      const answer = await post({ url: options.url, headers, body: sent, timeoutMs: REQUEST_MS, signal });
      const { 'retry-after': retryAfter } = answer.headers;
      const error = errorOf(answer, options.isCapture);
      return { ...(error && { error }), ...(retryAfter !== undefined && { retryAfter }) };
    } catch (cause) {
      signal.throwIfAborted();
      if (cause instanceof HostRefused) throw httpFault('host_not_allowed', { cause });
      return { error: httpFault(networkFaultOf(cause), { cause }) };
    }
  }

  return {
    async send(body, key) {
      const sent = options.gzip ? await compress(body) : body;
      for (let number = 1; ; number++) {
        const { error, retryAfter } = await attempt(body, sent, key);
        if (!error) return onRequest?.();
        if (error instanceof DestinationRejected || number >= attempts) throw error;
        onRequest?.(error);
        await sleep(waitMs(number, retryAfter), undefined, { signal });
      }
    },
    close,
  };
}

function errorOf({ status, body }: Answer, isCapture: boolean): Error | undefined {
  if (status < 200 || status >= 300) return statusFault(status);
  return isCapture && namesRejected(body) ? httpFault('rows_refused') : undefined;
}

/** Whether a capture API stored a batch in part. */
function namesRejected(body: string): boolean {
  try {
    const { rejected } = JSON.parse(body) as { rejected?: unknown };
    return Array.isArray(rejected) && rejected.length > 0;
  } catch {
    return false;
  }
}

/** @param retryAfter seconds or a date, as a header has it */
export function waitMs(attempt: number, retryAfter: string | undefined, now = Date.now()): number {
  const own = FIRST_WAIT_MS * 2 ** (attempt - 1);
  const asked = /^\d+$/.test(retryAfter ?? '') ? Number(retryAfter) * 1000 : Date.parse(retryAfter ?? '') - now;
  return Math.min(Number.isNaN(asked) ? own : Math.max(asked, own), MAX_WAIT_MS);
}
