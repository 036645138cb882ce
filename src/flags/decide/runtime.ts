/** Determines the runtime of the program that requests flags. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Runtime } from '../evaluation/decision.ts';
import { agentOf } from './user-agent.ts';

/**
 * @param statedRuntime runtime in the body, in upper or lower case; it takes precedence, and an unknown text means `all`
 * @param headers of the request, which tell the runtime if the body does not
 */
export function runtimeOf(statedRuntime: unknown, headers: IncomingHttpHeaders): Runtime {
  if (typeof statedRuntime === 'string')
    return RUNTIMES.find((runtime) => runtime === statedRuntime.toLowerCase()) ?? 'all';
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
