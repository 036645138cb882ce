/** Inputs of every kind of storage. */
import type { IcebergConfig } from '../access/config.ts';
import type { Catalog } from '../catalog.ts';
import type { Location } from './location.ts';

export type StorageOptions = {
  config: IcebergConfig;
  catalog: Catalog;
  place: string;
  allowedHosts: readonly string[];
  signal: AbortSignal;
};

/** A table's location, with its whole address. */
export type OpenedLocation = Location & { url: string };

/** The origin of the store that the user names; null for the vendor's own. */
export const originOf = ({ endpoint_url }: Pick<IcebergConfig, 'endpoint_url'>) =>
  endpoint_url ? new URL(endpoint_url).origin : null;
