/** Faults of catalogs, tables and the storage of their files. */
import { DestinationRejected, DestinationUnavailable } from '../../../platform/errors.ts';
import { HOST_REFUSED } from '../../../platform/net/host-rules.ts';
import { errorMaker, type KnownFault } from '../faults.ts';
import { networkFaults, type NetworkFaultCode } from '../network-faults.ts';
import { ROLE_FAULTS, S3_FAULTS, STORE_FAULTS } from '../s3/faults.ts';
import { OTHER_STORAGE_FAULTS } from './storage/faults.ts';

type CatalogNetworkFaults = Record<`catalog_${NetworkFaultCode}`, KnownFault>;

/** The storage has the same codes without `catalog_`, and the rawCodes of the system belong to those. */
const CATALOG_NETWORK_FAULTS = Object.fromEntries(
  Object.entries(networkFaults({ hostField: 'catalog_uri', unreachable: 'The catalog cannot be reached.' })).map(
    ([code, known]) => {
      const { rawCodes: _, ...fault }: KnownFault = known;
      return [`catalog_${code}`, fault];
    },
  ),
) as CatalogNetworkFaults;

const CATALOG_FAULTS = {
  catalog_denied: {
    owner: 'you',
    field: 'token',
    sentence: 'The catalog does not accept the token, or it may not do this.',
  },
  signature_refused: {
    owner: 'you',
    field: 'aws_access_key_id',
    sentence:
      'The catalog does not accept the signature, or the access key or the role may not do this. The key or the role, the service, the region and the worker’s clock must be right.',
  },
  credentials_not_vended: {
    owner: 'you',
    field: 'storage_credentials',
    sentence:
      'The catalog gives no credentials for the files of the table. It must vend them, or they must be configured.',
  },
  vended_host_not_allowed: { owner: 'you', field: 'storage_credentials', sentence: HOST_REFUSED },
  vended_region_invalid: {
    owner: 'you',
    field: 'storage_credentials',
    sentence: 'The catalog names a region for the files of the table that cannot exist.',
  },
  catalog_not_found: {
    owner: 'you',
    field: 'catalog_uri',
    sentence: 'The catalog’s URI leads to nothing that speaks Iceberg’s REST protocol.',
  },
  catalog_redirects: {
    owner: 'you',
    field: 'catalog_uri',
    final: true,
    sentence:
      'The catalog redirects to another address, which is not followed. Enter the address of the catalog itself.',
  },
  warehouse_not_found: {
    owner: 'you',
    field: 'warehouse',
    sentence: 'The catalog does not know the warehouse, or its URI leads to something else.',
  },
  credential_refused: {
    owner: 'you',
    field: 'credential',
    sentence: 'The authorization server does not accept the credential or the scope.',
  },
  token_server_invalid: {
    owner: 'you',
    field: 'oauth2_server_uri',
    sentence: 'The address of the authorization server leads to nothing that gives tokens.',
  },
  token_server_unavailable: { owner: 'destination', sentence: 'The authorization server cannot answer at the moment.' },
  token_server_unreachable: {
    owner: 'destination',
    field: 'oauth2_server_uri',
    sentence: 'The authorization server cannot be reached.',
  },
  token_server_not_allowed: { owner: 'you', field: 'oauth2_server_uri', sentence: HOST_REFUSED },
  catalog_unavailable: { owner: 'destination', sentence: 'The catalog cannot answer at the moment.' },
  catalog_refused: { owner: 'you', final: true, sentence: 'The catalog refused the request.' },
  ...CATALOG_NETWORK_FAULTS,
} as const satisfies Record<string, KnownFault>;

const TABLE_FAULTS = {
  namespace_not_found: { owner: 'you', field: 'namespace', sentence: 'The namespace does not exist.' },
  metadata_too_large: {
    owner: 'you',
    field: 'table_name',
    sentence:
      'The metadata of the table is larger than Sluice reads. Expire snapshots of the table, or rewrite its manifests.',
  },
  table_gone: {
    owner: 'you',
    field: 'table_name',
    sentence: 'The table was removed while the delivery was being made.',
  },
  format_unsupported: {
    owner: 'you',
    field: 'table_name',
    final: true,
    sentence: 'Only tables of format version 2 can be written to.',
  },
  location_unsupported: {
    owner: 'you',
    field: 'table_name',
    final: true,
    sentence:
      'Only tables whose files are all in one bucket or container, at addresses that begin with s3://, gs://, abfss:// or wasbs://, can be written to.',
  },
  storage_differs: {
    owner: 'you',
    field: 'storage',
    final: true,
    sentence: 'The files of the table are in another storage than the one that is configured.',
  },
  storage_account_differs: {
    owner: 'you',
    field: 'connection_string',
    sentence: 'The files of the table are in another account than the one of the connection string.',
  },
  partitions_mismatch: {
    owner: 'you',
    field: 'table_name',
    final: true,
    sentence:
      'The table must be partitioned by the identity of _sluice_export and _sluice_interval_time, and by nothing else.',
  },
  column_missing: {
    owner: 'you',
    field: 'table_name',
    final: true,
    sentence: 'The table lacks columns of the export.',
  },
  column_type_mismatch: {
    owner: 'you',
    field: 'table_name',
    final: true,
    sentence: 'A column of the table has another type than the export.',
  },
  versions_unsupported: {
    owner: 'you',
    final: true,
    sentence: 'Rows with versions, which are those of persons and sessions, cannot be delivered to Iceberg.',
  },
  files_unattributed: {
    owner: 'you',
    field: 'table_name',
    final: true,
    sentence:
      'The table has files of this data interval that no delivery of this export explains. Delete their rows, or accept a re-delivery to another table.',
  },
  metadata_missing: {
    owner: 'you',
    field: 'endpoint_url',
    sentence:
      'The storage lacks a file of the table’s metadata. The endpoint must lead to the store that the catalog uses.',
  },
  metadata_unreadable: {
    owner: 'you',
    field: 'table_name',
    sentence:
      'A manifest of the table is damaged, or cut off, or of a version of the format that Sluice does not read. The table was not changed.',
  },
  concurrent_commits: {
    owner: 'destination',
    sentence: 'Other writers changed the table each time before the delivery could be committed.',
  },
} as const satisfies Record<string, KnownFault>;

/** Faults of the storage by the fields of this destination: it is the catalog that names the bucket and the folder. */
const OWN_STORAGE_FAULTS = {
  bucket_not_found: {
    ...S3_FAULTS.bucket_not_found,
    field: 'endpoint_url',
    sentence: 'The storage does not have the bucket of the table.',
  },
  bucket_or_key_unknown: {
    ...S3_FAULTS.bucket_or_key_unknown,
    field: 'aws_access_key_id',
    sentence: 'The storage does not know the bucket of the table or the access key.',
  },
  kms_key_not_found: {
    owner: 'you',
    sentence: 'The KMS key of the bucket does not exist.',
    rawCodes: S3_FAULTS.kms_key_not_found.rawCodes,
  },
  kms_key_disabled: {
    owner: 'you',
    sentence: 'The KMS key of the bucket is disabled.',
    rawCodes: S3_FAULTS.kms_key_disabled.rawCodes,
  },
  kms_key_unusable: {
    owner: 'you',
    sentence: 'The KMS key of the bucket cannot be used in its present state.',
    rawCodes: S3_FAULTS.kms_key_unusable.rawCodes,
  },
  file_too_large: {
    owner: 'destination',
    final: true,
    sentence: 'A file is larger than the storage accepts.',
    rawCodes: S3_FAULTS.file_too_large.rawCodes,
  },
  name_too_long: {
    ...S3_FAULTS.name_too_long,
    field: 'table_name',
    sentence: 'The names of the files are longer than the storage accepts. The table needs a shorter location.',
  },
} as const satisfies Partial<Record<keyof typeof S3_FAULTS, KnownFault>>;

// Manifests of files are not an Iceberg table's.
const { manifest_foreign: _foreign, manifest_too_large: _large, ...STORAGE_FAULTS } = STORE_FAULTS;

export const ICEBERG_FAULTS = {
  ...CATALOG_FAULTS,
  ...TABLE_FAULTS,
  ...STORAGE_FAULTS,
  ...ROLE_FAULTS,
  ...OWN_STORAGE_FAULTS,
  ...OTHER_STORAGE_FAULTS,
} as const satisfies Record<string, KnownFault>;

export const icebergFault = errorMaker(ICEBERG_FAULTS);

/** Throws an error of the storage as a fault of this destination, and other errors as they are. */
export function throwAsOwn(error: unknown): never {
  const code = faultCodeOf(error);
  if (code === undefined || !Object.hasOwn(OWN_STORAGE_FAULTS, code)) throw error;
  throw icebergFault(code as keyof typeof OWN_STORAGE_FAULTS, { cause: error });
}

export function faultCodeOf(error: unknown): string | undefined {
  const isFault = error instanceof DestinationRejected || error instanceof DestinationUnavailable;
  return isFault ? error.fault?.code : undefined;
}
