/** All faults, grouped by origin, as docs/faults.md prints them. */
import type { KnownFault } from '../destinations/faults.ts';
import { AZURE_FAULTS } from '../destinations/azure-blob/faults.ts';
import { GCS_FAULTS } from '../destinations/gcs/faults.ts';
import { HTTP_FAULTS } from '../destinations/http/faults.ts';
import { ICEBERG_FAULTS } from '../destinations/iceberg/faults.ts';
import { LOCAL_FILE_FAULTS } from '../destinations/local-file/faults.ts';
import { POSTGRES_FAULTS } from '../destinations/postgres/faults.ts';
import { S3_FAULTS } from '../destinations/s3/faults.ts';
import { RUN_FAULTS, type RunFault } from './run-faults.ts';

type KnownFaults = Readonly<Record<string, KnownFault | RunFault>>;

/** Faults by destination type; the three types for buckets have the same ones. */
export const DESTINATION_FAULTS: Readonly<Record<string, KnownFaults>> = {
  LocalFile: LOCAL_FILE_FAULTS,
  S3: S3_FAULTS,
  AwsS3: S3_FAULTS,
  S3Compatible: S3_FAULTS,
  AzureBlob: AZURE_FAULTS,
  GCS: GCS_FAULTS,
  Postgres: POSTGRES_FAULTS,
  Iceberg: ICEBERG_FAULTS,
  NoOp: {},
  HTTP: HTTP_FAULTS,
};

/** All codes, including those of faults outside destinations. */
export const FAULT_CODES: readonly string[] = [
  ...new Set([...Object.values(DESTINATION_FAULTS), RUN_FAULTS].flatMap((known) => Object.keys(known))),
];
