/** Which kind of program asks for flags. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Runtime } from '../evaluation/decision.ts';

const BROWSERS = /Mozilla\/|Chrome\/|Safari\/|Firefox\/|Edge\//;
const SERVERS = /^posthog-(?:python|ruby|php|java|go|node|dotnet|elixir)|python-requests\/|curl\//;
const APPS = /^posthog-(?:android|ios|react-native|flutter)/;

/**
 * @param stated what the body says: it counts, where it is a runtime
 * @param headers those of the request: they show what else it comes from
 */
export function runtimeOf(stated: unknown, headers: IncomingHttpHeaders): Runtime {
  if (stated === 'client' || stated === 'server' || stated === 'all') return stated;
  const agent = headers['user-agent'] ?? '';
  if (BROWSERS.test(agent)) return 'client';
  if (SERVERS.test(agent)) return 'server';
  const isPage =
    APPS.test(agent) ||
    headers.origin !== undefined ||
    headers.referer !== undefined ||
    headers['sec-fetch-mode'] !== undefined ||
    headers['sec-fetch-site'] !== undefined;
  return isPage ? 'client' : 'unknown';
}
