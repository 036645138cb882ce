/** Time zones as clients name them. */
import { InvalidInput } from '../../errors.ts';
import { findTimeZoneName } from '../../time/time-zones.ts';

/**
 * Accepts names only, because Postgres reads offsets with the opposite sign.
 * @param attr the field or parameter that holds it
 * @throws InvalidInput when it is not the IANA name of a time zone
 */
export function readTimezone(name: string, attr: string): string {
  const zone = findTimeZoneName(name);
  if (zone === undefined) throw new InvalidInput('This is not the name of a time zone.', attr);
  return zone;
}
