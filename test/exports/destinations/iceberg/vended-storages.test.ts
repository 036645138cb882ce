/** Credentials of Google's and Azure's storages that the catalog vends: a server of the test gives them before Apache's catalog. */
import assert from 'node:assert/strict';
import { ContainerClient, ContainerSASPermissions, StorageSharedKeyCredential } from '@azure/storage-blob';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseServiceAccountKey, signAssertion } from '../../../../src/exports/destinations/gcs/service-account.ts';
import { buildRows, testInterval } from '../../../support/exports/deliveries.ts';
import { faultIn } from '../../../support/exports/provoked-faults.ts';
import { AZURE_ACCOUNT, needsAzurite } from '../../../support/servers/azurite.ts';
import { needsGcs } from '../../../support/servers/gcs/fake-gcs.ts';
import { startBefore, withFields } from '../../../support/servers/iceberg-catalog/before.ts';
import { needsIcebergCatalog } from '../../../support/servers/iceberg-catalog.ts';
import { makeOtherLakePlace, type OtherLakePlace } from './other-lake-place.ts';

const HOST = `${AZURE_ACCOUNT.name}.dfs.core.windows.net`;

/** An access token of the emulated Google, as its catalogs get one for others. */
async function tokenOf({ store }: OtherLakePlace): Promise<string> {
  const account = parseServiceAccountKey(String(store.config['service_account_key']));
  const assertion = await signAssertion(account, Math.floor(Date.now() / 1000));
  const answer = await fetch(account.tokenUri, { method: 'POST', body: new URLSearchParams({ assertion }) });
  return ((await answer.json()) as { access_token: string }).access_token;
}

/** A signature for the container, in azurite valid for so many whole seconds. */
async function sasOf({ store }: OtherLakePlace, seconds: number): Promise<string> {
  const credential = new StorageSharedKeyCredential(AZURE_ACCOUNT.name, AZURE_ACCOUNT.key);
  const container = new ContainerClient(`${String(store.config['blob_endpoint'])}/${store.bucket}`, credential);
  const permissions = ContainerSASPermissions.parse('racwdl');
  const url = await container.generateSasUrl({ permissions, expiresOn: new Date(Date.now() + seconds * 1000) });
  return url.slice(url.indexOf('?') + 1);
}

/** @param vended properties in the catalog's answers, in turn; the last ones stay */
async function deliver(place: OtherLakePlace, vended: readonly object[], onRows = async () => {}) {
  let given = 0;
  const catalog = await startBefore(place.uri, ({ method, path, headers }) => {
    const isAsked = headers['x-iceberg-access-delegation'] === 'vended-credentials' && method === 'GET';
    if (!isAsked || !path.endsWith('/tables/events')) return undefined;
    const config = vended[Math.min(given++, vended.length - 1)];
    return { edit: (answer) => withFields(answer, { config }) };
  });
  try {
    const secrets = { service_account_key: null, connection_string: null, blob_endpoint: null, endpoint_url: null };
    const config = {
      ...(place.config as object),
      ...secrets,
      catalog_uri: catalog.uri,
      storage_credentials: 'vended',
    };
    const rows = buildRows(3);
    const run = testInterval({ ...place, config }).plan([rows]);
    const staged = await run.write(async (step) => (step === 'part-0-begin' ? onRows() : undefined));
    assert.deepEqual(await run.verify(await run.commit(staged), true), []);
    assert.deepEqual(await place.read(), rows.map(({ uuid }) => uuid).sort());
    assert.equal(await place.leftovers(), 0);
    return given;
  } finally {
    catalog.close();
  }
}

describe('a catalog that vends credentials of other storages', () => {
  describe('gcs', () => {
    let place: OtherLakePlace;
    before(async function () {
      needsIcebergCatalog(this);
      await needsGcs(this);
    });
    beforeEach(async () => {
      place = await makeOtherLakePlace('gcs');
    });
    const host = () => ({ 'gcs.service.host': String(place.store.config['endpoint_url']) });

    it('is written to with tokens, and with others once the store refuses them', async () => {
      const first = { ...host(), 'gcs.oauth2.token': await tokenOf(place) };
      const other = await tokenOf(place);
      let renewed = '';
      const later = Object.defineProperty({ ...host() }, 'gcs.oauth2.token', {
        enumerable: true,
        get: () => renewed || other,
      });
      await deliver(place, [first, first, later], async () => {
        place.store.revoke!();
        renewed = await tokenOf(place);
      });
    });

    it('is not written to at an address that a user could not have typed, nor without a token', async () => {
      for (const [vended, code] of [
        [{ 'gcs.service.host': 'http://10.0.0.1', 'gcs.oauth2.token': 'canary' }, 'vended_host_not_allowed'],
        [host(), 'credentials_not_vended'],
      ] as const)
        assert.equal((await faultIn('Iceberg', deliver(await makeOtherLakePlace('gcs'), [vended]))).code, code);
    });
  });

  describe('azure', () => {
    let place: OtherLakePlace;
    before(function () {
      needsIcebergCatalog(this);
      needsAzurite(this);
    });
    beforeEach(async () => {
      place = await makeOtherLakePlace('azure');
    });
    const at = () => ({ [`adls.connection-string.${HOST}`]: String(place.store.config['blob_endpoint']) });

    it('is written to with signatures, and with others once the store refuses them', async () => {
      const short = { ...at(), [`adls.sas-token.${HOST}`]: await sasOf(place, 4) };
      const long = { ...at(), [`adls.sas-token.${AZURE_ACCOUNT.name}`]: `?${await sasOf(place, 3600)}` };
      const given = await deliver(place, [short, short, long], () => sleep(5000));
      assert.ok(given > 2);
    });

    for (const account of [HOST, AZURE_ACCOUNT.name])
      it(`is written to with another signature before the end that the catalog names for ${account}`, async () => {
        const named = { [`adls.connection-string.${AZURE_ACCOUNT.name}`]: String(place.store.config['blob_endpoint']) };
        const signed = { ...named, [`adls.sas-token.${HOST}`]: await sasOf(place, 3600) };
        // Each look at the table is one answer; a signature without an end is not asked for again.
        const looks = await deliver(await makeOtherLakePlace('azure'), [signed]);
        const end = String(Date.now() + 2000);
        const ending = { ...signed, [`adls.sas-token-expires-at-ms.${account}`]: end };
        const given = await deliver(place, [ending], async () => sleep(2000));
        assert.ok(given > looks, `${given} of ${looks}`);
      });

    it('is not written to at an address that a user could not have typed, nor without a signature', async () => {
      const sas = { [`adls.sas-token.${HOST}`]: 'sv=canary&sig=canary' };
      for (const [vended, code] of [
        [{ ...sas, [`adls.connection-string.${HOST}`]: 'http://10.0.0.1/account' }, 'vended_host_not_allowed'],
        [{ ...sas, [`adls.connection-string.${HOST}`]: 'AccountName=x' }, 'vended_host_not_allowed'],
        [at(), 'credentials_not_vended'],
      ] as const)
        assert.equal((await faultIn('Iceberg', deliver(await makeOtherLakePlace('azure'), [vended]))).code, code);
    });
  });
});
