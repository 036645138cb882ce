/** User operations on integrations, and completing a destination's configuration from one. */
import type { Destination } from '../destinations/contract.ts';
import type { DestinationEnvironment } from '../destinations/environment.ts';
import { destinations } from '../destinations/index.ts';
import { InvalidInput, NotFound } from '../../platform/errors.ts';
import type { Author } from '../../people/audit/audit-log.ts';
import { Type, type TSchema } from '../../platform/schema.ts';
import { SYSTEM_AUTHOR, recordIntegration } from '../batch-exports/audit.ts';
import { validateConfig } from './destination-config.ts';
import type { Integration } from './integrations.store.ts';
import { decryptUnlessLost, type ConfigEncryption } from './config-encryption.ts';
import type { ExportStores } from '../stores.ts';

type Config = Record<string, unknown>;
type Provider = Pick<Destination, 'config' | 'checkCredentials' | 'derive'>;
type Options = { stores: ExportStores; configs: ConfigEncryption; environment: DestinationEnvironment };

export function integrations({ stores, configs, environment }: Options) {
  /** The destination that takes integrations of this kind, with the schema of their configurations. */
  function providerOf(kind: string): Provider {
    const destination = destinations(environment).find(({ integration }) => integration?.kind === kind);
    if (!destination?.integration) throw new InvalidInput(`"${kind}" is not a valid choice.`, 'kind', 'invalid_choice');
    const properties = destination.config.properties as Record<string, TSchema>;
    const fields = destination.integration.fields.map((field) => [field, properties[field]!] as const);
    const config = Type.Object(Object.fromEntries(fields), { additionalProperties: false });
    const { checkCredentials, derive } = destination;
    return { config, ...(checkCredentials && { checkCredentials }), ...(derive && { derive }) };
  }

  return {
    list: stores.integrations.list,
    get: stores.integrations.get,

    /** Deletes an integration, and removes it from deleted batch exports. @throws Conflict while another batch export uses it; NotFound */
    async delete(projectId: number, id: number, author: Author = SYSTEM_AUTHOR): Promise<void> {
      await stores.inTransaction(async (tx) => {
        const integration = await tx.integrations.get(projectId, id);
        await tx.integrations.delete(projectId, id);
        await recordIntegration(tx, author, integration, 'deleted');
      });
    },

    /** @throws InvalidInput naming the field */
    async create(projectId: number, kind: string, input: Config, author: Author = SYSTEM_AUTHOR): Promise<Integration> {
      const provider = providerOf(kind);
      const config = checkConfig(provider, input);
      return stores.inTransaction(async (tx) => {
        const encrypt = (id: number) => configs.encryptIntegration({ id, projectId }, provider.config, config);
        const created = await tx.integrations.insert(projectId, kind, encrypt);
        await recordIntegration(tx, author, created, 'created');
        return created;
      });
    },

    /**
     * Changes secrets; exports that use the integration use them from their next connection on. Other fields cannot change,
     * because another server needs another integration.
     * @throws InvalidInput for a field that is not a secret; NotFound
     */
    async changeSecrets(
      projectId: number,
      id: number,
      changes: Config,
      author: Author = SYSTEM_AUTHOR,
    ): Promise<Integration> {
      const secretsOf = (current: Integration) => {
        const provider = providerOf(current.kind);
        const properties = provider.config.properties as Record<string, TSchema & { writeOnly?: boolean }>;
        const unchangeable = Object.keys(changes).find((field) => properties[field] && !properties[field].writeOnly);
        if (unchangeable !== undefined) {
          throw new InvalidInput(
            `'${unchangeable}' cannot be changed: make another integration.`,
            `config__${unchangeable}`,
          );
        }
        const config = checkConfig(provider, {
          ...decryptUnlessLost(current.config, () => configs.decryptIntegration(current)).config,
          ...changes,
        });
        const encrypted = configs.encryptIntegration(current, provider.config, config);
        const moved = Object.keys(current.config).find((field) => encrypted.config[field] !== current.config[field]);
        if (moved !== undefined) {
          throw new InvalidInput(`This changes '${moved}', which is fixed: make another integration.`, 'config');
        }
        return encrypted.secrets;
      };
      return stores.inTransaction(async (tx) => {
        // Health comes before the integration, as in a change of an export: in different orders the two transactions could deadlock.
        await tx.health.endKeepingFiles(id);
        const changed = await tx.integrations.changeSecrets(projectId, id, secretsOf);
        await recordIntegration(tx, author, changed, 'updated', Object.keys(changes));
        return changed;
      });
    },
  };
}

export type Integrations = ReturnType<typeof integrations>;

function checkConfig(provider: Provider, config: Config): Config {
  try {
    return validateConfig(provider, config);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new InvalidInput(
      error.message,
      error.attr?.replace(/^destination(__config)?/, 'config') ?? 'config',
      error.code,
    );
  }
}

/**
 * Finds and checks the integration that a destination is to use.
 * @param id null if it is to use none
 * @param ownConfig the destination's own configuration
 * @throws InvalidInput, with upstream's messages, when the integration is another project's or of another kind, or both set the same field
 */
export async function chooseIntegration(
  stores: Pick<ExportStores, 'integrations'>,
  projectId: number,
  { type, title, integration: takes }: Destination,
  id: number | null,
  ownConfig: Config,
): Promise<Integration | null> {
  if (id === null) return null;
  if (!takes) throw new InvalidInput(`${type} batch exports take no integration.`, 'destination__integration');
  const integration = await stores.integrations.get(projectId, id).catch((error: unknown) => {
    if (!(error instanceof NotFound)) throw error;
    throw new InvalidInput(`Invalid pk "${id}" - object does not exist.`, 'destination__integration', 'does_not_exist');
  });
  if (integration.kind !== takes.kind) {
    throw new InvalidInput(
      `Integration provided is not a ${title} integration (got kind='${integration.kind}')`,
      'destination__integration',
    );
  }
  const duplicateField = takes.fields.find((field) => ownConfig[field] !== undefined);
  if (duplicateField !== undefined) {
    throw new InvalidInput(
      `'${duplicateField}' is the integration's: leave it out.`,
      `destination__config__${duplicateField}`,
    );
  }
  return integration;
}
