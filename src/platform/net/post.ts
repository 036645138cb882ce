/** POSTs to servers that users named, through the checked door. */
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { guardedAgents } from './connect.ts';
import type { HostRules } from './host-rules.ts';

export type Request = {
  /** POST if absent. */
  method?: 'GET' | 'HEAD' | 'POST';
  /** Checked by `checkUrl`. Only its addresses are checked again here, not whether it may be plain HTTP. */
  url: URL;
  headers: Record<string, string>;
  body: string | Uint8Array;
  /** Time limit for the whole request, name resolution and the answer included. */
  timeoutMs: number;
  signal: AbortSignal;
};

export type PostOptions = Request & { rules: HostRules };

/** An answer; a redirect is one. `body` is cut at the limit of the poster. */
export type Answer = { status: number; headers: IncomingHttpHeaders; body: string };

export type Poster = {
  /** @throws HostRefused, the system's error (`code`), or the signal's reason */
  post(request: Request): Promise<Answer>;
  close(): void;
};

/**
 * Keeps connections for further requests. Redirects are not followed, and cookies not kept.
 * @param maxAnswerBytes what is read of the body of an answer; the connection of a longer one is cut
 */
export function poster(rules: HostRules, { maxAnswerBytes }: { maxAnswerBytes: number }): Poster {
  const { httpAgent, httpsAgent, destroy } = guardedAgents(rules, { maxSockets: 1 });
  return {
    async post({ method = 'POST', url, headers, body, timeoutMs, signal }) {
      const secure = url.protocol === 'https:';
      const ended = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const options = {
        method,
        agent: secure ? httpsAgent : httpAgent,
        headers: { ...headers, ...(method === 'POST' && { 'content-length': Buffer.byteLength(body) }) },
        signal: ended,
      };
      try {
        const response = await new Promise<IncomingMessage>((resolve, reject) => {
          const request = (secure ? https : http).request(url, options, resolve);
          request.on('error', reject);
          request.end(body);
        });
        const { statusCode: status = 0, headers: given } = response;
        return { status, headers: given, body: await readUpTo(response, maxAnswerBytes) };
      } catch (error) {
        throw ended.aborted ? (ended.reason as Error) : error;
      }
    },
    close: destroy,
  };
}

async function readUpTo(response: IncomingMessage, maxBytes: number): Promise<string> {
  const read: Buffer[] = [];
  let bytes = 0;
  if (maxBytes > 0) {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      read.push(chunk);
      bytes += chunk.length;
      if (bytes >= maxBytes) break;
    }
  }
  response.destroy();
  return Buffer.concat(read).subarray(0, maxBytes).toString();
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
