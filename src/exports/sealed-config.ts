/** A destination's configuration at rest: what is secret sealed and bound to its row, the rest in the open. */
import type { Destination } from '../destinations/contract.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { mergeConfig, withoutSecrets } from '../secrets/write-only.ts';

type Config = Record<string, unknown>;
type Row = { id: string; projectId: number; destinationConfig: Config; destinationSecrets: string | null };

/** A ciphertext that is copied to another export's row does not open there. */
const boundTo = ({ id, projectId }: Pick<Row, 'id' | 'projectId'>) => `batch_exports/${projectId}/${id}`;

export function sealedConfigs(keyRing: KeyRing) {
  return {
    /** Splits a whole configuration into the two columns of its row. */
    seal(row: Pick<Row, 'id' | 'projectId'>, { config: schema }: Pick<Destination, 'config'>, config: Config) {
      const destinationConfig = withoutSecrets(schema, config);
      const secrets = secretsOf(config, destinationConfig);
      const destinationSecrets =
        Object.keys(secrets).length === 0 ? null : keyRing.seal(JSON.stringify(secrets), boundTo(row));
      return { destinationConfig, destinationSecrets };
    },

    /** The whole configuration. @throws Error when the key ring does not hold the key */
    open(row: Row): Config {
      if (row.destinationSecrets === null) return { ...row.destinationConfig };
      const secrets = JSON.parse(keyRing.open(row.destinationSecrets, boundTo(row))) as Config;
      return mergeConfig(row.destinationConfig, secrets);
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
