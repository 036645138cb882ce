/**
 * Opens all connections to hosts that users typed: resolves a name once, checks every address, and connects to a checked address. A name
 * that resolves differently a moment later changes nothing.
 */
import { lookup as resolve, type LookupAddress, type LookupOptions } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { connect as openSocket, isIP, type LookupFunction, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import { HostRefused, parseHost, type HostRules } from './host-rules.ts';

/** `dns.lookup` for `net.connect` and agents: the error is HostRefused when any address of the name is not permitted. */
function guardedLookup(rules: HostRules): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true } as LookupOptions & { all: true }, (error, records) => {
      const addresses = records as LookupAddress[] | undefined;
      if (error || !addresses?.[0]) return callback(error ?? new HostRefused(), '', 0);
      // tooth: host-every-address
      if (!addresses.every(({ address }) => rules.permits(hostname, address)))
        return callback(new HostRefused(), '', 0);
      if (options.all) return callback(null, addresses);
      callback(null, addresses[0].address, addresses[0].family);
    });
  };
}

/**
 * Checks a host when it is saved: its spelling, and every address that name servers give for it now.
 * @returns whether the operator lists the host, by its name or by all its addresses
 * @throws HostRefused, also for an unknown name, so answers do not reveal which hosts exist inside
 */
export async function checkHost(text: string, rules: HostRules): Promise<{ host: string; listed: boolean }> {
  const host = parseHost(text);
  if (isIP(host) !== 0) {
    if (!rules.permits(host, host)) throw new HostRefused();
    return { host, listed: rules.lists(host) };
  }
  const addresses = await promisify(resolve)(host, { all: true }).catch(() => []);
  if (addresses.length === 0 || !addresses.every(({ address }) => rules.permits(host, address))) {
    throw new HostRefused();
  }
  return { host, listed: rules.lists(host) || addresses.every(({ address }) => rules.lists(address)) };
}

export type ConnectOptions = { host: string; port: number; rules: HostRules; timeoutMs: number; signal: AbortSignal };

/**
 * Opens a TCP connection. @returns a connected socket, with keep-alive and without Nagle's delay
 * @throws HostRefused, or the system's error (`code`: ECONNREFUSED, ETIMEDOUT, ENOTFOUND, …)
 */
export async function connectTo({ host: text, port, rules, timeoutMs, signal }: ConnectOptions): Promise<Socket> {
  const host = parseHost(text);
  // tooth: host-literal-socket
  if (isIP(host) !== 0 && !rules.permits(host, host)) throw new HostRefused();
  signal.throwIfAborted();
  const socket = openSocket({ host, port, lookup: guardedLookup(rules), noDelay: true, keepAlive: true });
  const timedOut = Object.assign(new Error('connection timed out'), { code: 'ETIMEDOUT' });
  const timer = setTimeout(() => socket.destroy(timedOut), timeoutMs);
  const abort = () => socket.destroy(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  try {
    await new Promise<void>((connected, reject) => {
      socket.once('connect', () => {
        socket.off('error', reject);
        connected();
      });
      socket.once('error', reject);
    });
    return socket;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

export type HttpAgents = { httpAgent: http.Agent; httpsAgent: https.Agent; destroy(): void };

/** Agents for HTTP clients, which must not follow redirects automatically; close them with `destroy`. */
export function guardedAgents(rules: HostRules, { maxSockets }: { maxSockets: number }): HttpAgents {
  const options = { keepAlive: true, maxSockets, lookup: guardedLookup(rules) };
  const httpAgent = checkLiterals(new http.Agent(options), rules);
  const httpsAgent = checkLiterals(new https.Agent(options), rules);
  return {
    httpAgent,
    httpsAgent,
    destroy() {
      httpAgent.destroy();
      httpsAgent.destroy();
    },
  };
}

/** Checks literal addresses in the agent, because a socket to one never calls `lookup`. */
function checkLiterals<A extends http.Agent>(agent: A, rules: HostRules): A {
  const create = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback): Duplex | null | undefined => {
    const host = options.host ?? '';
    const literal = host.replace(/^\[|\]$/g, '');
    // tooth: host-literal-agent
    if (isIP(literal) === 0 || rules.permits(literal, literal)) return create(options, callback);
    // Asynchronous like a real connection, because the request is not listening yet.
    setImmediate(() => callback?.(new HostRefused(), undefined as unknown as Duplex));
    return undefined;
  };
  return agent;
}
