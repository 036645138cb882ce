/** Faults of the network before the store, of the bucket, of the service account, and of the server of its access tokens. */
import assert from 'node:assert/strict';
import http from 'node:http';
import { buildRows, testInterval } from '../../../support/exports/deliveries.ts';
import { deliverOneRow, makeGcsPlace } from '../../../support/exports/gcs-place.ts';
import { faultIn } from '../../../support/exports/provoked-faults.ts';
import { startFaultyProxy, type InjectedFault } from '../../../support/servers/faulty-proxy.ts';
import { needsGcs, serviceAccountKey } from '../../../support/servers/gcs/fake-gcs.ts';
import { listen } from '../../../support/servers/listening.ts';
import { LOOPBACK_ENVIRONMENT } from '../../../support/exports/test-place.ts';

type Seen = { method: string; url: string };

const CLOSED = 'http://127.0.0.1:1';

async function placeBehind(fault: (request: Seen) => InjectedFault) {
  const place = await makeGcsPlace();
  const proxy = await startFaultyProxy(place.at.gateway.origin, fault);
  return { proxy, place: { ...place, config: { ...place.config, endpoint_url: proxy.origin } } };
}

/** Delivers through a network with faults, and finds it delivered. */
async function deliverThrough(fault: (request: Seen) => InjectedFault) {
  const { proxy, place } = await placeBehind(fault);
  const parts = [buildRows(2), buildRows(2)];
  await testInterval(place).deliver(parts);
  proxy.close();
  const uuids = parts.flat().map(({ uuid }) => uuid);
  assert.deepEqual(await place.read(), uuids.sort());
  assert.equal(await place.leftovers(), 0);
  return proxy;
}

/** Of each request that matches, the first is dropped when the server has done it. */
function dropOnce(matches: (request: Seen) => boolean) {
  const seen = new Set<string>();
  return (request: Seen): InjectedFault => {
    if (!matches(request) || seen.has(request.url)) return undefined;
    seen.add(request.url);
    return 'drop';
  };
}

const isPiece = (url: string) => /_sluice-upload-[^&]*\.1(&|$)/.test(url);
const isAnchor = (url: string) => url.startsWith('/upload/') && !isPiece(url);

describe('GCS, where something is wrong', () => {
  before(async function () {
    await needsGcs(this);
  });

  it('names what is wrong in the configuration', async () => {
    for (const [config, code] of [
      [{ bucket_name: 'no-such-bucket' }, 'bucket_not_found'],
      [{ endpoint_url: CLOSED }, 'connection_refused'],
      [{ service_account_key: serviceAccountKey(`${CLOSED}/token`) }, 'token_server_unreachable'],
    ] as const) {
      const place = await makeGcsPlace(config);
      assert.equal((await faultIn('GCS', deliverOneRow(place))).code, code);
    }
    const { at, ...place } = await makeGcsPlace();
    const config = { ...place.config, service_account_key: serviceAccountKey(`${at.gateway.origin}/token`) };
    assert.equal((await faultIn('GCS', deliverOneRow({ ...place, config }))).code, 'key_refused');
  });

  it('names what a server answers that gives no access tokens', async () => {
    for (const [status, body, code] of [
      [404, '', 'token_server_invalid'],
      [302, '', 'token_server_invalid'],
      [200, '{"access_token":"two words"}', 'token_server_invalid'],
      [400, '{"error":"invalid_grant"}', 'key_refused'],
      [503, '', 'token_server_unavailable'],
    ] as const) {
      const server = http.createServer((_, response) => {
        response.writeHead(status, { location: '/elsewhere' }).end(body);
      });
      const tokenUri = `http://127.0.0.1:${await listen(server)}/token`;
      const place = await makeGcsPlace({ service_account_key: serviceAccountKey(tokenUri) });
      assert.equal((await faultIn('GCS', deliverOneRow(place))).code, code);
      server.close().closeAllConnections();
    }
  });

  it('names the right that is missing, also in a test step', async () => {
    const writing = await placeBehind(({ method }) => (method === 'POST' ? '403' : undefined));
    assert.equal((await faultIn('GCS', deliverOneRow(writing.place))).code, 'write_denied');
    const deleting = await placeBehind(({ method }) => (method === 'DELETE' ? '403' : undefined));
    const context = { projectId: 1, model: 'events', columns: [], merge: null, environment: LOOPBACK_ENVIRONMENT };
    const [, write] = deleting.place.destination.steps;
    const tested = write!.run(deleting.place.config, { ...context, signal: AbortSignal.timeout(10_000) });
    assert.equal((await faultIn('GCS', tested)).code, 'delete_denied');
    for (const { proxy } of [writing, deleting]) proxy.close();
  });

  it('reads no listing that never ends', async () => {
    for (const tokenAt of [(page: number) => `page-${page}`, () => 'again']) {
      const place = await makeGcsPlace();
      let pages = 0;
      const endless = http.createServer((request, response) => {
        if (request.method === 'GET' && request.url!.includes('nextPageToken')) {
          response.end(JSON.stringify({ items: [], nextPageToken: tokenAt(++pages) }));
          return;
        }
        const headers = { ...request.headers, host: new URL(place.at.gateway.origin).host };
        const onward = http.request(place.at.gateway.origin + request.url, { method: request.method, headers });
        onward.on('response', (answer) => answer.pipe(response.writeHead(answer.statusCode!, answer.headers)));
        request.pipe(onward);
      });
      const config = { ...place.config, endpoint_url: `http://127.0.0.1:${await listen(endless)}` };
      const context = { projectId: 1, model: 'events', columns: [], merge: null, environment: LOOPBACK_ENVIRONMENT };
      const [, write] = place.destination.steps;
      const tested = write!.run(config, { ...context, signal: AbortSignal.timeout(10_000) });
      assert.equal((await faultIn('GCS', tested)).code, 'listing_endless');
      assert.ok(pages <= 20, String(pages));
      endless.close().closeAllConnections();
    }
  });

  it('keeps nothing on record where no upload can have begun', async () => {
    const interval = testInterval(await makeGcsPlace({ endpoint_url: CLOSED }));
    await assert.rejects(interval.plan([buildRows(1)]).write());
    assert.equal(interval.recorded(), 0);
  });

  it('continues with a new access token where the old one was revoked', async () => {
    const place = await makeGcsPlace();
    const before = place.at.gateway.tokens;
    const run = testInterval(place).plan([buildRows(1)]);
    await run.write(async (step) => {
      if (step === 'upload-begun') place.at.gateway.revoke();
    });
    assert.equal(place.at.gateway.tokens, before + 2);
  });

  for (const [name, matches] of [
    ['an upload was begun', ({ url }: Seen) => isAnchor(url)],
    ['a piece was stored', ({ method, url }: Seen) => method === 'POST' && isPiece(url)],
    ['a file was composed', ({ url }: Seen) => url.includes('/compose?')],
    ['an upload was deleted', ({ method }: Seen) => method === 'DELETE'],
  ] as const) {
    it(`recognises that ${name} without an answer`, async () => {
      const { faults } = await deliverThrough(dropOnce(matches));
      assert.ok(faults >= 3);
    });
  }

  it('keeps on record that an upload may have begun, until the run is discarded', async () => {
    let answers = false;
    const { place, proxy } = await placeBehind(({ url }) => (!answers && isAnchor(url) ? 'drop' : undefined));
    const interval = testInterval(place);
    const run = interval.plan([buildRows(1)]);
    assert.equal((await faultIn('GCS', run.write())).code, 'connection_lost');
    assert.deepEqual([await place.leftovers(), interval.recorded()], [1, 1]);
    answers = true;
    await run.discard();
    proxy.close();
    assert.deepEqual([await place.leftovers(), interval.recorded()], [0, 0]);
  });

  it('continues after "unavailable"', async () => {
    let requests = 0;
    const { faults } = await deliverThrough(() => (requests++ % 8 === 0 ? '503' : undefined));
    assert.ok(faults > 2);
  });
});
