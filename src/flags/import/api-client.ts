/** Client of a project's API, of this server or upstream: sends a key, waits as the server requests, and reads all pages. */
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandFailed } from '../../platform/errors.ts';
import { isRetryable } from '../../platform/sending/answer.ts';
import { retryAfterMs, retryAttempts, TryAgain, type RetryPolicy } from '../../platform/sending/retry.ts';
import { isFields, type Fields } from './exported.ts';
import { collect, listBudget, type SizeBudget } from './limits.ts';
import { MAX_REASON, printable } from './lines.ts';
import type { Refusal } from './outcome.ts';
import { parseList } from './read-list.ts';

const ATTEMPT_TIMEOUT_MS = 60_000;
/** Longest wait on a server's request: an hour, because servers limit requests per minute and per hour. */
const MAX_WAIT_MS = 3_600_000;
const USUAL_WAIT_MS = 30_000;
/** Minimum wait even if the server requests less; doubles up to the usual wait. */
const MIN_WAIT_MS = 1000;
/** How long a request that only gets 429 is repeated. */
const MAX_THROTTLED_MS = 30 * 60_000;
const PAGE = 500;

export type ApiClientOptions = {
  /** Base URL of the server: `http://127.0.0.1:8000`. */
  url: string;
  /** An id, or `@current`. */
  project: string;
  key: string;
  /** Option or variable that holds the key, for errors. */
  keyName: string;
  retry: RetryPolicy;
  /** How long a request is repeated while it gets 429; default: half an hour. */
  maxThrottledMs?: number;
  /** Called with the reason before each wait. */
  onWait: (reason: string) => void;
};

/** Result of a write. */
export type WriteResult = { body: Fields } | { refusal: Refusal; status: number };

export type ApiClient = ReturnType<typeof apiClient>;

export function apiClient({
  url,
  project,
  key,
  keyName,
  retry,
  maxThrottledMs = MAX_THROTTLED_MS,
  onWait,
}: ApiClientOptions) {
  const base = new URL(`api/projects/${encodeURIComponent(project)}/`, url.endsWith('/') ? url : `${url}/`);
  const never = new AbortController().signal;
  let hasAnswered = false;

  /** Sends a request, and repeats it after 429, because then it had no effect. @throws TryAgain, CommandFailed */
  async function requestUnthrottled(method: string, path: string, body?: Fields, headers: Record<string, string> = {}) {
    const deadline = performance.now() + maxThrottledMs;
    for (let least = MIN_WAIT_MS; ; least = Math.min(least * 2, USUAL_WAIT_MS)) {
      const response = await send(method, path, body, headers);
      if (response.status !== 429) return response;
      await response.body?.cancel();
      // tooth: import-throttled-for-ever
      if (performance.now() >= deadline) throw new CommandFailed(throttledMessage());
      const requested = retryAfterMs(response.headers.get('retry-after')) ?? USUAL_WAIT_MS;
      const wait = Math.min(Math.max(requested, least), MAX_WAIT_MS);
      onWait(`it accepts no requests with this key for the next ${Math.ceil(wait / 1000)} s`);
      await sleep(wait);
    }
  }

  function throttledMessage(): string {
    const minutes = Math.round(maxThrottledMs / 60_000);
    return `${url} has answered nothing but 429 (too many requests) for ${minutes} minutes. Run the command again later: it continues.`;
  }

  async function send(method: string, path: string, body: Fields | undefined, headers: Record<string, string>) {
    const response = await fetch(new URL(path, base), {
      method,
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${key}`,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
      // Redirects are not followed, because the key must reach no other server.
      redirect: 'manual',
      signal: AbortSignal.timeout(ATTEMPT_TIMEOUT_MS),
    }).catch((error: unknown) => {
      const reason = `${url} does not answer (${codeOf(error)})`;
      // A server that never answered means a wrong address; one that stopped answering may come back.
      if (!hasAnswered) throw new CommandFailed(`${reason}.`, { cause: error });
      throw new TryAgain(reason, undefined, { cause: error });
    });
    hasAnswered = true;
    const { status } = response;
    if (status !== 429 && isRetryable(status)) {
      await response.body?.cancel();
      throw new TryAgain(`${url} answers ${status}`, retryAfterMs(response.headers.get('retry-after')));
    }
    if (status >= 300 && status < 400) {
      throw new CommandFailed(
        `${url} answers ${status}, a redirect, which is not followed. Give the address it leads to.`,
      );
    }
    if (status === 401) throw new CommandFailed(`${url} refused the key of ${keyName}: ${await readDetail(response)}`);
    return response;
  }

  async function readBody(response: Response, budget: SizeBudget = listBudget()): Promise<Buffer> {
    const name = `The answer of ${url}`;
    if (!response.body) throw new TryAgain(`${name} is empty`);
    try {
      return await collect(response.body, name, budget);
    } catch (error) {
      if (error instanceof CommandFailed) throw error;
      throw new TryAgain(`${name} ends early (${codeOf(error)})`, undefined, { cause: error });
    }
  }

  async function readDetail(response: Response): Promise<string> {
    return printable((await readRefusal(response)).reason, MAX_REASON);
  }

  async function notListedMessage(path: string, response: Response): Promise<string> {
    const where = response.status === 404 ? ` of the project ${project}` : '';
    return `${url} does not list ${path}${where}: ${await readDetail(response)}`;
  }

  async function readRefusal(response: Response): Promise<Refusal> {
    const text = (await readBody(response).catch(() => Buffer.alloc(0))).toString();
    const { attr, code, detail } = fieldsOf(text);
    return {
      attr: typeof attr === 'string' ? withoutKey(attr) : null,
      code: typeof code === 'string' ? withoutKey(code) : `http_${response.status}`,
      reason: withoutKey(typeof detail === 'string' ? detail : `${response.status} ${response.statusText}`),
    };
  }

  /** Removes the key from a text, because a server may echo the request. */
  function withoutKey(text: string): string {
    // tooth: import-echoed-key
    return text.replaceAll(key, '[key]');
  }

  return {
    url,

    /**
     * Yields the items of a list, page by page. Uses only the query of a page's `next`, so the key reaches no other server.
     * @param limits `items`: maximum number of items; `room`: limit of size for all pages together; if absent, each page has its own
     * @throws CommandFailed
     */
    async *list(
      path: string,
      limits: { items?: number; budget?: SizeBudget } = {},
      query: Readonly<Record<string, string>> = {},
    ): AsyncGenerator {
      let items = 0;
      let search = new URLSearchParams({ ...query, limit: String(PAGE) }).toString();
      const seen = new Set([search]);
      for (;;) {
        const page = await withRetries(async () => {
          const response = await requestUnthrottled('GET', `${path}?${search}`);
          if (!response.ok) throw new CommandFailed(await notListedMessage(path, response));
          return parseList(await readBody(response, limits.budget), `The answer of ${url} to ${path}`);
        });
        for (const item of page.results) {
          if (++items > (limits.items ?? Infinity))
            throw new CommandFailed(`${url} lists more than ${limits.items} ${path}`);
          yield item;
        }
        if (page.next === null || page.results.length === 0) return;
        const next = URL.canParse(page.next) ? new URL(page.next).search.slice(1) : search;
        if (seen.has(next))
          throw new CommandFailed(`${url} says that ${path} has another page, but does not give a new address for it.`);
        seen.add(next);
        search = next;
      }
    },

    /**
     * Sends a write once, because only the caller knows whether it may be repeated.
     * @throws TryAgain if the change may have been made, or may succeed later; CommandFailed
     */
    async write(
      method: 'POST' | 'PATCH',
      path: string,
      body: Fields,
      headers?: Record<string, string>,
    ): Promise<WriteResult> {
      const response = await requestUnthrottled(method, path, body, headers);
      if (!response.ok) return { refusal: await readRefusal(response), status: response.status };
      return { body: fieldsOf((await readBody(response)).toString()) };
    },

    withRetries,
  };

  /** Repeats work that throws `TryAgain`. @throws CommandFailed when no attempts are left */
  async function withRetries<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await retryAttempts(work, { policy: retry, signal: never, onRetry: onWait });
    } catch (error) {
      if (!(error instanceof TryAgain)) throw error;
      throw new CommandFailed(`${error.message}. Run the command again: it does not create anything twice.`, {
        cause: error,
      });
    }
  }
}

function codeOf(error: unknown): string {
  const { cause, name, message } = error as Error & { cause?: { code?: string; message?: string } };
  if (name === 'TimeoutError') return 'no answer in time';
  if (cause?.message === 'bad port') return 'HTTP clients refuse this port, which is for another protocol';
  return cause?.code ?? cause?.message ?? message;
}

function fieldsOf(text: string): Fields {
  try {
    const value = JSON.parse(text) as unknown;
    return isFields(value) ? value : {};
  } catch {
    return {};
  }
}
