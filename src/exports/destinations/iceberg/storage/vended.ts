/** Credentials for the files of a table, in the answers of a catalog. */

/** Properties of a storage, such as `s3.access-key-id`, by the names that Iceberg's own clients use. */
export type StorageConfig = Readonly<Record<string, string>>;

/** @returns the first of the properties that the catalog has given */
export const valueOf = (config: StorageConfig, names: readonly string[]): string | undefined =>
  names.map((name) => config[name]).find((value) => value !== undefined);

/** Properties of a table's storage, and those for files whose addresses begin with a prefix. */
export type VendedStorage = {
  config: StorageConfig;
  credentials: { prefix: string; config: StorageConfig }[];
};

/** @param answer the catalog's, to a request for a table or for its credentials */
export function vendedIn(answer: unknown): VendedStorage {
  const { config, 'storage-credentials': given } = (answer ?? {}) as Record<string, unknown>;
  const credentials = (Array.isArray(given) ? given : []) as ({ prefix?: unknown; config?: unknown } | null)[];
  return {
    config: textsIn(config),
    credentials: credentials.flatMap((one) =>
      typeof one?.prefix === 'string' ? { prefix: one.prefix, config: textsIn(one.config) } : [],
    ),
  };
}

function textsIn(value: unknown): Record<string, string> {
  const entries = Object.entries((value ?? {}) as object) as [string, unknown][];
  return Object.fromEntries(entries.flatMap(([name, one]) => (typeof one === 'string' ? [[name, one]] : [])));
}
