/** Reads back the files of a receipt. */
import { createHash } from 'node:crypto';
import { readExportedFile } from '../../formats/read-file.ts';
import { RowsDigester, rowIdColumn } from '../../../conditions/rows/rows-digest.ts';
import { SoughtRows } from '../../formats/sought-rows.ts';
import { UnreadableFile } from '../../formats/unreadable.ts';
import type { DeliveredFile, Difference, Receipt } from '../contract.ts';
import type { Delivery, Search } from '../delivery.ts';
import { severalAtOnce } from '../at-once.ts';
import { fileKindOf } from './keys.ts';
import { isObject, readManifest } from './manifest.ts';
import type { FileSession } from './staging.ts';

/**
 * Compares sizes, identities and the store's own checksums; if a store keeps none, the bytes themselves. `deep` always downloads
 * every file, unpacks it, parses every row and compares the rows' digest with the receipt's.
 * @returns the differences from the receipt
 */
export async function verifyFiles(session: FileSession, receipt: Receipt, deep: boolean): Promise<Difference[]> {
  const differences = await verifyManifest(session, receipt);
  const rows = hasUuids(session.delivery) ? new RowsDigester() : undefined;
  const files = receipt.files ?? [];
  // A deep check holds blocks of a file in memory, so files are checked one at a time.
  if (deep) for (const file of files) differences.push(...(await verifyFile(session, file, deep, rows)));
  else differences.push(...(await severalAtOnce(files, (file) => verifyFile(session, file, deep, rows))).flat());
  if (!deep || !rows || differences.length > 0 || rows.digest() === receipt.digest) return differences;
  return [{ what: 'The files hold other rows than were delivered.', expected: receipt.digest, found: rows.digest() }];
}

/** See `Session.search`; a file that is missing has no rows. @throws UnreadableFile */
export async function* searchFiles(
  { store, delivery }: FileSession,
  { files = [] }: Receipt,
  { texts, skip }: Search,
): AsyncGenerator<number> {
  for (const { key } of files.slice(skip)) {
    const sought = new SoughtRows(texts, delivery.columns);
    const stored = await store.get(key);
    if (stored) await readExportedFile(stored, fileKindOf(key), undefined, sought);
    yield sought.found;
  }
}

/** Whether the files contain the uuids from which the rows' digest is computed. */
function hasUuids({ columns }: Delivery): boolean {
  return !columns[rowIdColumn(columns)]!.hidden;
}

async function verifyManifest({ store, names, delivery }: FileSession, receipt: Receipt): Promise<Difference[]> {
  const key = receipt.manifest ?? names.manifest;
  const manifest = await readManifest(store, key, delivery);
  const expected = `complete, ${runOf(receipt.run_id)}epoch ${receipt.epoch}, ${receipt.rows} rows`;
  const found = manifest
    ? `${manifest.state}, ${runOf(manifest.run_id)}epoch ${manifest.epoch}, ${manifest.rows} rows`
    : 'none';
  return expected === found ? [] : [{ what: `The manifest ${store.locate(key)} differs.`, expected, found }];
}

/** The run's id, which deliveries of earlier versions lack on both sides. */
function runOf(runId: string | null | undefined): string {
  return runId ? `run ${runId}, ` : '';
}

/** @param rows receives the rows' uuids in a deep check; undefined if the files have none */
async function verifyFile(
  { store }: FileSession,
  file: DeliveredFile,
  deep: boolean,
  rows: RowsDigester | undefined,
): Promise<Difference[]> {
  const name = store.locate(file.key);
  const visible = await store.head(file.key);
  const missing = [{ what: `The file ${name} is missing.`, expected: `${file.bytes} bytes`, found: 'none' }];
  if (!visible) return missing;
  if (!isObject(visible, file)) {
    return [{ what: `The file ${name} was changed or replaced.`, expected: describe(file), found: describe(visible) }];
  }
  if (!deep && visible.checksum !== null) return [];

  const stored = await store.get(file.key);
  if (!stored) return missing;
  if (deep) return verifyContent(name, file, stored, rows);
  const found = await sha256Of(stored);
  return found === file.sha256 ? [] : [{ what: `The bytes of ${name} were changed.`, expected: file.sha256, found }];
}

async function verifyContent(
  name: string,
  file: DeliveredFile,
  stored: AsyncIterable<Uint8Array>,
  rows: RowsDigester | undefined,
): Promise<Difference[]> {
  const expected = `${file.rows} rows, sha256 ${file.sha256}, content ${file.content_sha256}`;
  try {
    const read = await readExportedFile(stored, fileKindOf(file.key), rows);
    const found = `${read.rows} rows, sha256 ${read.sha256}, content ${read.contentSha256}`;
    return found === expected ? [] : [{ what: `The bytes of ${name} were changed.`, expected, found }];
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    return [{ what: `The file ${name} cannot be read.`, expected, found: error.message }];
  }
}

async function sha256Of(stored: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const block of stored) hash.update(block);
  return hash.digest('hex');
}

function describe({ bytes, identity, checksum }: Pick<DeliveredFile, 'bytes' | 'identity' | 'checksum'>): string {
  return `${bytes} bytes, identity ${identity}${checksum === null ? '' : `, ${checksum}`}`;
}
