/** Faults of the network before azurite, and of the container, the account and the signature. */
import assert from 'node:assert/strict';
import { AccountSASPermissions, AccountSASResourceTypes, AccountSASServices } from '@azure/storage-blob';
import { generateAccountSASQueryParameters, StorageSharedKeyCredential } from '@azure/storage-blob';
import { CLOSED, azurePlaceWith, deliverOneRow, makeAzurePlace } from '../../../support/exports/azure-place.ts';
import { buildRows, testInterval } from '../../../support/exports/deliveries.ts';
import { faultIn } from '../../../support/exports/provoked-faults.ts';
import { AZURE_ACCOUNT, connectionString, needsAzurite } from '../../../support/servers/azurite.ts';
import { startFaultyProxy, type InjectedFault } from '../../../support/servers/faulty-proxy.ts';
import { LOOPBACK_ENVIRONMENT } from '../../../support/exports/test-place.ts';

function signature({ rights = 'rwdlac', minutes = 10 }: { rights?: string; minutes?: number }): string {
  const credential = new StorageSharedKeyCredential(AZURE_ACCOUNT.name, AZURE_ACCOUNT.key);
  return generateAccountSASQueryParameters(
    {
      permissions: AccountSASPermissions.parse(rights),
      services: AccountSASServices.parse('b').toString(),
      resourceTypes: AccountSASResourceTypes.parse('co').toString(),
      startsOn: new Date(Date.now() - 3_600_000),
      expiresOn: new Date(Date.now() + minutes * 60_000),
    },
    credential,
  ).toString();
}

/** Delivers through a network with faults, and finds it delivered. */
async function deliverThrough(fault: (request: { method: string; url: string }) => InjectedFault) {
  const direct = await makeAzurePlace();
  const proxy = await startFaultyProxy(direct.container.endpoint, fault);
  const { pathname } = new URL(direct.container.endpoint);
  const endpoint = proxy.origin + pathname;
  const config = {
    ...(direct.config as object),
    connection_string: connectionString(endpoint),
    blob_endpoint: endpoint,
  };
  const parts = [buildRows(2), buildRows(2)];
  await testInterval({ ...direct, config }).deliver(parts);
  proxy.close();
  const uuids = parts.flat().map(({ uuid }) => uuid);
  assert.deepEqual(await direct.read(), uuids.sort());
  assert.equal(await direct.leftovers(), 0);
  return proxy;
}

/** Of each request that matches, the first is dropped when the server has done it. */
function dropOnce(matches: (request: { method: string; url: string }) => boolean) {
  const seen = new Set<string>();
  return (request: { method: string; url: string }): InjectedFault => {
    const url = request.url.replace(/\?.*/, '');
    if (!matches(request) || seen.has(url)) return undefined;
    seen.add(url);
    return 'drop';
  };
}

const isUpload = (url: string) => url.includes('_sluice-upload-');

describe('AzureBlob, where something is wrong', () => {
  before(function () {
    needsAzurite(this);
  });

  for (const [name, change, code] of [
    ['a container that does not exist', { container_name: 'no-such-container' }, 'container_not_found'],
    // Azure's own code for it is AuthenticationFailed.
    ['a wrong key', { key: Buffer.from('canary-wrong').toString('base64') }, 'not_authorized'],
    ['a signature that has expired', { sas: signature({ minutes: -5 }) }, 'credentials_expired'],
    ['a signature without the right to write', { sas: signature({ rights: 'rl' }) }, 'write_denied'],
    ['a signature without the right to delete', { sas: signature({ rights: 'rwlac' }) }, 'delete_denied'],
    ['a closed port', { endpoint: CLOSED }, 'connection_refused'],
  ] as const) {
    it(`names ${name}`, async () => {
      const fault = await faultIn('AzureBlob', deliverOneRow(await azurePlaceWith(change)));
      assert.equal(fault.code, code);
    });
  }

  it('delivers with a signature that may read, write, delete and list', async () => {
    const place = await azurePlaceWith({ sas: signature({}) });
    const { run, receipt } = await deliverOneRow(place);
    assert.deepEqual(await run.verify(receipt, true), []);
    assert.equal(await place.leftovers(), 0);
  });

  it('names in a test step the right that is missing', async () => {
    const place = await azurePlaceWith({ sas: signature({ rights: 'rwlac' }) });
    const context = { projectId: 1, model: 'events', columns: [], merge: null, environment: LOOPBACK_ENVIRONMENT };
    const signal = AbortSignal.timeout(10_000);
    const [, write] = place.destination.steps;
    const { code } = await faultIn('AzureBlob', write!.run(place.config, { ...context, signal }));
    assert.equal(code, 'delete_denied');
  });

  it('keeps nothing on record where no upload can have begun', async () => {
    for (const change of [{ endpoint: CLOSED }, { key: Buffer.from('canary-wrong').toString('base64') }]) {
      const interval = testInterval(await azurePlaceWith(change));
      await assert.rejects(interval.plan([buildRows(1)]).write());
      assert.equal(interval.recorded(), 0);
    }
  });

  describe('in the network', () => {
    it('recognises that an upload was begun without an answer', async () => {
      const { faults } = await deliverThrough(dropOnce(({ method, url }) => method === 'PUT' && isUpload(url)));
      assert.equal(faults, 3);
    });

    it('keeps on record that an upload may have begun, until the run is discarded', async () => {
      const direct = await makeAzurePlace();
      let answers = false;
      const proxy = await startFaultyProxy(direct.container.endpoint, ({ method, url }) =>
        !answers && method === 'PUT' && isUpload(url) ? 'drop' : undefined,
      );
      const endpoint = proxy.origin + new URL(direct.container.endpoint).pathname;
      const config = { ...(direct.config as object), connection_string: connectionString(endpoint) };
      const interval = testInterval({ ...direct, config });
      const run = interval.plan([buildRows(1)]);
      assert.equal((await faultIn('AzureBlob', run.write())).code, 'connection_lost');
      assert.deepEqual([await direct.leftovers(), interval.recorded()], [1, 1]);
      answers = true;
      await run.discard();
      proxy.close();
      assert.deepEqual([await direct.leftovers(), interval.recorded()], [0, 0]);
    });

    it('recognises that content was committed without an answer', async () => {
      const { faults } = await deliverThrough(dropOnce(({ url }) => url.includes('comp=blocklist')));
      assert.equal(faults, 3);
    });

    it('recognises that a file was copied to its name without an answer', async () => {
      const { faults } = await deliverThrough(dropOnce(({ method, url }) => method === 'PUT' && !isUpload(url)));
      assert.equal(faults, 3);
    });

    it('recognises that an upload was deleted without an answer', async () => {
      const { faults } = await deliverThrough(dropOnce(({ method }) => method === 'DELETE'));
      assert.equal(faults, 3);
    });

    it('continues after "server busy"', async () => {
      let requests = 0;
      const { faults } = await deliverThrough(() => (requests++ % 4 === 0 ? '503' : undefined));
      assert.ok(faults > 3);
    });
  });
});
