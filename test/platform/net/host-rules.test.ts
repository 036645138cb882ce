import assert from 'node:assert/strict';
import { HostRefused, hostRules, isPublic, parseHost } from '../../../src/platform/net/host-rules.ts';

const PRIVATE_ADDRESSES = [
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '168.63.129.16',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::7f00:1',
  '::ffff:127.0.0.1',
  '::ffff:a83f:8110',
  '::ffff:a9fe:a9fe',
  '::ffff:0:127.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::a9fe:a9fe',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fec0::1',
  'ff02::1',
];

const SPELLINGS = [
  '',
  ' ',
  '.',
  'example.com.',
  'exa mple.com',
  'example.com:5432',
  'user@example.com',
  'user:pw@example.com',
  'postgres://example.com',
  'example.com/x',
  'example.com\\x',
  'example.com\r\nx',
  'example.com\0',
  '/var/run/postgresql',
  '@/var/run/postgresql',
  '..',
  '-example.com',
  'example-.com',
  'ex..ample.com',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '127.1',
  '127.0.1',
  '0177.0.0.1',
  '127.0.0.01',
  '127.0.0.256',
  '1.2.3.4.5',
  '127.0.0.1.',
  'example.0x7f',
  '[::1',
  '::1]',
  'fe80::1%eth0',
  '[fe80::1%25eth0]',
  'exämple.com',
  'ｅxample.com',
  '１２７.0.0.1',
  '127。0。0。1',
  'x'.repeat(64),
  'x.'.repeat(127) + 'xx',
];

describe('hosts that users type', () => {
  for (const address of PRIVATE_ADDRESSES) {
    it(`may not be ${address}`, () => {
      assert.equal(isPublic(address), false);
      assert.equal(hostRules([]).permits('example.com', address), false);
    });
  }

  for (const address of ['8.8.8.8', '1.1.1.1', '93.184.216.34', '2606:4700::1111', '::ffff:8.8.8.8', '2a00:1450::1']) {
    it(`may be ${address}`, () => assert.equal(hostRules([]).permits('example.com', address), true));
  }

  for (const spelling of SPELLINGS) {
    it(`may not be spelled ${JSON.stringify(spelling).slice(0, 40)}`, () => {
      assert.throws(() => parseHost(spelling), HostRefused);
    });
  }

  for (const [typed, host] of [
    ['Example.COM', 'example.com'],
    ['db-1.internal', 'db-1.internal'],
    ['my_host', 'my_host'],
    ['localhost', 'localhost'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['192.0.2.7', '192.0.2.7'],
    ['[2001:DB8::1]', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['3com.example', '3com.example'],
  ] as const) {
    it(`may be spelled ${typed}`, () => assert.equal(parseHost(typed), host));
  }

  it('may be private where the operator lists the name, the address or its range', () => {
    const rules = hostRules(['minio', ' 10.1.2.3 ', '192.168.0.0/16', 'FD00::/8', '::ffff:172.20.0.1', '[::1]']);
    assert.ok(rules.permits('minio', '172.17.0.2'));
    assert.ok(!rules.permits('other', '172.17.0.2'));
    assert.ok(rules.permits('x', '10.1.2.3') && !rules.permits('x', '10.1.2.4'));
    assert.ok(rules.permits('x', '192.168.7.7') && rules.permits('x', '::ffff:192.168.7.7'));
    assert.ok(rules.permits('x', 'fd12::1') && !rules.permits('x', 'fe80::1'));
    assert.ok(rules.permits('x', '172.20.0.1'));
    assert.ok(rules.permits('::1', '::1'));
    assert.ok(
      rules.lists('minio') && rules.lists('10.1.2.3') && !rules.lists('8.8.8.8') && !rules.lists('example.com'),
    );
  });
});
