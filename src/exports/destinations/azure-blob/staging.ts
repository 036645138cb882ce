/**
 * Uploads to containers. Blocks that were not committed belong to a name, not to an upload: committing the blocks of one upload would
 * discard those of every other upload to the name. Each upload therefore has a blob of its own, from which the store copies to the file's name.
 *
 * `begin` creates the blob empty. The upload's id contains the empty blob's ETag, and the content is committed on the condition that the blob
 * still has that ETag. Once `abort` has deleted the blob, no blob ever has that ETag again, so nothing that was or will be staged for the upload
 * can become visible.
 */
import type { BegunUpload } from '../object-store/store.ts';
import { FILE_METADATA, uploadId, versionOf } from '../object-store/upload-names.ts';

/**
 * `opened` is only on an upload's own blob, once its content is committed: it keeps the ETag in the upload's id, because the commit gives the
 * blob another one.
 */
export const METADATA = { ...FILE_METADATA, opened: 'sluice_opened' } as const;

/** @param tag of the empty blob */
export function idOf(token: string, tag: string): string {
  return uploadId(token, bareTag(tag));
}

/** The empty blob's ETag from the upload's id, with the quotes that a condition needs. */
export function openingTag(upload: BegunUpload): string {
  return `"${versionOf(upload)}"`;
}

/** An ETag without the quotes, which listings leave out. */
export function bareTag(tag: string): string {
  return tag.replaceAll('"', '');
}

/** Ids of the blocks of a blob need equal lengths. */
export function blockId(number: number): string {
  return Buffer.from(String(number).padStart(6, '0')).toString('base64');
}
