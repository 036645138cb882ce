/** Addresses of a table's files. The catalog chooses them, and their parts may become parts of host names. */
import { isBucketName } from '../../s3/names.ts';
import { icebergFault } from '../faults.ts';

export type Location = {
  /** Identifies the bucket. All files of a table have the same. */
  id: string;
  /** URL of the bucket, without a slash at its end. */
  root: string;
  bucket: string;
  key: string;
};

/** @throws DestinationRejected for an address that is not supported */
export function parseLocation(url: string): Location {
  const [, bucket = '', key = ''] = /^s3[an]?:\/\/([^/]+)\/(.*?)\/?$/.exec(url) ?? [];
  if (!isBucketName(bucket)) throw icebergFault('location_unsupported');
  const root = `s3://${bucket}`;
  return { id: root, root, bucket, key };
}
