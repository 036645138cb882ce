/** Location properties for decisions, from the address that a request names. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Locate } from '../../platform/wire/geoip.ts';
import { readAddress } from '../../platform/wire/client-address.ts';
import type { EvaluationRequest } from '../evaluation/decision.ts';

/** Names of the properties that decisions use. */
const NAMES = [
  '$geoip_city_name',
  '$geoip_country_name',
  '$geoip_country_code',
  '$geoip_continent_name',
  '$geoip_continent_code',
  '$geoip_postal_code',
  '$geoip_time_zone',
] as const;

/**
 * Trusts the address that the request claims, because backends ask on behalf of their clients; it is used for nothing else.
 * @returns undefined without an address or if its location is unknown; then the stored properties apply
 */
export function geoPropertiesOf(
  headers: IncomingHttpHeaders,
  locate: Locate | undefined,
): EvaluationRequest['geoProperties'] {
  // The first name is WSGI's form of the second, and clients were told to send it literally.
  const claimedAddress = headers['http_x_forwarded_for'] ?? headers['x-forwarded-for'];
  if (claimedAddress === undefined || !locate) return undefined;
  const address = readAddress(String(claimedAddress).split(',', 1)[0]!);
  const location = address === undefined ? undefined : locate(address);
  if (!location) return undefined;
  // Includes undefined properties, so a stored city is never combined with a country from this address.
  return Object.fromEntries(NAMES.map((name) => [name, location[name]]));
}
