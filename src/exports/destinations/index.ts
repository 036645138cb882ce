/** The registry of destinations. New destinations are added only here. */
import { InvalidInput } from '../../platform/errors.ts';
import type { Destination } from './contract.ts';
import type { DestinationEnvironment } from './environment.ts';
import { azureBlob } from './azure-blob/azure-blob.ts';
import { gcs } from './gcs/gcs.ts';
import { http } from './http/http.ts';
import { iceberg } from './iceberg/iceberg.ts';
import { localFile } from './local-file/local-file.ts';
import { noOp } from './no-op/no-op.ts';
import { postgres } from './postgres/postgres.ts';
import { awsS3, s3, s3Compatible } from './s3/s3.ts';

const ALL: readonly Destination[] = [localFile, s3, awsS3, s3Compatible, azureBlob, gcs, postgres, iceberg, http, noOp];

/** Values of `destination.type`, including types that this installation does not offer. */
export const DESTINATION_TYPES = ALL.map(({ type }) => type);

/** Destinations that this installation offers; LocalFile is one only if the operator set its root. */
export function destinations(environment: DestinationEnvironment): readonly Destination[] {
  return ALL.filter(({ type }) => type !== localFile.type || environment.localRoot !== undefined);
}

/** A destination by its type, even if the installation no longer offers it. @throws Error for a type that does not exist */
export function anyDestination(type: string): Destination {
  const destination = ALL.find((candidate) => candidate.type === type);
  if (!destination) throw new Error(`there is no destination ${type}`);
  return destination;
}

/** @throws InvalidInput for a type that does not exist or that this installation does not offer */
export function destinationOf(type: string, environment: DestinationEnvironment): Destination {
  const destination = destinations(environment).find((candidate) => candidate.type === type);
  if (!destination) throw new InvalidInput(`"${type}" is not a valid choice.`, 'type', 'invalid_choice');
  return destination;
}
