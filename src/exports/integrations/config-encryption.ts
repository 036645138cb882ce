/** Stores a destination's configuration: secrets encrypted and bound to their row, the rest in plain text. */
import type { Destination } from '../destinations/contract.ts';
import { SecretLost } from '../../platform/errors.ts';
import type { KeyRing } from '../../platform/secrets/key-ring.ts';
import { mergeConfig, withoutSecrets } from '../../platform/secrets/write-only.ts';
import type { Integration } from './integrations.store.ts';

type Config = Record<string, unknown>;
type Row = {
  id: string;
  projectId: number;
  destinationConfig: Config;
  destinationSecrets: string | null;
  integration: Integration | null;
};

/** Binds a ciphertext to its row, so a copy in another export's row cannot be decrypted. */
// tooth: encrypted-row
const boundTo = ({ id, projectId }: Pick<Row, 'id' | 'projectId'>) => `batch_exports/${projectId}/${id}`;
// tooth: encrypted-integration
const integrationBoundTo = ({ id, projectId }: Pick<Integration, 'id' | 'projectId'>) =>
  `integrations/${projectId}/${id}`;

export function configEncryption(keyRing: KeyRing) {
  /** Encrypts the schema's secret fields, and leaves the others unchanged. */
  function split(schema: Destination['config'], config: Config, additionalData: string) {
    const plain = withoutSecrets(schema, config);
    const secrets = secretsOf(config, plain);
    return {
      plain,
      encrypted: Object.keys(secrets).length === 0 ? null : keyRing.encrypt(JSON.stringify(secrets), additionalData),
    };
  }

  function join(plain: Config, encrypted: string | null, additionalData: string): Config {
    if (encrypted === null) return { ...plain };
    return mergeConfig(plain, JSON.parse(keyRing.decrypt(encrypted, additionalData)) as Config);
  }

  function decryptIntegration(integration: Pick<Integration, 'id' | 'projectId' | 'config' | 'secrets'>): Config {
    try {
      return join(integration.config, integration.secrets, integrationBoundTo(integration));
    } catch (error) {
      if (!(error instanceof SecretLost)) throw error;
      const { id } = integration;
      throw new SecretLost(`The key that encrypted the secrets of integration ${id} is lost: give them to it again.`);
    }
  }

  return {
    /** Splits a whole configuration into the two columns of its row. */
    encrypt(row: Pick<Row, 'id' | 'projectId'>, { config: schema }: Pick<Destination, 'config'>, config: Config) {
      const { plain, encrypted } = split(schema, config, boundTo(row));
      return { destinationConfig: plain, destinationSecrets: encrypted };
    },

    /** The whole configuration, including its integration's fields. @throws Error when the key ring does not hold the key */
    decrypt(row: Row): Config {
      const ownConfig = join(row.destinationConfig, row.destinationSecrets, boundTo(row));
      return row.integration ? mergeConfig(ownConfig, decryptIntegration(row.integration)) : ownConfig;
    },

    /** Like `decrypt`, but if the key of the secrets is lost, returns the configuration without secrets. */
    decryptKnown(row: Row): { config: Config; areSecretsLost: boolean } {
      const plain = { ...row.destinationConfig, ...row.integration?.config };
      return decryptUnlessLost(plain, () => this.decrypt(row));
    },

    /** Splits an integration's configuration into the two columns of its row. */
    encryptIntegration(row: Pick<Integration, 'id' | 'projectId'>, schema: Destination['config'], config: Config) {
      const { plain, encrypted } = split(schema, config, integrationBoundTo(row));
      return { config: plain, secrets: encrypted };
    },

    decryptIntegration,

    /** Encrypts a secret for a column of its own, bound to its row and purpose. */
    encryptSecret(row: Pick<Row, 'id' | 'projectId'>, purpose: string, secret: string): string {
      return keyRing.encrypt(secret, `${boundTo(row)}/${purpose}`);
    },

    /** @throws Error when the key ring does not hold the key */
    decryptSecret(row: Pick<Row, 'id' | 'projectId'>, purpose: string, encrypted: string): string {
      return keyRing.decrypt(encrypted, `${boundTo(row)}/${purpose}`);
    },
  };
}

/** @returns `plain` if the secrets are lost */
export function decryptUnlessLost(plain: Config, decrypt: () => Config): { config: Config; areSecretsLost: boolean } {
  try {
    return { config: decrypt(), areSecretsLost: false };
  } catch (error) {
    if (!(error instanceof SecretLost)) throw error;
    return { config: plain, areSecretsLost: true };
  }
}

export type ConfigEncryption = ReturnType<typeof configEncryption>;

/** Returns the secrets of a configuration: all that its plain text lacks. */
function secretsOf(config: Config, plain: Config): Config {
  const secrets: Config = {};
  for (const [name, value] of Object.entries(config)) {
    if (!Object.hasOwn(plain, name)) secrets[name] = value;
    else if (isObject(value) && isObject(plain[name])) {
      const nested = secretsOf(value, plain[name]);
      if (Object.keys(nested).length > 0) secrets[name] = nested;
    }
  }
  return secrets;
}

function isObject(value: unknown): value is Config {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
