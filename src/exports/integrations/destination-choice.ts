/** Determines an export's destination: merges the request's fields into the stored ones, and checks the result as a whole. */
import type { Destination } from '../destinations/contract.ts';
import type { DestinationEnvironment } from '../destinations/environment.ts';
import { destinationOf } from '../destinations/index.ts';
import { InvalidInput } from '../../platform/errors.ts';
import { credentialFieldsOf, mergeConfig, secretFieldsOf } from '../../platform/secrets/write-only.ts';
import type { BatchExport } from '../batch-exports/batch-export.ts';
import { validateConfig } from './destination-config.ts';
import { chooseIntegration } from './integrations.ts';
import type { Integration } from './integrations.store.ts';
import type { ConfigEncryption } from './config-encryption.ts';
import type { ExportStores } from '../stores.ts';

type Config = Record<string, unknown>;

/** A destination in a request. `integration` is an id; null removes the integration, absent keeps it. */
export type WantedDestination = { type: string; config: Config; integration?: number | null | undefined };

export type ChosenDestination = {
  destination: Destination;
  /** Complete configuration, with defaults and the integration's fields. */
  config: Config;
  /** The fields of the configuration that the export's own row keeps. */
  ownFields: Config;
  integration: Integration | null;
};

type Options = {
  stores: Pick<ExportStores, 'integrations'>;
  configs: ConfigEncryption;
  environment: DestinationEnvironment;
};

export function destinationChoice({ stores, configs, environment }: Options) {
  return {
    /**
     * @param current the export whose destination is changed, if there is one; fields that the request omits stay
     * @throws InvalidInput naming the field
     */
    async choose(projectId: number, input: WantedDestination, current?: BatchExport): Promise<ChosenDestination> {
      if (current) checkTypeStays(current.destinationType, input.type);
      const destination = destinationOfType(input.type, environment);
      const stored = current && configs.decryptKnown({ ...current, integration: null });
      const id = input.integration === undefined ? (current?.integration?.id ?? null) : input.integration;
      const integration = await chooseIntegration(stores, projectId, destination, id, input.config);
      const integrationFields = integration ? configs.decryptIntegration(integration) : {};
      if (stored?.areSecretsLost) requireLostSecrets(destination, { ...input.config, ...integrationFields });
      const config = validateConfig(
        destination,
        mergeConfig(mergeConfig(keptFields(destination, stored?.config, integration), input.config), integrationFields),
      );
      await destination.validate(config, environment).catch(rethrowWithConfigPath);
      if (current)
        requireSecretsForNewServer(destination, configs.decryptKnown(current).config, config, {
          ...input.config,
          ...integrationFields,
        });
      return { destination, config, ownFields: integration ? withoutFields(destination, config) : config, integration };
    },

    /** The columns of an export's row. */
    columnsOf(
      row: { id: string; projectId: number; model: string },
      { destination, config, ownFields, integration }: ChosenDestination,
    ) {
      return {
        destinationType: destination.type,
        ...configs.encrypt(row, destination, ownFields),
        keySpace: destination.keySpace(config, { ...row, exportId: row.id }),
        integration,
      };
    },
  };
}

function checkTypeStays(currentType: string, newType: string): void {
  if (newType === currentType) return;
  throw new InvalidInput(
    `Cannot change destination type from '${currentType}' to '${newType}'. ` +
      'Delete this batch export and create a new one with the new destination type.',
    'destination__type',
  );
}

/** Stored fields that stay: an integration replaces all that it could supply, because a role does not go with keys, for example. */
function keptFields(destination: Destination, stored: Config = {}, integration: Integration | null): Config {
  return integration ? withoutFields(destination, stored) : stored;
}

function withoutFields({ integration }: Destination, config: Config): Config {
  return Object.fromEntries(Object.entries(config).filter(([name]) => !integration?.fields.includes(name)));
}

function destinationOfType(type: string, environment: DestinationEnvironment): Destination {
  try {
    return destinationOf(type, environment);
  } catch (error) {
    if (error instanceof InvalidInput) throw new InvalidInput(error.message, 'destination__type', error.code);
    throw error;
  }
}

function rethrowWithConfigPath(error: unknown): never {
  if (!(error instanceof InvalidInput)) throw error;
  throw new InvalidInput(
    error.message,
    error.attr === null ? 'destination' : `destination__config__${error.attr}`,
    error.code,
  );
}

/** Requires a value or null for every secret field, because any of them may have had a value that is lost. */
function requireLostSecrets({ config: schema }: Destination, given: Config): void {
  const lostSecret = secretFieldsOf(schema).find((field) => given[field] === undefined);
  if (lostSecret !== undefined)
    throw secretNeeded('The key that encrypted the stored secrets is lost', schema, lostSecret);
}

/**
 * Requires secrets again with a new server, because a user who may change the export could otherwise send its secrets to their own server.
 * @param changes the request's own fields, or those of the integration that it names
 */
function requireSecretsForNewServer(
  { config: schema, secretsGoTo }: Destination,
  before: Config,
  after: Config,
  changes: Config,
): void {
  const movedField = secretsGoTo.find(
    (field) => JSON.stringify(before[field] ?? null) !== JSON.stringify(after[field] ?? null),
  );
  if (movedField === undefined) return;
  const keptSecret = credentialFieldsOf(schema).find(
    (field) => (after[field] ?? null) !== null && changes[field] === undefined,
  );
  if (keptSecret !== undefined)
    throw secretNeeded(`A change of '${movedField}' sends the credentials to another server`, schema, keptSecret);
}

type Property = { anyOf?: { type?: string }[] };

function secretNeeded(reason: string, { properties }: Destination['config'], field: string): InvalidInput {
  const { anyOf = [] } = (properties as Record<string, Property>)[field]!;
  const orNull = anyOf.some(({ type }) => type === 'null') ? ', or null to drop it' : '';
  return new InvalidInput(`${reason}: give '${field}' again${orNull}.`, `destination__config__${field}`, 'required');
}
