import assert from 'node:assert/strict';
import { encodeManifest, manifestOf, receiptOf } from '../../../../src/exports/destinations/object-store/manifest.ts';
import type { ObjectStore } from '../../../../src/exports/destinations/object-store/store.ts';
import { DestinationRejected } from '../../../../src/platform/errors.ts';

const DELIVERY = {
  projectId: 7,
  exportId: 'e',
  runId: 'r',
  model: 'events',
  start: '2015-05-17T10:00:00.000000Z',
  end: '2015-05-17T11:00:00.000000Z',
  cutoff: '2015-05-17T11:00:00.000000Z',
  epoch: 1,
  columns: [],
  merge: null,
  file: { format: 'JSONLines', compression: null, numbered: true },
} as unknown as Parameters<typeof manifestOf>[1];

/** Of so many files, the names as long as S3 lets them be. */
function buildManifest(count: number) {
  const key = 'k'.repeat(1024);
  const sha = 'f'.repeat(64);
  const file = { key, rows: 1, bytes: 1, sha256: sha, content_sha256: sha, identity: sha, checksum: sha };
  return manifestOf(
    'complete',
    DELIVERY,
    [],
    Array.from({ length: count }, () => file),
    't',
  );
}

describe('a manifest', () => {
  it('of the most files that a plan may have, with the longest names, can be written', () => {
    const bytes = encodeManifest(buildManifest(10_000));
    assert.equal((JSON.parse(Buffer.from(bytes).toString()) as { files: unknown[] }).files.length, 10_000);
  });

  it('of an interrupted commit is distinguished from one for readers', () => {
    const store = { locate: (key: string) => key } as ObjectStore;
    const complete = buildManifest(1);
    assert.equal(receiptOf(store, 'm', complete).interrupted, undefined);
    assert.equal(receiptOf(store, 'm', { ...complete, state: 'replacing' }).interrupted, true);
  });

  it('that is too large to be read again is not written', () => {
    assert.throws(
      () => encodeManifest(buildManifest(40_000)),
      (error) => error instanceof DestinationRejected && /manifest of the 40000 files/.test(error.message),
    );
  });
});
