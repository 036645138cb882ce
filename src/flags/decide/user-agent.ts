/** Determines the runtime from the `User-Agent`, and whether it is a bot. */
import { createIsbotFromList, list } from 'isbot';
import type { Runtime } from '../evaluation/decision.ts';

export type Agent = { readonly runtime: Exclude<Runtime, 'all'>; readonly isBot: boolean };

const SERVERS = /^posthog-(?:python|ruby|php|java|server|go|node|dotnet|elixir|rs)\b/;
const CLIENTS = /^posthog-(?:js|android|ios|react-native|flutter)\b/;
const BROWSERS = /Mozilla\/|Chrome\/|Safari\/|Firefox\/|Edge\//;
const SCRIPTS = /python-requests\/|curl\//;

/**
 * Uses only isbot's patterns that name bots, because answering a bot does no harm, but a person without flags misses features.
 * The other patterns also match an app called `AcmeMonitor`, a browser in a test and a bare `Mozilla/5.0`.
 */
const isNamedBot = createBotTest(/bots|crawl|spider|facebook|whatsapp|yandex|yahoo/);
/** Bots that pose as browsers contain a URL, which browsers never do. Not applied to others: `Go-http-client/1.1` may be any backend. */
const isBotAmongBrowsers = createBotTest(/http|google|lighthouse|pagespeed|pingdom/);

function createBotTest(names: RegExp): (text: string) => boolean {
  return createIsbotFromList(list.filter((pattern) => names.test(pattern)));
}

/** Characters of a user agent that are examined. */
const MAX_CHARACTERS = 500;
/** Cache size. Each user agent is tested once, because few occur and the list of patterns is long. */
const MAX_CACHED_AGENTS = 2_000;
const cachedAgents = new Map<string, Agent>();

/** @param header of a request */
export function agentOf(header: string | undefined): Agent {
  const text = cutAgent(header ?? '');
  let agent = cachedAgents.get(text);
  if (agent) return agent;
  agent = readAgent(text);
  if (cachedAgents.size === MAX_CACHED_AGENTS) cachedAgents.clear();
  cachedAgents.set(text, agent);
  return agent;
}

/** Returns a copy: a slice used as a map key would keep the whole header in memory. */
function cutAgent(header: string): string {
  return header.length > MAX_CHARACTERS ? Buffer.from(header.slice(0, MAX_CHARACTERS)).toString() : header;
}

function readAgent(text: string): Agent {
  if (SERVERS.test(text)) return { runtime: 'server', isBot: false };
  if (CLIENTS.test(text)) return { runtime: 'client', isBot: false };
  if (BROWSERS.test(text)) return { runtime: 'client', isBot: isNamedBot(text) || isBotAmongBrowsers(text) };
  if (SCRIPTS.test(text)) return { runtime: 'server', isBot: false };
  return { runtime: 'unknown', isBot: isNamedBot(text) };
}
