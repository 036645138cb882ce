/**
 * Decides which hosts typed by users may be contacted: public ones, and those that the operator lists. All connections to such
 * hosts go through `connect.ts`, which checks here at the moment of connecting.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { addressRange } from './address-range.ts';

/** One message for every host, because a message of its own would reveal which names exist in our network. */
export const HOST_REFUSED =
  'This host cannot be used: its name is unknown, or its address is not public. Check the spelling. If the host is private, ask the operator to add it to EXPORT_ALLOWED_HOSTS.';

/** A host that may not be contacted, or that no name server knows when the configuration is saved. */
export class HostRefused extends Error {
  readonly code = 'HOST_REFUSED';

  /** @param message another one for an address that is refused without a look at its host */
  constructor(message = HOST_REFUSED) {
    super(message);
    this.name = 'HostRefused';
  }
}

export type HostRules = {
  /** Whether the operator lists this name or address: such a host may be private and speak without TLS. */
  lists(host: string): boolean;
  /** Whether a socket may be opened to this address, given that the user's host is `host`. */
  permits(host: string, address: string): boolean;
};

const BRACKETS = /^\[(.*)\]$/;

/** Whether an entry of EXPORT_ALLOWED_HOSTS can match a host. */
export function isHostEntry(entry: string): boolean {
  if (addressRange(entry)) return true;
  try {
    parseHost(entry);
    return true;
  } catch {
    return false;
  }
}

/**
 * @param allowedHosts names, addresses or CIDR ranges, as in EXPORT_ALLOWED_HOSTS
 */
export function hostRules(allowedHosts: readonly string[]): HostRules {
  const entries = allowedHosts
    .map((entry) => entry.trim().toLowerCase().replace(BRACKETS, '$1'))
    .filter((entry) => entry !== '');
  const ranges = entries.flatMap((entry) => addressRange(entry) ?? []);
  const names = new Set(entries);
  const listsAddress = (address: string) => ranges.some((range) => range.has(address));

  return {
    lists: (host) => names.has(host) || listsAddress(host),
    permits: (host, address) => names.has(host) || isPublic(address) || listsAddress(address),
  };
}

/** Address in the public range that is internal all the same: Azure's virtual machines get their keys and certificates from it. */
const AZURE_HOST = '168.63.129.16';

/**
 * Whether the address is reachable from the internet. Fails closed: for IPv6 only 2000::/3 counts, minus what
 * IANA's registry reserves there (6to4, Teredo, documentation and others, which ipaddr.js names).
 */
export function isPublic(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.process(address);
  // tooth: host-public
  if (parsed.range() !== 'unicast' || parsed.toString() === AZURE_HOST) return false;
  // tooth: host-ipv6
  return parsed.kind() === 'ipv4' || (parsed.toByteArray()[0]! & 0xe0) === 0x20;
}

const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * Reads a host as a user may type it: a DNS name in ASCII or a plain address. Refuses a user before it, a port after it, a path
 * (node-postgres takes `/…` for a unix socket), trailing dots, zone ids and every other spelling of an address (`2130706433`,
 * `0x7f.1`, `010.0.0.1`), which resolvers understand and checks overlook.
 * @returns the host in lower case, an IPv6 address without brackets
 * @throws HostRefused
 */
export function parseHost(text: string): string {
  const host = text.toLowerCase();
  const unbracketed = /^\[.*\]$/.test(host) ? host.slice(1, -1) : host;
  if (isIP(unbracketed) === 6 && !unbracketed.includes('%')) return unbracketed;
  if (isIP(host) === 4) return host;
  const labels = host.split('.');
  const looksNumeric = /^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1)!);
  if (host.length > 253 || looksNumeric || !labels.every((label) => LABEL.test(label))) throw new HostRefused();
  return host;
}
