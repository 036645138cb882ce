/** Finds the trustworthy address of a client: the peer of the connection, or the address that our own proxies report. */
import type { IncomingMessage } from 'node:http';
import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { CommandFailed } from '../errors.ts';
import { addressRange } from '../net/address-range.ts';

/** @returns an address in its canonical form; '' when the connection is gone already. Never throws. */
export type ClientAddress = (request: From) => string;
export type From = Pick<IncomingMessage, 'headers'> & { socket: Pick<IncomingMessage['socket'], 'remoteAddress'> };

/**
 * Proxies append the address that they were called from to `X-Forwarded-For`, so the entries left of the first address that is
 * not one of our proxies are unverified.
 * @param trustedProxies addresses and CIDR ranges, as in TRUSTED_PROXIES; none: the header is ignored
 * @throws CommandFailed for an entry that is neither
 */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const ranges = trustedProxies.map((entry) => {
    const range = addressRange(entry);
    if (!range) throw new CommandFailed(`TRUSTED_PROXIES: ${entry} is neither an address nor a CIDR range.`);
    return range;
  });
  const isTrusted = (address: string) => ranges.some((range) => range.has(address));

  return ({ socket, headers }) => {
    let address = readAddress(socket.remoteAddress ?? '') ?? '';
    if (!isTrusted(address)) return address;
    const hops = [headers['x-forwarded-for'] ?? ''].flat().join(',').split(',');
    // tooth: forwarded-address
    while (isTrusted(address)) {
      const hop = readAddress(hops.pop() ?? '');
      if (hop === undefined) break;
      address = hop;
    }
    return address;
  };
}

/** Reads an address from a socket or a proxy: with or without a port, IPv6 perhaps in brackets or with a zone. */
export function readAddress(text: string): string | undefined {
  const candidate = text.trim();
  const address = /^\[([^\]]*)\](?::\d+)?$/.exec(candidate)?.[1] ?? /^([\d.]+):\d+$/.exec(candidate)?.[1] ?? candidate;
  if (isIPv4(address)) return address;
  const withoutZone = address.split('%', 1)[0]!;
  return isIP(withoutZone) === 0 ? undefined : ipaddr.process(withoutZone).toString();
}

/**
 * @param address as `ClientAddress` gives it
 * @returns the network of one customer: the first 64 bits of IPv6, the whole IPv4 address, mapped or not; other texts unchanged
 */
export function addressGroup(address: string): string {
  if (isIP(address) === 0) return address;
  const parsed = ipaddr.process(address);
  // tooth: address-group
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}

/**
 * @param address as `ClientAddress` gives it
 * @returns the stored network in CIDR notation: the first 24 bits of IPv4, the first 48 of IPv6; '' for other texts
 */
export function networkOf(address: string): string {
  if (isIP(address) === 0) return '';
  const parsed = ipaddr.process(address);
  // tooth: address-coarse
  const bits = parsed instanceof ipaddr.IPv6 ? 48 : 24;
  const cidr = `${parsed.toString()}/${bits}`;
  const first = (parsed instanceof ipaddr.IPv6 ? ipaddr.IPv6 : ipaddr.IPv4).networkAddressFromCIDR(cidr);
  return `${first.toString()}/${bits}`;
}

/** @param address of a socket */
export function isLoopback(address: string): boolean {
  return isIP(address) !== 0 && ipaddr.process(address).range() === 'loopback';
}
