import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { guardedAgents, checkHost, connectTo } from '../../../src/platform/net/connect.ts';
import { checkEndpoint, checkUrl } from '../../../src/platform/net/endpoint.ts';
import { HOST_REFUSED, HostRefused, hostRules } from '../../../src/platform/net/host-rules.ts';

const LOCAL = ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '0.0.0.0', '[::]', '[::1]'];
const signal = new AbortController().signal;

const refusalOf = async (checking: Promise<unknown>) => checking.then(String, (error: Error) => error.message);

describe('the door out', () => {
  let canary: http.Server;
  let port: number;
  let knocks: number;

  before(async () => {
    canary = http.createServer((request, response) => {
      if (request.url === '/redirect') response.writeHead(302, { location: '/' });
      response.end('inside');
    });
    canary.on('connection', () => knocks++);
    await new Promise<void>((listening) => canary.listen(0, '127.0.0.1', listening));
    port = (canary.address() as AddressInfo).port;
  });
  after(() => {
    canary.close();
    canary.closeAllConnections();
  });
  beforeEach(() => {
    knocks = 0;
  });

  function get(host: string, allowed: string[], path = '/'): Promise<number> {
    const { httpAgent, destroy } = guardedAgents(hostRules(allowed), { maxSockets: 1 });
    return new Promise<number>((answered, failed) => {
      http
        .get({ host, port, path, agent: httpAgent }, (response) => {
          response.resume();
          answered(response.statusCode ?? 0);
        })
        .on('error', failed);
    }).finally(destroy);
  }

  for (const host of LOCAL) {
    it(`opens no socket to ${host}`, async () => {
      const bare = host.replace(/^\[|\]$/g, '');
      const options = { port, rules: hostRules([]), timeoutMs: 1000, signal };
      await assert.rejects(connectTo({ host, ...options }), HostRefused);
      await assert.rejects(get(bare, []), HostRefused);
      await assert.rejects(checkHost(host, hostRules([])), { message: HOST_REFUSED });
      assert.equal(knocks, 0);
    });
  }

  it('says the same of a host inside, a host that does not exist and a host that is misspelled', async () => {
    const messages = await Promise.all(
      ['127.0.0.1', 'no.such.host.invalid', 'a b'].map((host) =>
        checkHost(host, hostRules([])).then(
          () => assert.fail('it should have been refused'),
          (error: Error) => error.message,
        ),
      ),
    );
    assert.equal(new Set(messages).size, 1);
  });

  it('is open to what the operator lists, by name or by address', async () => {
    for (const [host, allowed] of [
      ['localhost', 'localhost'],
      ['localhost', '127.0.0.0/8,::1'],
      ['127.0.0.1', '127.0.0.1'],
    ] as const) {
      const rules = hostRules(allowed.split(','));
      assert.deepEqual(await checkHost(host, rules), { host, listed: true });
      const socket = await connectTo({ host, port, rules, timeoutMs: 1000, signal });
      socket.destroy();
      assert.equal(await get(host, allowed.split(',')), 200);
    }
  });

  it('follows no redirect', async () => {
    assert.equal(await get('127.0.0.1', ['127.0.0.1'], '/redirect'), 302);
  });

  it('gives up after its time, and when it is aborted', async () => {
    // 192.0.2.0/24 is documentation: nobody answers, or the system says so at once.
    const options = { host: '192.0.2.1', port: 9, rules: hostRules(['192.0.2.0/24']) };
    await assert.rejects(connectTo({ ...options, timeoutMs: 50, signal }));
    const stop = new AbortController();
    const connecting = connectTo({ ...options, timeoutMs: 10_000, signal: stop.signal });
    stop.abort(new Error('told to'));
    await assert.rejects(connecting);
  });

  it('takes an origin as endpoint, plain only where the operator lists the host', async () => {
    const [open, listing] = [hostRules([]), hostRules(['127.0.0.1'])];
    assert.equal(await checkEndpoint('https://8.8.8.8/', open), 'https://8.8.8.8');
    assert.equal(await checkEndpoint('HTTP://127.0.0.1:9000', listing), 'http://127.0.0.1:9000');
    for (const endpoint of ['http://8.8.8.8', 'http://127.0.0.1:9000', 'https://8.8.8.8?x', 'https://8.8.8.8#x', 'x']) {
      await assert.rejects(checkEndpoint(endpoint, open), HostRefused, endpoint);
    }
    for (const address of ['2606:4700:4700::abcd', '2606:4700:4700::1111', '::ffff:8.8.8.8', '[2606:4700::%251]']) {
      await assert.rejects(checkEndpoint(`https://${address}`, open), HostRefused, address);
      await assert.rejects(checkEndpoint(`https://${address}:443`, open), HostRefused, address);
      await assert.rejects(checkUrl(`https://${address}/hook`, open), HostRefused, address);
    }
    assert.equal(await checkEndpoint('https://[2606:4700:4700::ABCD]/', open), 'https://[2606:4700:4700::abcd]');
    assert.equal((await checkUrl('https://[2606:4700:4700::abcd]:8443/hook', open)).port, '8443');
    for (const port of [22, 25, 5432, 6379, 0, 65_536]) {
      await assert.rejects(checkEndpoint(`https://8.8.8.8:${port}`, open), HostRefused, String(port));
    }
  });

  it('says what to change in an address that is refused without a look at its host, and no more of a private host', async () => {
    const open = hostRules([]);
    for (const text of ['x', 'ftp://10.0.0.1', 'https://me:secret@10.0.0.1', 'https://10.0.0.1/bucket', 'https://h?x'])
      assert.match(
        await refusalOf(checkEndpoint(text, open)),
        /^Must be https.*without a user, a path and a query/,
        text,
      );
    for (const text of ['x', 'ftp://10.0.0.1/a', 'https://me:secret@10.0.0.1/a', 'https://10.0.0.1/a#b'])
      assert.match(await refusalOf(checkUrl(text, open)), /^Must be an address .* a fragment\.$/, text);
    assert.match(await refusalOf(checkEndpoint('https://10.0.0.1:22', open)), /^This port cannot be used/);
    assert.match(await refusalOf(checkUrl('http://8.8.8.8/a', open)), /^http:\/\/ is only for hosts .* Use https/);
    for (const text of ['http://10.0.0.1', 'https://10.0.0.1', 'https://no-such-host.invalid'])
      assert.equal(await refusalOf(checkEndpoint(text, open)), HOST_REFUSED, text);
  });
});
