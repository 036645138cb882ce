/** The destination that a plan pins, and how a run opens it again with the newest credentials. */
import { withSecrets, withoutSecrets } from '../../platform/secrets/write-only.ts';
import { anyDestination } from '../destinations/index.ts';
import { DestinationRejected } from '../../platform/errors.ts';
import { RUN_FAULTS, runFault } from '../faults/run-faults.ts';
import type { BatchExport } from '../batch-exports/batch-export.ts';
import type { PinnedDestination } from '../domain/plan.ts';
import type { ConfigEncryption } from './config-encryption.ts';
import type { Bound } from '../stores.ts';

/** The purpose to which the secrets of a place that was left are bound. */
const PURPOSE = 'place';

type Config = Record<string, unknown>;
type Stores = Pick<Bound, 'places'>;

/** The destination as the export has it now, without secrets. */
export function pinnedDestination(one: BatchExport): PinnedDestination {
  const destination = anyDestination(one.destinationType);
  const config = withoutSecrets(destination.config, { ...one.destinationConfig, ...one.integration?.config });
  return {
    type: one.destinationType,
    place: destination.place(config, one),
    // The row's own text, because reservations are compared with it and earlier versions wrote another text.
    keySpace: one.keySpace,
    config,
  };
}

/**
 * The whole configuration of a pinned destination.
 * @param one its export as it is now, perhaps deleted
 * @throws DestinationRejected when the credentials of a place that the export has left were forgotten: no run needs them any more
 */
export async function openPinned(
  { stores, configs }: { stores: Stores; configs: ConfigEncryption },
  one: BatchExport & { deleted: boolean },
  pinned: PinnedDestination,
): Promise<Config> {
  const { config: schema } = anyDestination(pinned.type);
  if (!hasSecrets(schema)) return pinned.config;
  const isPresent = pinnedDestination(one).place === pinned.place;
  // A deleted integration is removed from deleted exports, so only the stored place has the credentials.
  const kept = isPresent && !one.deleted ? undefined : await stores.places.findKept(one.id, pinned.place);
  if (!kept && !isPresent) {
    throw new DestinationRejected(RUN_FAULTS.place_left.sentence, { fault: runFault('place_left') });
  }
  const present = kept
    ? {
        ...(kept.secrets !== null && (JSON.parse(configs.decryptSecret(one, PURPOSE, kept.secrets)) as Config)),
        ...(kept.integration && configs.decryptIntegration(kept.integration)),
      }
    : configs.decrypt(one);
  return withSecrets(schema, pinned.config, present);
}

/** Stores the place and its credentials for the export's runs, before the export moves or is deleted. */
export async function leavePlace(
  { stores, configs }: { stores: Stores; configs: ConfigEncryption },
  one: BatchExport,
): Promise<void> {
  const { config: schema } = anyDestination(one.destinationType);
  const pinned = pinnedDestination(one);
  const secrets = hasSecrets(schema)
    ? configs.encryptSecret(one, PURPOSE, JSON.stringify(secretsOf(schema, one, configs)))
    : null;
  await stores.places.keep(one.id, { ...pinned, secrets, integration: one.integration });
}

function secretsOf(schema: { properties: unknown }, one: BatchExport, configs: ConfigEncryption): Config {
  return withSecrets(schema, {}, configs.decrypt(one));
}

function hasSecrets({ properties }: { properties: unknown }): boolean {
  return Object.values(properties as Record<string, { writeOnly?: boolean }>).some(({ writeOnly }) => writeOnly);
}
