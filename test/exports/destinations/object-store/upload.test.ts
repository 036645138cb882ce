import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { ContentSums, ObjectStore, PieceBytes } from '../../../../src/exports/destinations/object-store/store.ts';
import { fillUpload, pieceBytes } from '../../../../src/exports/destinations/object-store/upload.ts';

const UPLOAD = { key: 'k', id: 'u', token: 't' };
const MIB = 1 << 20;

/** Keeps pieces, answers out of order, and remembers how many it was given at once. */
function rememberingStore(minPieceBytes: number, piecesInFlight: number) {
  const pieces: PieceBytes[] = [];
  let inFlight = 0;
  const seen = { most: 0, sums: undefined as ContentSums | undefined };
  const store = {
    minPieceBytes,
    piecesInFlight,
    async putPiece(_: unknown, piece: PieceBytes) {
      inFlight++;
      seen.most = Math.max(seen.most, inFlight);
      await sleep((piece.number * 7) % 5);
      inFlight--;
      pieces.push({ ...piece, bytes: Buffer.from(piece.bytes) });
      return { number: piece.number, tag: String(piece.number) };
    },
    identify(_: unknown, sums: ContentSums) {
      seen.sums = sums;
      return { identity: 'i', checksum: null };
    },
  } as unknown as ObjectStore;
  return { store, pieces, seen };
}

async function* splitIntoBlocks(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function* failingStream() {
  yield randomBytes(10);
  throw new Error('the source broke');
}

describe('filling an upload', () => {
  it('sends every byte once, in pieces of at least the store’s size, a few at once', async () => {
    const content = randomBytes(100_003);
    const { store, pieces, seen } = rememberingStore(1000, 3);
    const staged = await fillUpload(store, UPLOAD, splitIntoBlocks(content, 77));
    pieces.sort((a, b) => a.number - b.number);
    assert.deepEqual(Buffer.concat(pieces.map(({ bytes }) => bytes)), content);
    assert.ok(pieces.slice(0, -1).every(({ bytes }) => bytes.length >= 1000));
    assert.ok(
      pieces.every(
        ({ offset, bytes }, n) =>
          n === 0 || offset === pieces[n - 1]!.offset + pieces[n - 1]!.bytes.length || bytes.length === 0,
      ),
    );
    assert.deepEqual(
      staged.parts.map(({ number }) => number),
      pieces.map((_, n) => n + 1),
    );
    assert.equal(seen.most, 3);
    assert.equal(staged.bytes, content.length);
    assert.equal(staged.sha256, createHash('sha256').update(content).digest('hex'));
    assert.equal(seen.sums?.crc32, crc32(content));
  });

  it('sends one empty piece for no content', async () => {
    const { store, pieces } = rememberingStore(1000, 3);
    const staged = await fillUpload(store, UPLOAD, splitIntoBlocks(Buffer.alloc(0), 1));
    assert.equal(pieces.length, 1);
    assert.equal(staged.bytes, 0);
  });

  it('fails with the content, and waits for what is on its way', async () => {
    const { store, pieces } = rememberingStore(10, 3);
    await assert.rejects(fillUpload(store, UPLOAD, failingStream()), /the source broke/);
    assert.equal(pieces.length, 1);
  });

  it('needs at most 10,000 pieces for the largest object of S3', () => {
    let bytes = 0;
    for (let number = 1; number <= 10_000; number++) bytes += pieceBytes(number, 8 * MIB);
    assert.ok(bytes >= 5 * 2 ** 40);
    assert.equal(pieceBytes(1, 8 * MIB), 8 * MIB);
  });
});
