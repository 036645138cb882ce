/**
 * Names and ids of uploads. Blocks that were not committed belong to a name, not to an upload: committing the blocks of one upload would
 * discard those of every other upload to the name. Each upload therefore has a blob of its own, from which the store copies to the file's name.
 *
 * `begin` creates the blob empty. The upload's id contains the empty blob's ETag, and the content is committed on the condition that the blob
 * still has that ETag. Once `abort` has deleted the blob, no blob ever has that ETag again, so nothing that was or will be staged for the upload
 * can become visible.
 */
import { createHash } from 'node:crypto';
import type { BegunUpload } from '../object-store/store.ts';

/** Beginning of the names of uploads, which lie in their file's folder. Spark, Hive and others overlook names that begin with `_`. */
const UPLOAD = '_sluice-upload-';
/**
 * Metadata of every file: the token of its upload, and the digest of its content. `opened` is only on an upload's own blob, once its content
 * is committed: it keeps the ETag in the upload's id, because the commit gives the blob another one.
 */
export const METADATA = { token: 'sluice_upload', sha256: 'sluice_sha256', opened: 'sluice_opened' } as const;

/** Length of the digest that stands for the file's name, so an upload's name is never longer than the longest file name. */
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

/** The empty blob's ETag from the upload's id, with the quotes that a condition needs. */
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
