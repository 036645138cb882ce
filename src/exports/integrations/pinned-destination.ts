/** Pins the destination of a plan, and completes it for a run with the newest credentials. */
import { credentialFieldsOf, withCredentials, withoutCredentials } from '../../platform/secrets/write-only.ts';
import { anyDestination } from '../destinations/index.ts';
import { DestinationRejected } from '../../platform/errors.ts';
import { RUN_FAULTS, runFault } from '../faults/run-faults.ts';
import type { BatchExport } from '../batch-exports/batch-export.ts';
import type { PinnedDestination } from '../domain/plan.ts';
import type { ConfigEncryption } from './config-encryption.ts';
import type { BoundStores } from '../stores.ts';

/** Purpose that the encrypted secrets of a left place are bound to. */
export const PLACE_SECRETS = 'place';

type Config = Record<string, unknown>;
type Stores = Pick<BoundStores, 'places'>;

/** The current destination of an export, without credentials. */
export function pinnedDestination(batchExport: BatchExport): PinnedDestination {
  const destination = anyDestination(batchExport.destinationType);
  const config = withoutCredentials(destination.config, {
    ...batchExport.destinationConfig,
    ...batchExport.integration?.config,
  });
  return {
    type: batchExport.destinationType,
    place: destination.place(config, batchExport),
    // The row's own text, because reservations are compared with it and earlier versions wrote another text.
    keySpace: batchExport.keySpace,
    config,
  };
}

/**
 * The whole configuration of a pinned destination, credentials included.
 * @param batchExport the current row of the export, which may be deleted
 * @throws DestinationRejected when the export has left the place and its credentials were forgotten, as no run needed them any more
 */
export async function decryptPinned(
  { stores, configs }: { stores: Stores; configs: ConfigEncryption },
  batchExport: BatchExport & { deleted: boolean },
  pinned: PinnedDestination,
): Promise<Config> {
  const { config: schema } = anyDestination(pinned.type);
  if (credentialFieldsOf(schema).length === 0) return pinned.config;
  const isPresent = pinnedDestination(batchExport).place === pinned.place;
  // A deleted integration is removed from deleted exports, so only the stored place has the credentials.
  const leftPlace =
    isPresent && !batchExport.deleted ? undefined : await stores.places.findLeftPlace(batchExport.id, pinned.place);
  if (!leftPlace && !isPresent) {
    throw new DestinationRejected(RUN_FAULTS.place_left.sentence, { fault: runFault('place_left') });
  }
  const config = leftPlace
    ? {
        ...(leftPlace.secrets !== null &&
          (JSON.parse(configs.decryptSecret(batchExport, PLACE_SECRETS, leftPlace.secrets)) as Config)),
        ...(leftPlace.integration && configs.decryptIntegration(leftPlace.integration)),
      }
    : configs.decrypt(batchExport);
  return withCredentials(schema, pinned.config, config);
}

/** Stores the place and its credentials for the export's runs, before the export moves or is deleted. Runs cannot use lost credentials. */
export async function leavePlace(
  { stores, configs }: { stores: Stores; configs: ConfigEncryption },
  batchExport: BatchExport,
): Promise<void> {
  const { config: schema } = anyDestination(batchExport.destinationType);
  const pinned = pinnedDestination(batchExport);
  const { config, areSecretsLost } = configs.decryptKnown(batchExport);
  if (areSecretsLost) return;
  const secrets =
    credentialFieldsOf(schema).length > 0
      ? configs.encryptSecret(batchExport, PLACE_SECRETS, JSON.stringify(withCredentials(schema, {}, config)))
      : null;
  await stores.places.storeLeftPlace(batchExport.id, { ...pinned, secrets, integration: batchExport.integration });
}
