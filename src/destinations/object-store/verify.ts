/** Reads back what a receipt says was delivered. */
import { createHash } from 'node:crypto';
import { PassThrough, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import zlib from 'node:zlib';
import type { Compression, DeliveredFile, Difference, Receipt } from '../contract.ts';
import { fileKindOf } from './keys.ts';
import { isObject, readManifest } from './manifest.ts';
import type { FileSession } from './staging.ts';

const LINE_FEED = 10;

/**
 * Compares sizes, identities and the store's own checksums; where a store keeps none, or when `deep` asks for it, the bytes
 * themselves. `deep` also unpacks them and counts their rows.
 * @returns a sentence for each difference; empty when all is as the receipt says
 */
export async function verifyFiles(session: FileSession, receipt: Receipt, deep: boolean): Promise<Difference[]> {
  const differences = await verifyManifest(session, receipt);
  for (const file of receipt.files ?? []) differences.push(...(await verifyFile(session, file, deep)));
  return differences;
}

async function verifyManifest({ store, names, delivery }: FileSession, receipt: Receipt): Promise<Difference[]> {
  const key = receipt.manifest ?? names.manifest;
  const manifest = await readManifest(store, key, delivery);
  const expected = `complete, epoch ${receipt.epoch}, ${receipt.rows} rows`;
  const found = manifest ? `${manifest.state}, epoch ${manifest.epoch}, ${manifest.rows} rows` : 'none';
  return expected === found ? [] : [{ what: `The manifest ${store.locate(key)} differs.`, expected, found }];
}

async function verifyFile({ store }: FileSession, file: DeliveredFile, deep: boolean): Promise<Difference[]> {
  const name = store.locate(file.key);
  const visible = await store.head(file.key);
  const missing = [{ what: `The file ${name} is missing.`, expected: `${file.bytes} bytes`, found: 'none' }];
  if (!visible) return missing;
  if (!isObject(visible, file)) {
    return [{ what: `The file ${name} was changed or replaced.`, expected: describe(file), found: describe(visible) }];
  }
  if (!deep && visible.checksum !== null) return [];

  const content = await store.get(file.key);
  if (!content) return missing;
  const stored = await readStored(content, deep ? fileKindOf(file.key).compression : null);
  if (stored.sha256 !== file.sha256) {
    return [{ what: `The bytes of ${name} were changed.`, expected: file.sha256, found: stored.sha256 }];
  }
  const expected = `${file.rows} rows, content ${file.content_sha256}`;
  const found = `${stored.rows} rows, content ${stored.contentSha256}`;
  return !deep || expected === found ? [] : [{ what: `The rows of ${name} differ.`, expected, found }];
}

function describe({ bytes, identity, checksum }: Pick<DeliveredFile, 'bytes' | 'identity' | 'checksum'>): string {
  return `${bytes} bytes, identity ${identity}${checksum === null ? '' : `, ${checksum}`}`;
}

type StoredContent = { sha256: string; rows: number; contentSha256: string };

/** Reads an object to its end. A line is a row; what cannot be unpacked has none. */
async function readStored(content: AsyncIterable<Uint8Array>, compression: Compression | null): Promise<StoredContent> {
  const stored = createHash('sha256');
  const unpacked = createHash('sha256');
  let rows = 0;
  async function* hashed() {
    for await (const block of content) {
      stored.update(block);
      yield block;
    }
  }
  async function count(blocks: AsyncIterable<Uint8Array>) {
    for await (const block of blocks) {
      unpacked.update(block);
      for (let at = block.indexOf(LINE_FEED); at >= 0; at = block.indexOf(LINE_FEED, at + 1)) rows++;
    }
  }
  try {
    await pipeline(hashed(), decompressor(compression), count);
  } catch (error) {
    if (!isUnpackingError(error)) throw error;
    return { sha256: 'cannot be unpacked', rows: 0, contentSha256: '' };
  }
  return { sha256: stored.digest('hex'), rows, contentSha256: unpacked.digest('hex') };
}

function decompressor(compression: Compression | null): Transform {
  if (compression === 'gzip') return zlib.createGunzip();
  if (compression === 'brotli') return zlib.createBrotliDecompress();
  if (compression === 'zstd') return zlib.createZstdDecompress();
  return new PassThrough();
}

/** zlib names its errors by what was wrong with the data; the store's own are ours. */
function isUnpackingError(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' && /^(Z_|ERR__?ERROR|ERR_BROTLI|ERR_ZLIB|ZSTD_)/.test(code);
}
