/** The way to a container: to hosts that may be used only, whatever an answer, a name server or the environment says. */
import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { InvalidInput } from '../../../../src/platform/errors.ts';
import { destinationOf } from '../../../../src/exports/destinations/index.ts';
import { azurePlaceWith, CLOSED, deliverOneRow } from '../../../support/exports/azure-place.ts';
import { buildRows, testInterval } from '../../../support/exports/deliveries.ts';
import { faultIn } from '../../../support/exports/provoked-faults.ts';
import { connectionString, needsAzurite } from '../../../support/servers/azurite.ts';
import { listen, withCounter } from '../../../support/servers/listening.ts';
import { LOOPBACK_ENVIRONMENT } from '../../../support/exports/test-place.ts';

describe('the way to AzureBlob', () => {
  before(function () {
    needsAzurite(this);
  });

  it('survives a store that answers without end', async () => {
    const endless = http.createServer((_, response) => {
      // No more than the client reads: the rest would be memory of this process.
      response.statusCode = 400;
      const timer = setInterval(() => response.writableNeedDrain || response.write('x'.repeat(1 << 20)), 1);
      response.on('close', () => clearInterval(timer));
    });
    const place = await azurePlaceWith({ endpoint: `http://127.0.0.1:${await listen(endless)}/account` });
    const before = process.memoryUsage().rss;
    await faultIn(
      'AzureBlob',
      testInterval(place)
        .plan([buildRows(1)])
        .write(),
    );
    endless.close();
    endless.closeAllConnections();
    assert.ok(process.memoryUsage().rss - before < 200 << 20);
  });

  it('follows no redirect', async () => {
    const visited: string[] = [];
    const elsewhere = http.createServer(({ url = '' }, response) => {
      visited.push(url);
      response.end();
    });
    const port = await listen(elsewhere);
    const redirecting = http.createServer(({ url = '' }, response) => {
      const here = (redirecting.address() as AddressInfo).port;
      if (url.includes('followed')) visited.push(url);
      const to = url.includes('restype') ? here : port;
      response.writeHead(307, { Location: `http://127.0.0.1:${to}/followed` }).end();
    });
    const place = await azurePlaceWith({ endpoint: `http://127.0.0.1:${await listen(redirecting)}/account` });
    const context = { projectId: 1, model: 'events', columns: [], merge: null, environment: LOOPBACK_ENVIRONMENT };
    for (const { run } of place.destination.steps) {
      const signal = AbortSignal.timeout(10_000);
      assert.equal((await faultIn('AzureBlob', run(place.config, { ...context, signal }))).code, 'store_unavailable');
    }
    for (const server of [elsewhere, redirecting]) server.close().closeAllConnections();
    assert.deepEqual(visited, []);
  });

  describe('of private addresses', () => {
    const closed = { localRoot: undefined, allowedHosts: [] };
    const HOSTS = ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '10.0.0.1', '169.254.169.254'];

    it('opens no socket to one, at a test step or in a run, by name or address', async () => {
      const connections = await withCounter(async (port) => {
        for (const host of HOSTS) {
          for (const scheme of ['http', 'https']) {
            const place = {
              ...(await azurePlaceWith({ endpoint: `${scheme}://${host}:${port}/account` })),
              environment: closed,
            };
            assert.equal((await faultIn('AzureBlob', deliverOneRow(place))).code, 'host_not_allowed', host);
            const context = { projectId: 1, model: 'events', columns: [], merge: null, environment: closed };
            for (const { run } of place.destination.steps) {
              const signal = AbortSignal.timeout(10_000);
              const { code } = await faultIn('AzureBlob', run(place.config, { ...context, signal }));
              assert.equal(code, 'host_not_allowed', host);
            }
          }
        }
      });
      assert.equal(connections, 0);
      // The same host is reached where the operator lists it.
      const listed = await withCounter(async (port) => {
        await deliverOneRow(await azurePlaceWith({ endpoint: `http://127.0.0.1:${port}/account` })).catch(() => {});
      });
      assert.ok(listed > 0);
    });

    it('uses no proxy of the environment', async () => {
      const [place, names] = [await azurePlaceWith({}), ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy']];
      const connections = await withCounter(async (port) => {
        const before = names.map((name) => process.env[name]);
        for (const name of names) process.env[name] = `http://127.0.0.1:${port}`;
        try {
          await testInterval(place).deliver([buildRows(1)]);
        } finally {
          names.forEach((name, index) => {
            if (before[index] === undefined) delete process.env[name];
            else process.env[name] = before[index];
          });
        }
      });
      assert.equal(connections, 0);
    });

    for (const [field, change] of [
      ['container_name', { container_name: '../other' }],
      ['container_name', { container_name: '$root' }],
      ['prefix', { prefix: '../x' }],
      ['connection_string', { connection_string: connectionString('http://8.8.8.8/account') }],
      ['connection_string', { connection_string: connectionString('https://127.0.0.1/account') }],
      ['connection_string', { connection_string: connectionString('https://8.8.8.8:6379/account') }],
      ['connection_string', { connection_string: connectionString('https://2130706433/account') }],
      ['connection_string', { connection_string: connectionString('https://168.63.129.16/account') }],
    ] as const) {
      it(`refuses when saved the ${field} ${Object.values(change)[0]!.replace(/^.*BlobEndpoint=/, '')}`, async () => {
        const destination = destinationOf('AzureBlob', LOOPBACK_ENVIRONMENT);
        const config = {
          container_name: 'exports',
          prefix: '',
          connection_string: connectionString(CLOSED),
          ...change,
        };
        await assert.rejects(
          destination.validate(config, closed),
          (error) => error instanceof InvalidInput && error.attr === field,
        );
      });
    }
  });
});
