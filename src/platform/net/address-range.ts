/** Addresses and ranges of addresses, as operators list them. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type AddressRange = {
  /** @param address IPv4 or IPv6; a mapped IPv4 address counts as IPv4. Other texts are in no range. */
  has(address: string): boolean;
};

/**
 * @param text an address, or a range in CIDR notation
 * @returns undefined when it is neither
 */
export function addressRange(text: string): AddressRange | undefined {
  const range = parse(text);
  if (!range) return undefined;
  const [network, bits] = range;
  return {
    has(address) {
      if (isIP(address) === 0) return false;
      const parsed = ipaddr.process(address);
      return network.kind() === parsed.kind() && parsed.match(network, bits);
    },
  };
}

function parse(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] | undefined {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  if (isIP(text) === 0) return undefined;
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
