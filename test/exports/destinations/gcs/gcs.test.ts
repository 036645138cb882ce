/**
 * Against fake-gcs-server, behind a gateway that adds access tokens and the conditions of composing. Only Google can prove its rights, its limits,
 * and that it keeps those conditions.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { DestinationRejected } from '../../../../src/platform/errors.ts';
import { destinationOf } from '../../../../src/exports/destinations/index.ts';
import { REPLACED_AT_ONCE } from '../../../../src/exports/destinations/promises.ts';
import { buildRows, testInterval } from '../../../support/exports/deliveries.ts';
import { itKeepsTheContract } from '../../../support/exports/destination-contract.ts';
import { makeGcsPlace } from '../../../support/exports/gcs-place.ts';
import { needsGcs } from '../../../support/servers/gcs/fake-gcs.ts';
import { LOOPBACK_ENVIRONMENT } from '../../../support/exports/test-place.ts';

describe('GCS', () => {
  before(async function () {
    await needsGcs(this);
  });
  itKeepsTheContract({ ...REPLACED_AT_ONCE, readers: 'half_while_replaced' }, makeGcsPlace);
  describe('with versioned names in partition folders', () =>
    itKeepsTheContract(REPLACED_AT_ONCE, () =>
      makeGcsPlace({ layout: 'versioned', path_style: 'hive', prefix: 'web/event={event}' }),
    ));

  it('marks each object with its upload and the digest of its content', async () => {
    const place = await makeGcsPlace({ compression: null });
    const { receipt } = await testInterval(place, { compression: null }).deliver([buildRows(1)]);
    const [file] = receipt.files!;
    assert.equal(file!.key, 'web/2015/20150517T100000Z-20150517T110000Z.jsonl');
    assert.equal(receipt.location, `gs://${place.at.bucket}/web/2015/`);
    const found = (await place.at.list()).find(({ name }) => name === file!.key)!;
    assert.deepEqual(found.metadata, { sluice_upload: file!.identity, sluice_sha256: file!.sha256 });
    assert.deepEqual([`sha256:${file!.sha256}`, Number(found.size)], [file!.checksum, file!.bytes]);
  });

  it('sends a large file in several pieces', async () => {
    const place = await makeGcsPlace();
    const rows = buildRows(18).map((row) => ({
      ...row,
      properties: { noise: randomBytes(1 << 20).toString('base64') },
    }));
    const { run, receipt } = await testInterval(place, { compression: null }).deliver([rows]);
    assert.ok(receipt.bytes > 24 << 20);
    assert.deepEqual(await run.verify(receipt, true), []);
    assert.deepEqual(await place.read(), rows.map(({ uuid }) => uuid).sort());
    assert.equal(await place.leftovers(), 0);
  });

  it('refuses the place of another export, and of something that is no export', async () => {
    const place = await makeGcsPlace();
    await testInterval(place).deliver([buildRows(1)]);
    const before = await place.snapshot();
    await assert.rejects(testInterval(place).deliver([buildRows(1)]), DestinationRejected);
    assert.deepEqual(await place.snapshot(), before);
    await place.at.write('web/2015/20150517T100000Z-20150517T110000Z_manifest.json', 'mine');
    await assert.rejects(testInterval(place).deliver([buildRows(1)]), DestinationRejected);
  });

  it('passes its test steps, which leave nothing', async () => {
    const place = await makeGcsPlace();
    const context = { projectId: 1, model: 'events', columns: [], merge: null, environment: LOOPBACK_ENVIRONMENT };
    for (const step of destinationOf('GCS', LOOPBACK_ENVIRONMENT).steps)
      await step.run(place.config, { ...context, signal: AbortSignal.timeout(10_000) });
    assert.deepEqual([await place.snapshot(), await place.leftovers()], [{}, 0]);
  });
});
