/**
 * Names and ids of uploads. Blocks that were not committed belong to a name, not to an upload: committing one list discards those of every other
 * upload to the name. Each upload therefore has a blob of its own beside the file's name, from which the store copies.
 *
 * The blob is empty from `begin` on, and its ETag, which is a part of the upload's id, is what the content is committed over. Once `abort` has
 * deleted the blob, no blob ever has that ETag again, so nothing that was or will be staged for the upload can become visible.
 */
import { createHash } from 'node:crypto';
import type { BegunUpload } from '../object-store/store.ts';

/** Begins the names of uploads in the folder of their file. Spark, Hive and others overlook names that begin with `_`. */
const UPLOAD = '_sluice-upload-';
/**
 * Metadata of every file: the token of its upload, and the digest of its content. `opened`, which only the blob of an upload has, is the ETag in
 * the upload's id, once the content was committed over it.
 */
export const METADATA = { token: 'sluice_upload', sha256: 'sluice_sha256', opened: 'sluice_opened' } as const;

/** Length of the digest that stands for the file's name, so the name of an upload is never longer than the longest of a file. */
const DIGEST_DIGITS = 16;

/** Prefix of the names of the uploads to a key. */
export function uploadsOf(key: string): string {
  const folder = key.slice(0, key.lastIndexOf('/') + 1);
  const digest = createHash('sha256').update(key).digest('hex').slice(0, DIGEST_DIGITS);
  return `${folder}${UPLOAD}${digest}-`;
}

export function uploadName({ key, id }: BegunUpload): string {
  return `${uploadsOf(key)}${id.slice(0, id.indexOf(' '))}`;
}

/** @param tag of the empty blob */
export function uploadId(token: string, tag: string): string {
  return `${token} ${bareTag(tag)}`;
}

/** The ETag that a condition needs. */
export function openingTag({ id }: BegunUpload): string {
  return `"${id.slice(id.indexOf(' ') + 1)}"`;
}

/** An ETag without the quotes, which listings leave out. */
export function bareTag(tag: string): string {
  return tag.replaceAll('"', '');
}

/** Ids of the blocks of a blob need equal lengths. */
export function blockId(number: number): string {
  return Buffer.from(String(number).padStart(6, '0')).toString('base64');
}
