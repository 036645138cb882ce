/** Addresses of a table's files. The catalog chooses them, and their parts may become parts of host names. */
import { isBucketName } from '../../s3/names.ts';
import { icebergFault } from '../faults.ts';

export type Storage = 's3' | 'gcs' | 'azure';

export type Location = {
  storage: Storage;
  /** Identifies the bucket or container, however an address names it. All files of a table have the same. */
  id: string;
  /** URL of the bucket or container, without a slash at its end. */
  root: string;
  /** The bucket or container. */
  bucket: string;
  /** Host name of the account of Azure; empty at other storages. */
  host: string;
  key: string;
};

const S3 = /^s3[an]?:\/\/([^/]+)\/(.*?)\/?$/;
const GCS = /^gs:\/\/([a-z0-9][a-z0-9._-]{1,220}[a-z0-9])\/(.*?)\/?$/;
const AZURE = /^(?:abfs|wasb)s?:\/\/([a-z0-9-]{3,63})@([a-z0-9]{3,24}\.(?:dfs|blob)(?:\.[a-z0-9-]+)+)\/(.*?)\/?$/;

/** @throws DestinationRejected for an address that is not supported */
export function parseLocation(url: string): Location {
  const [, s3 = '', s3Key = ''] = S3.exec(url) ?? [];
  if (isBucketName(s3)) return { storage: 's3', ...rootOf(`s3://${s3}`), bucket: s3, host: '', key: s3Key };
  const [, gcs, gcsKey = ''] = GCS.exec(url) ?? [];
  if (gcs) return { storage: 'gcs', ...rootOf(`gs://${gcs}`), bucket: gcs, host: '', key: gcsKey };
  const [, container, host, key = ''] = AZURE.exec(url) ?? [];
  if (!container || !host) throw icebergFault('location_unsupported');
  // Hadoop's schemes and both services of an account lead to the same blobs.
  const id = `azure://${container}@${host.replace(/\.(?:dfs|blob)\./, '.')}`;
  const root = `${url.slice(0, url.indexOf(':'))}://${container}@${host}`;
  return { storage: 'azure', id, root, bucket: container, host, key };
}

const rootOf = (root: string) => ({ id: root, root });
