/** Temporary credentials for the files of a table, as catalogs vend them by Iceberg's REST specification. */
import { checkEndpoint } from '../../../../platform/net/endpoint.ts';
import { HostRefused, hostRules } from '../../../../platform/net/host-rules.ts';
import type { Catalog } from '../catalog.ts';
import { icebergFault } from '../faults.ts';
import { valueOf, type StorageConfig, type VendedStorage } from './vended.ts';

/** Credentials are renewed so long before they expire, or after half of their time if that is short. */
const EARLY_MS = 5 * 60_000;
/** Time of use of credentials that have expired by our clock, which may be wrong: the store decides. */
const MIN_USE_MS = 10_000;

export type GrantSource = {
  /** Credentials that are valid now. */
  current(): Promise<StorageConfig>;
  /** Gets others. Requests that are refused at once share them. */
  renew(): Promise<StorageConfig>;
};

/** @param expiryNames properties of which the first that is there has the time at which the credentials expire, in milliseconds since 1970 */
export function grantSource(catalog: Catalog, location: string, expiryNames: readonly string[]): GrantSource {
  let held: { config: StorageConfig; renewAt: number } | undefined;
  let asked: Promise<StorageConfig> | undefined;

  async function ask(renews: boolean): Promise<StorageConfig> {
    const config = configFor(location, await catalog.vendedStorage(renews));
    const left = Number(valueOf(config, expiryNames) ?? Infinity) - Date.now();
    // A time that is no number counts as none.
    const usable = left > 0 ? left - Math.min(EARLY_MS, left / 2) : MIN_USE_MS;
    const renewAt = Number.isFinite(left) ? Date.now() + usable : Infinity;
    held = { config, renewAt };
    return config;
  }
  async function askOnce(renews: boolean): Promise<StorageConfig> {
    asked ??= ask(renews).finally(() => (asked = undefined));
    return asked;
  }
  return {
    async current() {
      if (held && Date.now() < held.renewAt) return held.config;
      return askOnce(held !== undefined);
    },
    renew: async () => askOnce(true),
  };
}

/** The properties for an address: those of the credentials with the longest prefix of it replace those of the whole table. */
function configFor(location: string, { config, credentials }: VendedStorage): StorageConfig {
  const fitting = credentials.filter(({ prefix }) => location.startsWith(prefix));
  const [best] = fitting.toSorted((a, b) => b.prefix.length - a.prefix.length);
  return { ...config, ...best?.config };
}

/** Characters of headers and queries. */
const PRINTABLE = /^[\x21-\x7e]+$/;

/** @returns the first of the properties that is there @throws DestinationUnavailable if the catalog has given none */
export function neededValue(config: StorageConfig, ...names: string[]): string {
  const value = valueOf(config, names);
  if (value === undefined || !PRINTABLE.test(value)) throw icebergFault('credentials_not_vended');
  return value;
}

/** @returns the origin of an address that the catalog vends @throws DestinationUnavailable if a user could not have typed it either */
export async function checkVended(endpoint: string, allowedHosts: readonly string[]): Promise<string> {
  try {
    return await checkEndpoint(endpoint, hostRules(allowedHosts));
  } catch (cause) {
    if (!(cause instanceof HostRefused)) throw cause;
    throw icebergFault('vended_host_not_allowed', { cause });
  }
}
