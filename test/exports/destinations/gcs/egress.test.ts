/** The ways to the store and to its access tokens: to hosts that may be used only, whatever the key, an answer or a name server says. */
import assert from 'node:assert/strict';
import http from 'node:http';
import { InvalidInput } from '../../../../src/platform/errors.ts';
import { destinationOf } from '../../../../src/exports/destinations/index.ts';
import { deliverOneRow, makeGcsPlace } from '../../../support/exports/gcs-place.ts';
import { faultIn } from '../../../support/exports/provoked-faults.ts';
import { needsGcs, serviceAccountKey } from '../../../support/servers/gcs/fake-gcs.ts';
import { listen, withCounter } from '../../../support/servers/listening.ts';
import { LOOPBACK_ENVIRONMENT } from '../../../support/exports/test-place.ts';

const closed = { localRoot: undefined, allowedHosts: [] };
const HOSTS = ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '10.0.0.1', '169.254.169.254'];

type GcsPlace = Awaited<ReturnType<typeof makeGcsPlace>>;

/** The codes with which a delivery and the test steps fail. */
async function codesOf(place: GcsPlace): Promise<Set<string>> {
  const codes = [(await faultIn('GCS', deliverOneRow(place))).code];
  const context = { projectId: 1, model: 'events', columns: [], merge: null, environment: place.environment };
  for (const { run } of place.destination.steps)
    codes.push((await faultIn('GCS', run(place.config, { ...context, signal: AbortSignal.timeout(10_000) }))).code);
  return new Set(codes);
}

describe('the way to GCS', () => {
  before(async function () {
    await needsGcs(this);
  });

  it('opens no socket to a private address, for a file or for an access token', async () => {
    const at = await makeGcsPlace();
    // A name that the operator lists leads to the access tokens, which come first.
    const tokenUri = at.at.gateway.origin.replace('127.0.0.1', 'localhost');
    const privateKey = (JSON.parse(at.at.key) as { private_key: string }).private_key;
    const known = serviceAccountKey(`${tokenUri}/token`, { privateKey });
    const unknown = serviceAccountKey('https://8.8.8.8/token');
    const connections = await withCounter(async (port) => {
      for (const host of HOSTS) {
        for (const scheme of ['http', 'https']) {
          const url = `${scheme}://${host}:${port}`;
          const key = unknown.replace('https://8.8.8.8', url);
          const tokens = { ...at, environment: closed, config: { ...at.config, service_account_key: key } };
          assert.deepEqual(await codesOf(tokens), new Set(['token_server_not_allowed']), url);
          if (host === 'localhost') continue;
          const config = { ...at.config, service_account_key: known, endpoint_url: url };
          const files = { ...at, environment: { ...closed, allowedHosts: ['localhost'] }, config };
          assert.deepEqual(await codesOf(files), new Set(['host_not_allowed']), url);
        }
      }
    });
    assert.equal(connections, 0);
  });

  it('follows no redirect', async () => {
    const visited: string[] = [];
    const elsewhere = http.createServer(({ url = '' }, response) => {
      visited.push(url);
      response.end();
    });
    const port = await listen(elsewhere);
    const redirecting = http.createServer((_, response) => {
      response.writeHead(307, { Location: `http://127.0.0.1:${port}/followed` }).end();
    });
    const place = await makeGcsPlace({ endpoint_url: `http://127.0.0.1:${await listen(redirecting)}` });
    assert.deepEqual(await codesOf(place), new Set(['endpoint_redirects']));
    for (const server of [elsewhere, redirecting]) server.close().closeAllConnections();
    assert.deepEqual(visited, []);
  });

  it('is refused when saved, by the field', async () => {
    const key = serviceAccountKey('https://8.8.8.8/token');
    const keyAt = (uri: string) => ({ service_account_key: key.replace('https://8.8.8.8/token', uri) });
    for (const [field, change] of [
      ['bucket_name', { bucket_name: '../other' }],
      ['bucket_name', { bucket_name: '10.0.0.1' }],
      ['prefix', { prefix: '../x' }],
      ['endpoint_url', { endpoint_url: 'http://8.8.8.8' }],
      ['endpoint_url', { endpoint_url: 'https://127.0.0.1' }],
      ['endpoint_url', { endpoint_url: 'https://8.8.8.8:6379' }],
      ['endpoint_url', { endpoint_url: 'https://8.8.8.8/path' }],
      ['service_account_key', { service_account_key: 'no key' }],
      ['service_account_key', keyAt('http://8.8.8.8/token')],
      ['service_account_key', keyAt('https://169.254.169.254/token')],
      ['service_account_key', keyAt('https://2130706433/token')],
      ['service_account_key', keyAt('file:///etc/passwd')],
      ['service_account_key', keyAt('https://user@8.8.8.8/token')],
    ] as const) {
      const config = { bucket_name: 'lake', prefix: '', service_account_key: key, endpoint_url: null, ...change };
      await assert.rejects(
        destinationOf('GCS', LOOPBACK_ENVIRONMENT).validate(config, closed),
        (error) => error instanceof InvalidInput && error.attr === field,
        JSON.stringify(change).slice(0, 60),
      );
    }
  });
});
