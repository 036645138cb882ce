/** Geographic place of the person, if the request gives their address. */
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
 * The address is whatever the sender claims, because backends ask for their clients. It is used for nothing else.
 * @returns undefined without an address or if its place is unknown: stored properties count then
 */
export function placeOf(headers: IncomingHttpHeaders, locate: Locate | undefined): EvaluationRequest['geoProperties'] {
  // WSGI turns the second name into the first; clients were told to send that one literally.
  const claimed = headers['http_x_forwarded_for'] ?? headers['x-forwarded-for'];
  if (claimed === undefined || !locate) return undefined;
  const address = readAddress(String(claimed).split(',', 1)[0]!);
  const place = address === undefined ? undefined : locate(address);
  if (!place) return undefined;
  // All of these names, even undefined ones, so a stored city is never combined with another country.
  return Object.fromEntries(NAMES.map((name) => [name, place[name]]));
}
