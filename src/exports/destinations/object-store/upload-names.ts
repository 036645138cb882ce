/**
 * Names and ids of uploads at stores where an upload is an object of its own, from which the store copies to the file's name. The upload's id
 * contains the version that the store gave the object when it was made. No later object of that name ever has it again.
 */
import { createHash } from 'node:crypto';
import type { BegunUpload } from './store.ts';

/** Beginning of the names of uploads, which lie in their file's folder. Spark, Hive and others overlook names that begin with `_`. */
const UPLOAD = '_sluice-upload-';
/** Length of the digest that stands for the file's name, so an upload's name is never longer than the longest file name. */
const DIGEST_DIGITS = 16;

/** Metadata of every file: the token of its upload, and the digest of its content. */
export const FILE_METADATA = { token: 'sluice_upload', sha256: 'sluice_sha256' } as const;

/** Prefix of the names of the uploads to a key. */
export function uploadsOf(key: string): string {
  const folder = key.slice(0, key.lastIndexOf('/') + 1);
  const digest = createHash('sha256').update(key).digest('hex').slice(0, DIGEST_DIGITS);
  return `${folder}${UPLOAD}${digest}-`;
}

export function uploadName({ key, id }: BegunUpload): string {
  return `${uploadsOf(key)}${id.slice(0, id.indexOf(' '))}`;
}

export function uploadId(token: string, version: string): string {
  return `${token} ${version}`;
}

export function versionOf({ id }: BegunUpload): string {
  return id.slice(id.indexOf(' ') + 1);
}
