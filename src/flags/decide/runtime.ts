/** Kind of program that asks for flags. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Runtime } from '../evaluation/decision.ts';
import { agentOf } from './user-agent.ts';

/**
 * @param stated runtime in the body: it wins, in any case; a text that does not name a runtime counts as `all`
 * @param headers of the request: without a stated runtime, they show which program sent it
 */
export function runtimeOf(stated: unknown, headers: IncomingHttpHeaders): Runtime {
  if (typeof stated === 'string') return RUNTIMES.find((runtime) => runtime === stated.toLowerCase()) ?? 'all';
  const { runtime } = agentOf(headers['user-agent']);
  if (runtime !== 'unknown') return runtime;
  const isPage =
    headers.origin !== undefined ||
    headers.referer !== undefined ||
    headers['sec-fetch-mode'] !== undefined ||
    headers['sec-fetch-site'] !== undefined;
  return isPage ? 'client' : 'unknown';
}

const RUNTIMES = ['client', 'server'] as const;
