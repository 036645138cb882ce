/** Time zones as clients name them. */
import { InvalidInput } from '../../errors.ts';

/**
 * Names only: Postgres reads offsets with the opposite sign.
 * @param attr the field or parameter that holds it
 * @throws InvalidInput when it is not the IANA name of one
 */
export function timezoneOf(name: string, attr: string): string {
  if (/^[a-z]/i.test(name) && isTimezone(name)) return name;
  throw new InvalidInput('This is not the name of a time zone.', attr);
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name }).format();
    return true;
  } catch {
    return false;
  }
}
