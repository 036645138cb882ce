/** Sends requests to servers that users named, over connections to checked addresses only. */
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { guardedAgents } from './connect.ts';
import type { HostRules } from './host-rules.ts';

export type Request = {
  /** POST if absent. */
  method?: 'DELETE' | 'GET' | 'HEAD' | 'POST';
  /** Checked by `checkUrl`. Only its addresses are checked again here, not whether it may be plain HTTP. */
  url: URL;
  headers: Record<string, string>;
  body: string | Uint8Array;
  /** Time limit for the whole request, name resolution and the answer included. */
  timeoutMs: number;
  signal: AbortSignal;
};

export type PostOptions = Request & { rules: HostRules };

/** An answer, which may be a redirect. `body` is cut at the limit of the poster. */
export type Answer = { status: number; headers: IncomingHttpHeaders; body: string };

export type Poster = {
  /** @throws HostRefused, the system's error (`code`), or the signal's reason */
  post(request: Request): Promise<Answer>;
  /**
   * Gets content of any size. The time limit is one of silence on the connection.
   * @returns the stream of an answer with status 200, which the caller reads or destroys; any other answer as `post` does
   */
  download(request: Omit<Request, 'method' | 'body'>): Promise<IncomingMessage | Answer>;
  close(): void;
};

export type PosterOptions = {
  /** Limit of an answer's body; the poster closes the connection of a longer answer. */
  maxAnswerBytes: number;
  /** Limit of simultaneous requests. */
  maxSockets?: number;
};

/** Keeps connections for further requests. Follows no redirects, and keeps no cookies. */
export function poster(rules: HostRules, { maxAnswerBytes, maxSockets = 1 }: PosterOptions): Poster {
  const { httpAgent, httpsAgent, destroy } = guardedAgents(rules, { maxSockets });

  async function send(
    { method = 'POST', url, headers, body, signal }: Omit<Request, 'timeoutMs'>,
    limits: { timeout?: number } = {},
  ): Promise<IncomingMessage> {
    const secure = url.protocol === 'https:';
    const options = {
      method,
      agent: secure ? httpsAgent : httpAgent,
      headers: { ...headers, ...(method === 'POST' && { 'content-length': Buffer.byteLength(body) }) },
      signal,
      ...limits,
    };
    return new Promise((resolve, reject) => {
      const request = (secure ? https : http).request(url, options, resolve);
      request.on('timeout', () => request.destroy(Object.assign(new Error(), { code: 'ETIMEDOUT' })));
      request.on('error', reject);
      request.end(body);
    });
  }

  const answerOf = async (response: IncomingMessage): Promise<Answer> => {
    const { statusCode: status = 0, headers } = response;
    return { status, headers, body: await readUpTo(response, maxAnswerBytes) };
  };

  return {
    async post({ timeoutMs, signal, ...request }) {
      const end = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      try {
        return await answerOf(await send({ ...request, signal: end }));
      } catch (error) {
        throw end.aborted ? (end.reason as Error) : error;
      }
    },
    async download({ timeoutMs, ...request }) {
      const response = await send({ ...request, method: 'GET', body: '' }, { timeout: timeoutMs });
      return response.statusCode === 200 ? response : answerOf(response);
    },
    close: destroy,
  };
}

async function readUpTo(response: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  if (maxBytes > 0) {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= maxBytes) break;
    }
  }
  response.destroy();
  return Buffer.concat(chunks).subarray(0, maxBytes).toString();
}

/** One request over a connection of its own. @returns the status of the answer, whose body is not read */
export async function post({ rules, ...request }: PostOptions): Promise<number> {
  const { post: send, close } = poster(rules, { maxAnswerBytes: 0 });
  try {
    return (await send(request)).status;
  } finally {
    close();
  }
}
