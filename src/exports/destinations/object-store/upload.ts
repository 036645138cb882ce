/** Fills an upload from a stream, in pieces of a size that any store accepts, a few at once, in bounded memory. */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ObjectStore, PieceBytes, StagedUpload, StoredPiece, Upload } from './store.ts';

/** Number of pieces after which their size doubles, so 10,000 pieces, which is S3's limit, hold more than S3's largest object. */
const PIECES_OF_ONE_SIZE = 1000;

export function pieceBytes(number: number, firstBytes: number): number {
  return firstBytes * 2 ** Math.floor((number - 1) / PIECES_OF_ONE_SIZE);
}

/**
 * Sends the content, whose size need not be known in advance. Empty content is sent as one empty piece.
 * @throws UploadGone when the upload was aborted meanwhile; errors of the content
 */
export async function fillUpload(
  store: ObjectStore,
  upload: Upload,
  content: AsyncIterable<Uint8Array>,
): Promise<StagedUpload> {
  const sums = { bytes: 0, sha256: createHash('sha256'), crc32: 0 };
  const stored: StoredPiece[] = [];
  const inFlight = new Set<Promise<void>>();

  try {
    for await (const piece of pieces(content, store.minPieceBytes)) {
      sums.bytes += piece.bytes.length;
      sums.sha256.update(piece.bytes);
      sums.crc32 = crc32(piece.bytes, sums.crc32);
      const storing = store.putPiece(upload, piece).then((part) => {
        stored.push(part);
        inFlight.delete(storing);
      });
      // Awaited below; an earlier failure must not count as unhandled meanwhile.
      storing.catch(() => {});
      inFlight.add(storing);
      const growth = pieceBytes(piece.number, store.minPieceBytes) / store.minPieceBytes;
      while (inFlight.size >= Math.max(1, store.piecesInFlight / growth)) await Promise.race(inFlight);
    }
    await Promise.all(inFlight);
  } finally {
    await Promise.allSettled(inFlight);
  }
  const total = { bytes: sums.bytes, sha256: sums.sha256.digest('hex'), crc32: sums.crc32 };
  return {
    ...upload,
    parts: stored.sort((a, b) => a.number - b.number),
    bytes: total.bytes,
    sha256: total.sha256,
    ...store.identify(upload, total),
  };
}

async function* pieces(content: AsyncIterable<Uint8Array>, firstBytes: number): AsyncGenerator<PieceBytes> {
  let number = 1;
  let offset = 0;
  let blocks: Uint8Array[] = [];
  let gathered = 0;
  function take(): PieceBytes {
    const piece = { number, offset, bytes: blocks.length === 1 ? blocks[0]! : Buffer.concat(blocks, gathered) };
    number++;
    offset += gathered;
    blocks = [];
    gathered = 0;
    return piece;
  }
  for await (const block of content) {
    if (block.length === 0) continue;
    blocks.push(block);
    gathered += block.length;
    if (gathered >= pieceBytes(number, firstBytes)) yield take();
  }
  if (gathered > 0 || number === 1) yield take();
}
