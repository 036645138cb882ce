/** A project's API, here or at upstream: requests with a key, waits where the server asks for them, pages. */
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandFailed } from '../../platform/errors.ts';
import { mayPass } from '../../platform/sending/answer.ts';
import { retryAfterMs, retrying, TryAgain, type RetryPolicy } from '../../platform/sending/retry.ts';
import { isFields, type Fields } from './exported.ts';
import { collect, roomForList, type Room } from './limits.ts';
import { LONGEST_REASON, printable } from './lines.ts';
import type { Refusal } from './outcome.ts';
import { parseList } from './read-list.ts';

const ATTEMPT_TIMEOUT_MS = 60_000;
/** Longest wait that a server asks for, because a key's requests are counted by the minute and by the hour. */
const LONGEST_WAIT_MS = 3_600_000;
const USUAL_WAIT_MS = 30_000;
/** The least wait, however soon the server allows a request; it doubles up to the usual one. */
const SHORTEST_WAIT_MS = 1000;
/** Answers of 429 alone, for this long, do not end by waiting. */
const THROTTLED_AT_MOST_MS = 30 * 60_000;
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
  throttledAtMostMs?: number;
  /** Gets why a request is sent again later. */
  onWait: (reason: string) => void;
};

/** Result of a write. */
export type Written = { body: Fields } | { refusal: Refusal; status: number };

export type ApiClient = ReturnType<typeof apiClient>;

export function apiClient({
  url,
  project,
  key,
  keyName,
  retry,
  throttledAtMostMs = THROTTLED_AT_MOST_MS,
  onWait,
}: ApiClientOptions) {
  const base = new URL(`api/projects/${encodeURIComponent(project)}/`, url.endsWith('/') ? url : `${url}/`);
  const never = new AbortController().signal;
  let hasAnswered = false;

  /** Sends one request and waits as the server asks: a request that got 429 had no effect. @throws TryAgain, CommandFailed */
  async function ask(method: string, path: string, body?: Fields, headers: Record<string, string> = {}) {
    const deadline = performance.now() + throttledAtMostMs;
    for (let least = SHORTEST_WAIT_MS; ; least = Math.min(least * 2, USUAL_WAIT_MS)) {
      const response = await send(method, path, body, headers);
      if (response.status !== 429) return response;
      await response.body?.cancel();
      // tooth: import-throttled-for-ever
      if (performance.now() >= deadline) throw new CommandFailed(sayThrottled());
      const requested = retryAfterMs(response.headers.get('retry-after')) ?? USUAL_WAIT_MS;
      const wait = Math.min(Math.max(requested, least), LONGEST_WAIT_MS);
      onWait(`it takes no more requests with this key for ${Math.ceil(wait / 1000)} s`);
      await sleep(wait);
    }
  }

  function sayThrottled(): string {
    const minutes = Math.round(throttledAtMostMs / 60_000);
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
      // The key is for this server only.
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
    if (status !== 429 && mayPass(status)) {
      await response.body?.cancel();
      throw new TryAgain(`${url} answers ${status}`, retryAfterMs(response.headers.get('retry-after')));
    }
    if (status >= 300 && status < 400) {
      throw new CommandFailed(
        `${url} answers ${status}, a redirect, which is not followed. Give the address it leads to.`,
      );
    }
    if (status === 401) throw new CommandFailed(`${url} refused the key of ${keyName}: ${await detailOf(response)}`);
    return response;
  }

  async function bytesOf(response: Response, room: Room = roomForList()): Promise<Buffer> {
    const name = `The answer of ${url}`;
    if (!response.body) throw new TryAgain(`${name} is empty`);
    try {
      return await collect(response.body, name, room);
    } catch (error) {
      if (error instanceof CommandFailed) throw error;
      throw new TryAgain(`${name} ends early (${codeOf(error)})`, undefined, { cause: error });
    }
  }

  async function detailOf(response: Response): Promise<string> {
    return printable((await refusalOf(response)).reason, LONGEST_REASON);
  }

  async function sayUnlisted(path: string, response: Response): Promise<string> {
    const where = response.status === 404 ? ` of the project ${project}` : '';
    return `${url} does not list ${path}${where}: ${await detailOf(response)}`;
  }

  async function refusalOf(response: Response): Promise<Refusal> {
    const text = (await bytesOf(response).catch(() => Buffer.alloc(0))).toString();
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
     * Yields the items of a list, page by page. Only the query of a page's `next` is used, so the key is sent to this server only.
     * @param limits `items`: maximum number of items; `room`: for all pages together, if absent for each page
     * @throws CommandFailed
     */
    async *list(
      path: string,
      limits: { items?: number; room?: Room } = {},
      query: Readonly<Record<string, string>> = {},
    ): AsyncGenerator {
      let items = 0;
      let search = new URLSearchParams({ ...query, limit: String(PAGE) }).toString();
      const seen = new Set([search]);
      for (;;) {
        const page = await withRetries(async () => {
          const response = await ask('GET', `${path}?${search}`);
          if (!response.ok) throw new CommandFailed(await sayUnlisted(path, response));
          return parseList(await bytesOf(response, limits.room), `The answer of ${url} to ${path}`);
        });
        for (const item of page.results) {
          if (++items > (limits.items ?? Infinity))
            throw new CommandFailed(`${url} lists more than ${limits.items} ${path}`);
          yield item;
        }
        if (page.next === null || page.results.length === 0) return;
        const next = URL.canParse(page.next) ? new URL(page.next).search.slice(1) : search;
        if (seen.has(next))
          throw new CommandFailed(`${url} names no further page of ${path} where it says that there is one.`);
        seen.add(next);
        search = next;
      }
    },

    /**
     * Creates or changes, sending it once: the caller knows whether it may be repeated.
     * @throws TryAgain when the change may have been made, or may succeed later; CommandFailed
     */
    async write(
      method: 'POST' | 'PATCH',
      path: string,
      body: Fields,
      headers?: Record<string, string>,
    ): Promise<Written> {
      const response = await ask(method, path, body, headers);
      if (!response.ok) return { refusal: await refusalOf(response), status: response.status };
      return { body: fieldsOf((await bytesOf(response)).toString()) };
    },

    withRetries,
  };

  /** Repeats work that throws `TryAgain`. @throws CommandFailed when it is given up */
  async function withRetries<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await retrying(work, { policy: retry, signal: never, onRetry: onWait });
    } catch (error) {
      if (!(error instanceof TryAgain)) throw error;
      throw new CommandFailed(`${error.message}. Run the command again: what is there is not made twice.`, {
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
