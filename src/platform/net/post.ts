/** One POST to a server that a user named, through the checked door. */
import http from 'node:http';
import https from 'node:https';
import { checkedAgents } from './connect.ts';
import type { HostRules } from './host-rules.ts';

export type PostOptions = {
  /** Checked by `checkUrl`. Only its addresses are checked again here, not whether it may be plain HTTP. */
  url: URL;
  headers: Record<string, string>;
  body: string;
  rules: HostRules;
  /** Time limit for the whole request, name resolution included. */
  timeoutMs: number;
  signal: AbortSignal;
};

/**
 * @returns the status of the answer, whose body is not read; redirects are not followed
 * @throws HostRefused, the system's error (`code`), or the signal's reason
 */
export async function post({ url, headers, body, rules, timeoutMs, signal }: PostOptions): Promise<number> {
  const agents = checkedAgents(rules, { maxSockets: 1 });
  const secure = url.protocol === 'https:';
  const ended = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const options = {
    method: 'POST',
    agent: secure ? agents.httpsAgent : agents.httpAgent,
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    signal: ended,
  };
  try {
    return await new Promise<number>((answered, failed) => {
      const request = (secure ? https : http).request(url, options, ({ statusCode = 0 }) => answered(statusCode));
      request.on('error', (error) => failed(ended.aborted ? (ended.reason as Error) : error));
      request.end(body);
    });
  } finally {
    agents.destroy();
  }
}
