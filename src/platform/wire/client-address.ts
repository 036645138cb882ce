/** Where a request comes from, as far as that can be believed: the peer of the connection, or whom our own proxies name. */
import type { IncomingMessage } from 'node:http';
import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { CommandFailed } from '../errors.ts';
import { addressRange } from '../net/address-range.ts';

/** @returns an address in its canonical form; '' when the connection is gone already. Never throws. */
export type ClientAddress = (request: From) => string;
export type From = Pick<IncomingMessage, 'headers'> & { socket: Pick<IncomingMessage['socket'], 'remoteAddress'> };

/**
 * Proxies append the address that they were called from to `X-Forwarded-For`, so what stands left of the first address that is
 * no proxy of ours is only what somebody claims.
 * @param trustedProxies addresses and CIDR ranges, as in TRUSTED_PROXIES; none: the header is never looked at
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

/** As a socket or a proxy writes it: with a port or without, IPv6 perhaps in brackets or with a zone. */
export function readAddress(text: string): string | undefined {
  const written = text.trim();
  const address = /^\[([^\]]*)\](?::\d+)?$/.exec(written)?.[1] ?? /^([\d.]+):\d+$/.exec(written)?.[1] ?? written;
  if (isIPv4(address)) return address;
  const plain = address.split('%', 1)[0]!;
  return isIP(plain) === 0 ? undefined : ipaddr.process(plain).toString();
}

/**
 * @param address as `ClientAddress` gives it
 * @returns what one customer has: of IPv6 the first 64 bits, of IPv4, mapped into IPv6 or not, the address; other texts as they are
 */
export function addressGroup(address: string): string {
  if (isIP(address) === 0) return address;
  const parsed = ipaddr.process(address);
  // tooth: address-group
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}

/**
 * @param address as `ClientAddress` gives it
 * @returns what is kept of it for people, in CIDR notation: of IPv4 the first 24 bits, of IPv6 the first 48; '' for other texts
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
