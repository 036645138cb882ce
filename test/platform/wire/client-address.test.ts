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
  it('is that of the socket, whatever a header claims, unless a proxy is trusted', () => {
    assert.equal(createClientAddress([])(from('198.51.100.7', '203.0.113.1')), '198.51.100.7');
    assert.equal(createClientAddress(['10.0.0.0/8'])(from('198.51.100.7', '203.0.113.1')), '198.51.100.7');
  });

  const trusting = createClientAddress(['127.0.0.1', '10.0.0.0/8', '2001:db8::/32']);
  const cases: [string, string, string, string][] = [
    ['the one that the proxy saw', '127.0.0.1', '203.0.113.1', '203.0.113.1'],
    ['not the one that its client claimed before', '127.0.0.1', '1.1.1.1, 203.0.113.1', '203.0.113.1'],
    ['behind several proxies', '127.0.0.1', '1.1.1.1, 203.0.113.1, 10.1.2.3,10.9.9.9', '203.0.113.1'],
    ['behind proxies of both versions', '2001:db8::1', '203.0.113.1, 2001:db8:0:0::2', '203.0.113.1'],
    ['the outermost proxy when there is nobody else', '127.0.0.1', '10.0.0.2, 10.0.0.1', '10.0.0.2'],
    ['the proxy without a header', '127.0.0.1', '', '127.0.0.1'],
    ['the last one that can be read', '127.0.0.1', '203.0.113.1, unknown, 10.0.0.1', '10.0.0.1'],
    ['a peer that a socket for both versions saw', '::ffff:127.0.0.1', '203.0.113.1', '203.0.113.1'],
    ['without a port', '127.0.0.1', '203.0.113.1:4711', '203.0.113.1'],
    ['without brackets and port', '127.0.0.1', '[2606:4700::0:1111]:443', '2606:4700::1111'],
    ['without a zone', '127.0.0.1', 'fe80::1%eth0', 'fe80::1'],
    ['in canonical form', '127.0.0.1', '2606:4700:0:0:0:0:0:1111', '2606:4700::1111'],
    ['not a number that only looks like one', '127.0.0.1', '2130706433', '127.0.0.1'],
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
    it(`has a network, which is all that is kept of it: ${address || 'none'}`, () =>
      assert.equal(networkOf(address), network));
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

  it('cannot be had from a list of proxies that makes no sense', () => {
    assert.throws(
      () => createClientAddress(['10.0.0.0/33']),
      new CommandFailed('TRUSTED_PROXIES: 10.0.0.0/33 is neither an address nor a CIDR range.'),
    );
    assert.throws(() => createClientAddress(['proxy.example']), CommandFailed);
  });
});
