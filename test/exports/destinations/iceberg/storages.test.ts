/** Tables whose files are in Google's and Azure's storages: against Apache's catalog, fake-gcs-server and azurite. */
import assert from 'node:assert/strict';
import { REPLACED_AT_ONCE } from '../../../../src/exports/destinations/promises.ts';
import type { InvalidInput } from '../../../../src/platform/errors.ts';
import { buildRows, COLUMNS, testInterval } from '../../../support/exports/deliveries.ts';
import { itKeepsTheContract } from '../../../support/exports/destination-contract.ts';
import { makeOtherLakePlace, type OtherLakePlace } from './other-lake-place.ts';
import { faultIn } from '../../../support/exports/provoked-faults.ts';
import { connectionString, needsAzurite } from '../../../support/servers/azurite.ts';
import { needsGcs, serviceAccountKey } from '../../../support/servers/gcs/fake-gcs.ts';
import { needsIcebergCatalog } from '../../../support/servers/iceberg-catalog.ts';

const CLOSED = 'http://127.0.0.1:1';
const WRONG_KEY = Buffer.from('another').toString('base64');

const WRONG = {
  gcs: [
    ['a closed port', { endpoint_url: CLOSED }, 'gcs_connection_refused', 'endpoint_url'],
    [
      'a key that is not known',
      (place: OtherLakePlace) => ({
        service_account_key: serviceAccountKey(`${String(place.store.config['endpoint_url'])}/token`),
      }),
      'gcs_key_refused',
      'service_account_key',
    ],
  ],
  azure: [
    [
      'a closed port',
      { connection_string: connectionString(`${CLOSED}/sluicetest`) },
      'azure_connection_refused',
      'connection_string',
    ],
    [
      'a wrong key',
      (place: OtherLakePlace) => ({
        connection_string: connectionString(String(place.store.config['blob_endpoint']), WRONG_KEY),
      }),
      'azure_not_authorized',
      undefined,
    ],
    [
      'the string of another account',
      { connection_string: `AccountName=another;AccountKey=${WRONG_KEY};BlobEndpoint=${CLOSED}` },
      'storage_account_differs',
      'connection_string',
    ],
  ],
} as const;

for (const storage of ['gcs', 'azure'] as const) {
  describe(`Iceberg with its files in ${storage}`, () => {
    before(async function () {
      needsIcebergCatalog(this);
      if (storage === 'gcs') await needsGcs(this);
      else needsAzurite(this);
    });
    // The commit is the one of tables in S3, which is stopped at all of its steps.
    itKeepsTheContract(REPLACED_AT_ONCE, () => makeOtherLakePlace(storage), 1);

    it('passes the test steps once there is a table', async () => {
      const place = await makeOtherLakePlace(storage);
      await testInterval(place).deliver([buildRows(1)]);
      const before = await place.snapshot();
      const context = { projectId: 1, model: 'events', columns: COLUMNS, merge: null, environment: place.environment };
      for (const step of place.destination.steps)
        assert.equal(await step.run(place.config, { ...context, signal: AbortSignal.timeout(10_000) }), undefined);
      assert.deepEqual([await place.snapshot(), await place.leftovers()], [before, 0]);
    });

    it('names the field of what is wrong', async () => {
      const place = await makeOtherLakePlace(storage);
      for (const [what, change, code, field] of WRONG[storage]) {
        const config = { ...(place.config as object), ...(typeof change === 'function' ? change(place) : change) };
        const fault = await faultIn('Iceberg', testInterval({ ...place, config }).deliver([buildRows(1)]));
        assert.deepEqual(
          [fault.code, fault.field],
          [code, field === undefined ? null : `destination__config__${field}`],
          what,
        );
      }
    });

    it('is not written to by a configuration for another storage, whose credentials stay where they are', async () => {
      const place = await makeOtherLakePlace(storage);
      const keys = { aws_access_key_id: 'canary', aws_secret_access_key: 'canary', region: 'us-east-1' };
      const config = { ...(place.config as object), storage: 's3', ...keys };
      const fault = await faultIn('Iceberg', testInterval({ ...place, config }).deliver([buildRows(1)]));
      assert.equal(fault.code, 'storage_differs');
    });

    it('needs the credentials of that storage alone', async () => {
      const place = await makeOtherLakePlace(storage);
      await place.destination.validate(place.config, place.environment);
      const field = storage === 'gcs' ? 'service_account_key' : 'connection_string';
      const without = { ...(place.config as object), [field]: null };
      await assert.rejects(
        place.destination.validate(without, place.environment),
        (error: InvalidInput) => error.attr === field && error.code === 'required',
      );
      await place.destination.validate({ ...without, storage_credentials: 'vended' }, place.environment);
    });
  });
}
