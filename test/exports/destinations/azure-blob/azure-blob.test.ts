/** Against azurite. Only Azure itself can prove its rights, its firewall, and copies that go on in the background. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { DestinationRejected } from '../../../../src/platform/errors.ts';
import { destinationOf } from '../../../../src/exports/destinations/index.ts';
import { REPLACED_AT_ONCE } from '../../../../src/exports/destinations/promises.ts';
import { buildRows, testInterval, type TestRow } from '../../../support/exports/deliveries.ts';
import { itKeepsTheContract } from '../../../support/exports/destination-contract.ts';
import { needsAzurite } from '../../../support/servers/azurite.ts';
import { makeAzurePlace } from '../../../support/exports/azure-place.ts';
import { LOOPBACK_ENVIRONMENT } from '../../../support/exports/test-place.ts';

/** Rows whose content does not compress: many pieces of an upload. */
function buildLargeRows(mebibytes: number): TestRow[] {
  return buildRows(mebibytes).map((row) => ({
    ...row,
    properties: { noise: randomBytes(1 << 20).toString('base64') },
  }));
}

describe('AzureBlob', () => {
  before(function () {
    needsAzurite(this);
  });
  itKeepsTheContract({ ...REPLACED_AT_ONCE, readers: 'half_while_replaced' }, makeAzurePlace);
  describe('with versioned names in partition folders', () =>
    itKeepsTheContract(REPLACED_AT_ONCE, () =>
      makeAzurePlace({ layout: 'versioned', path_style: 'hive', prefix: 'web/event={event}' }),
    ));

  it('marks each blob with its upload and the digest of its content', async () => {
    const place = await makeAzurePlace({ compression: null });
    const { receipt } = await testInterval(place, { compression: null }).deliver([buildRows(1)]);
    const [file] = receipt.files!;
    assert.equal(file!.key, 'web/2015/20150517T100000Z-20150517T110000Z.jsonl');
    assert.equal(receipt.location, `azure://${place.container.client.containerName}/web/2015/`);
    const head = await place.container.client.getBlobClient(file!.key).getProperties();
    assert.deepEqual(head.metadata, { sluice_upload: file!.identity, sluice_sha256: file!.sha256 });
    assert.equal(`sha256:${file!.sha256}`, file!.checksum);
    assert.equal(head.contentLength, file!.bytes);
  });

  it('sends a large file in several pieces', async () => {
    const place = await makeAzurePlace();
    const rows = buildLargeRows(18);
    const { run, receipt } = await testInterval(place, { compression: null }).deliver([rows]);
    assert.ok(receipt.bytes > 24 << 20);
    assert.deepEqual(await run.verify(receipt, true), []);
    assert.deepEqual(await place.read(), rows.map(({ uuid }) => uuid).sort());
  });

  it('refuses the place of another export, and of something that is no export', async () => {
    const place = await makeAzurePlace();
    await testInterval(place).deliver([buildRows(1)]);
    const before = await place.snapshot();
    await assert.rejects(testInterval(place).deliver([buildRows(1)]), DestinationRejected);
    assert.deepEqual(await place.snapshot(), before);

    const key = 'web/2015/20150517T100000Z-20150517T110000Z_manifest.json';
    await place.container.client.getBlockBlobClient(key).upload('mine', 4);
    await assert.rejects(testInterval(place).deliver([buildRows(1)]), DestinationRejected);
  });

  it('passes its test steps, which leave nothing', async () => {
    const place = await makeAzurePlace();
    const context = { projectId: 1, model: 'events', columns: [], merge: null, environment: LOOPBACK_ENVIRONMENT };
    for (const step of destinationOf('AzureBlob', LOOPBACK_ENVIRONMENT).steps)
      await step.run(place.config, { ...context, signal: AbortSignal.timeout(10_000) });
    assert.deepEqual([await place.snapshot(), await place.leftovers()], [{}, 0]);
  });
});
