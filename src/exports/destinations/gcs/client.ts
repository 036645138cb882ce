/**
 * A client of Google Cloud Storage's JSON API: only checked hosts, for the access tokens too, no redirects, bounded answers. Google's own
 * client opens connections in several ways, one of them to the metadata server of the machine.
 */
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { hostRules } from '../../../platform/net/host-rules.ts';
import { poster, type Answer } from '../../../platform/net/post.ts';
import type { SessionContext } from '../contract.ts';
import { repeatedFailure } from '../repeated-failure.ts';
import { isRepeatable, isUnanswered, RefusedRequest, statusOf, translate } from './errors.ts';
import { gcsFault } from './faults.ts';
import type { ServiceAccount } from './service-account.ts';
import { tokenSource } from './token.ts';

export const GOOGLE = 'https://storage.googleapis.com';

/** Limit of answers other than an object's content: JSON of at most 1,000 names of at most 1 KiB. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const MAX_SOCKETS = 16;
const MAX_ATTEMPTS = 5;
const FIRST_WAIT_MS = 500;
/** Time limit of a call without content. */
const CALL_MS = 60_000;
const UNAUTHORIZED = 401;

export type GcsCall = {
  method: 'DELETE' | 'GET' | 'POST';
  /** Path below the origin, with its query. */
  path: string;
  /** Bytes are content; anything else is sent as JSON. */
  body?: Uint8Array | object;
  timeoutMs?: number;
  /** Called if the request may have taken effect although no answer says so; it is repeated then. */
  onUnanswered?(): void;
};

export type GcsClient = {
  /** @returns the answer's JSON @throws RefusedRequest, the system's error (`code`), or a fault of the token server */
  call(call: GcsCall): Promise<Record<string, unknown>>;
  /** @throws as `call` */
  download(path: string): Promise<IncomingMessage>;
  close(): void;
};

/** Gives the current access token. `renews`: another one, because the store has refused the last. */
export type AccessTokens = (renews: boolean) => Promise<string>;

export type GcsAccess = {
  account: ServiceAccount | AccessTokens;
  origin: string;
  allowedHosts: readonly string[];
  signal: AbortSignal;
  onRequest?: SessionContext['onRequest'] | undefined;
};

export function gcsClient({ account, origin, allowedHosts, signal, onRequest }: GcsAccess): GcsClient {
  const { post, download, close } = poster(hostRules(allowedHosts), {
    maxAnswerBytes: MAX_ANSWER_BYTES,
    maxSockets: MAX_SOCKETS,
  });
  const tokenOf =
    typeof account === 'function'
      ? account
      : tokenSource(account, async (request) => post({ ...request, timeoutMs: CALL_MS, signal }));

  /** Sends a request, and repeats it where that may help. Every request of the store is safe to repeat. */
  async function persist<T extends Answer | IncomingMessage>(
    send: (token: string) => Promise<T>,
    onUnanswered?: () => void,
  ): Promise<T> {
    let renews = false;
    for (let attempt = 1; ; attempt++) {
      let failure: unknown;
      const token = await tokenOf(renews);
      try {
        const answer = await send(token);
        if (!isAnswer(answer) || (answer.status >= 200 && answer.status < 300)) {
          onRequest?.();
          return answer;
        }
        failure = new RefusedRequest(answer);
      } catch (error) {
        signal.throwIfAborted();
        failure = error;
      }
      if (isUnanswered(failure)) onUnanswered?.();
      // The token may have been revoked. The refused request had no effect.
      const isUnauthorized: boolean = statusOf(failure) === UNAUTHORIZED && !renews;
      if (attempt === MAX_ATTEMPTS || !(isRepeatable(failure) || isUnauthorized)) throw failure;
      onRequest?.(repeatedFailure(statusOf(failure), () => translate(failure)));
      renews = isUnauthorized;
      if (!renews) await sleep(FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + Math.random()), undefined, { signal });
    }
  }

  return {
    async call({ method, path, body, timeoutMs = CALL_MS, onUnanswered }) {
      const isContent = body === undefined || body instanceof Uint8Array;
      const request = {
        method,
        url: new URL(origin + path),
        body: isContent ? (body ?? '') : JSON.stringify(body),
        timeoutMs,
        signal,
      };
      const type = isContent ? 'application/octet-stream' : 'application/json';
      const headersOf = (token: string) => ({
        authorization: `Bearer ${token}`,
        'user-agent': 'Sluice',
        ...(body !== undefined && { 'content-type': type }),
      });
      return jsonIn(await persist((token) => post({ ...request, headers: headersOf(token) }), onUnanswered));
    },
    async download(path) {
      const answer = await persist((token) =>
        download({
          url: new URL(origin + path),
          headers: { authorization: `Bearer ${token}`, 'user-agent': 'Sluice' },
          timeoutMs: CALL_MS,
          signal,
        }),
      );
      if (isAnswer(answer)) throw new RefusedRequest(answer);
      return answer;
    },
    close,
  };
}

const isAnswer = (answer: Answer | IncomingMessage): answer is Answer => 'body' in answer;

function jsonIn({ body }: Answer): Record<string, unknown> {
  if (body.trim() === '') return {};
  try {
    return (JSON.parse(body) ?? {}) as Record<string, unknown>;
  } catch (cause) {
    throw gcsFault('answer_incomplete', { cause });
  }
}
