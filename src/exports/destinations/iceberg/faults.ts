/** Faults of catalogs and tables. Those of the storage are `S3_FAULTS`. */
import { errorMaker, type KnownFault } from '../faults.ts';
import { networkFaults } from '../network-faults.ts';

export const ICEBERG_FAULTS = {
  catalog_denied: {
    owner: 'you',
    field: 'token',
    sentence: 'The catalog does not accept the token, or it may not do this.',
  },
  catalog_not_found: {
    owner: 'you',
    field: 'catalog_uri',
    sentence: 'The catalog’s URI leads to nothing that speaks Iceberg’s REST protocol.',
  },
  catalog_unavailable: { owner: 'destination', sentence: 'The catalog cannot answer at the moment.' },
  catalog_refused: { owner: 'you', final: true, sentence: 'The catalog refused the request.' },
  namespace_not_found: { owner: 'you', field: 'namespace', sentence: 'The namespace does not exist.' },
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
    sentence: 'Only tables whose location begins with s3:// can be written to.',
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
    sentence: 'Rows with versions, such as persons, cannot be delivered to Iceberg yet. Choose events.',
  },
  files_unattributed: {
    owner: 'you',
    final: true,
    sentence:
      'The table has files of this data interval that no delivery of this export explains. Delete their rows, or accept a re-delivery to another table.',
  },
  concurrent_commits: {
    owner: 'destination',
    sentence: 'Other writers changed the table each time before the delivery could be committed.',
  },
  ...networkFaults({ host: 'catalog_uri', unreachable: 'The catalog cannot be reached.' }),
} as const satisfies Record<string, KnownFault>;

export const icebergFault = errorMaker(ICEBERG_FAULTS);
