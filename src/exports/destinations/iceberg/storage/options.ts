/** Inputs of every kind of storage. */
import type { S3Access } from '../../s3/client.ts';
import type { IcebergConfig } from '../access/config.ts';
import type { Catalog } from '../catalog.ts';
import type { Location } from './location.ts';

export type StorageOptions = {
  config: IcebergConfig;
  catalog: Catalog;
  /** The configured key or role. */
  awsCredentials(): S3Access['credentials'];
  place: string;
  allowedHosts: readonly string[];
  signal: AbortSignal;
};

/** A table's location, with its whole address. */
export type OpenedLocation = Location & { url: string };

/** The origin of the store that the user names; null for the vendor's own. */
export const originOf = ({ endpoint_url }: Pick<IcebergConfig, 'endpoint_url'>) =>
  endpoint_url ? new URL(endpoint_url).origin : null;
