/** A destination's configuration at rest: what is secret sealed and bound to its row, the rest in the open. */
import type { Destination } from '../destinations/contract.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { mergeConfig, withoutSecrets } from '../secrets/write-only.ts';
import type { Integration } from './integrations.store.ts';

type Config = Record<string, unknown>;
type Row = {
  id: string;
  projectId: number;
  destinationConfig: Config;
  destinationSecrets: string | null;
  integration: Integration | null;
};

/** A ciphertext that is copied to another export's row does not open there. */
// tooth: sealed-row
const boundTo = ({ id, projectId }: Pick<Row, 'id' | 'projectId'>) => `batch_exports/${projectId}/${id}`;
// tooth: sealed-integration
const integrationBoundTo = ({ id, projectId }: Pick<Integration, 'id' | 'projectId'>) =>
  `integrations/${projectId}/${id}`;

export function sealedConfigs(keyRing: KeyRing) {
  /** What a schema calls secret sealed, the rest as it is. */
  function split(schema: Destination['config'], config: Config, additionalData: string) {
    const open = withoutSecrets(schema, config);
    const secrets = secretsOf(config, open);
    return {
      open,
      sealed: Object.keys(secrets).length === 0 ? null : keyRing.seal(JSON.stringify(secrets), additionalData),
    };
  }

  function join(open: Config, sealed: string | null, additionalData: string): Config {
    if (sealed === null) return { ...open };
    return mergeConfig(open, JSON.parse(keyRing.open(sealed, additionalData)) as Config);
  }

  const openIntegration = (integration: Integration): Config =>
    join(integration.config, integration.secrets, integrationBoundTo(integration));

  return {
    /** Splits a whole configuration into the two columns of its row. */
    seal(row: Pick<Row, 'id' | 'projectId'>, { config: schema }: Pick<Destination, 'config'>, config: Config) {
      const { open, sealed } = split(schema, config, boundTo(row));
      return { destinationConfig: open, destinationSecrets: sealed };
    },

    /** The whole configuration, that of its integration included. @throws Error when the key ring does not hold the key */
    open(row: Row): Config {
      const own = join(row.destinationConfig, row.destinationSecrets, boundTo(row));
      return row.integration ? mergeConfig(own, openIntegration(row.integration)) : own;
    },

    /** Splits an integration's configuration into the two columns of its row. */
    sealIntegration(row: Pick<Integration, 'id' | 'projectId'>, schema: Destination['config'], config: Config) {
      const { open, sealed } = split(schema, config, integrationBoundTo(row));
      return { config: open, secrets: sealed };
    },

    openIntegration,

    /** A secret in a column of its own, bound to its row and to what it is for. */
    sealSecret(row: Pick<Row, 'id' | 'projectId'>, purpose: string, secret: string): string {
      return keyRing.seal(secret, `${boundTo(row)}/${purpose}`);
    },

    /** @throws Error when the key ring does not hold the key */
    openSecret(row: Pick<Row, 'id' | 'projectId'>, purpose: string, sealed: string): string {
      return keyRing.open(sealed, `${boundTo(row)}/${purpose}`);
    },
  };
}

export type SealedConfigs = ReturnType<typeof sealedConfigs>;

function secretsOf(whole: Config, open: Config): Config {
  const secrets: Config = {};
  for (const [name, value] of Object.entries(whole)) {
    if (!Object.hasOwn(open, name)) secrets[name] = value;
    else if (isObject(value) && isObject(open[name])) {
      const nested = secretsOf(value, open[name]);
      if (Object.keys(nested).length > 0) secrets[name] = nested;
    }
  }
  return secrets;
}

function isObject(value: unknown): value is Config {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
