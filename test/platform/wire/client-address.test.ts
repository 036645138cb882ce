import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { CommandFailed } from '../../../src/platform/errors.ts';
import { createClientAddress, networkOf } from '../../../src/platform/wire/client-address.ts';

function from(peer: string | undefined, forwardedFor?: string): IncomingMessage {
  return {
    socket: { remoteAddress: peer },
    headers: { 'x-forwarded-for': forwardedFor },
  } as unknown as IncomingMessage;
}

describe('the address of a client', () => {
  it('is that of the socket, whatever a header claims, unless the socket’s peer is a trusted proxy', () => {
    assert.equal(createClientAddress([])(from('198.51.100.7', '203.0.113.1')), '198.51.100.7');
    assert.equal(createClientAddress(['10.0.0.0/8'])(from('198.51.100.7', '203.0.113.1')), '198.51.100.7');
  });

  const trusting = createClientAddress(['127.0.0.1', '10.0.0.0/8', '2001:db8::/32']);
  const cases: [string, string, string, string][] = [
    ['the one that the proxy reports', '127.0.0.1', '203.0.113.1', '203.0.113.1'],
    ['not the one that the client itself claims in the header', '127.0.0.1', '1.1.1.1, 203.0.113.1', '203.0.113.1'],
    [
      'the last untrusted one behind several proxies',
      '127.0.0.1',
      '1.1.1.1, 203.0.113.1, 10.1.2.3,10.9.9.9',
      '203.0.113.1',
    ],
    ['found behind proxies with IPv4 and IPv6 addresses', '2001:db8::1', '203.0.113.1, 2001:db8:0:0::2', '203.0.113.1'],
    ['that of the outermost proxy if the header names only proxies', '127.0.0.1', '10.0.0.2, 10.0.0.1', '10.0.0.2'],
    ['that of the proxy if the header is empty', '127.0.0.1', '', '127.0.0.1'],
    [
      'that of the last proxy before an entry that is no address',
      '127.0.0.1',
      '203.0.113.1, unknown, 10.0.0.1',
      '10.0.0.1',
    ],
    [
      'found behind a proxy whose IPv4 address the socket reports as IPv6',
      '::ffff:127.0.0.1',
      '203.0.113.1',
      '203.0.113.1',
    ],
    ['read without its port', '127.0.0.1', '203.0.113.1:4711', '203.0.113.1'],
    ['read without its brackets and port', '127.0.0.1', '[2606:4700::0:1111]:443', '2606:4700::1111'],
    ['read without its zone', '127.0.0.1', 'fe80::1%eth0', 'fe80::1'],
    ['returned in canonical form', '127.0.0.1', '2606:4700:0:0:0:0:0:1111', '2606:4700::1111'],
    ['never read from a number, which other programs take for IPv4', '127.0.0.1', '2130706433', '127.0.0.1'],
  ];
  for (const [name, peer, header, expected] of cases) {
    it(`is ${name}`, () => assert.equal(trusting(from(peer, header)), expected));
  }

  for (const [address, network] of [
    ['203.0.113.77', '203.0.113.0/24'],
    ['2606:4700:12:3456::1111', '2606:4700:12::/48'],
    ['::ffff:203.0.113.77', '203.0.113.0/24'],
    ['', ''],
    ['unknown', ''],
  ] as const) {
    it(`is stored only as its network: ${address || 'none'}`, () => assert.equal(networkOf(address), network));
  }

  it('is empty when the connection is gone', () => {
    assert.equal(trusting(from(undefined, '203.0.113.1')), '');
  });

  it('is read from any header without an error', () => {
    const text = fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.constantFrom('::', '[', '[]', '%', ':1', '1.2.3.4:x'));
    fc.assert(
      fc.property(fc.array(text), (hops) => {
        assert.notEqual(trusting(from('10.0.0.1', hops.join(','))), '');
      }),
    );
  });

  it('cannot be configured with an invalid list of proxies', () => {
    assert.throws(
      () => createClientAddress(['10.0.0.0/33']),
      new CommandFailed('TRUSTED_PROXIES: 10.0.0.0/33 is neither an address nor a CIDR range.'),
    );
    assert.throws(() => createClientAddress(['proxy.example']), CommandFailed);
  });
});
