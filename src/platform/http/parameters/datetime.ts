/** Instants as clients write them. */
import { InvalidInput } from '../../errors.ts';
import { fromMilliseconds, parseIso, toIsoMicros } from '../../time/iso.ts';

/** An instant as Postgres keeps it, and whether the client said in which zone it is. */
export type GivenDatetime = { instant: string; zoned: boolean };

/** A zone after a time. */
const ZONE = /:\d\d(?:[.,]\d+)? ?(?:z|[+-]\d\d(?::?\d\d)?)$/i;

/**
 * Reads `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM[:SS[.ffffff]][Z|±HH:MM]`; without a zone in UTC. Digits below microseconds are cut off.
 * @returns ISO, UTC, six decimals, Z; undefined for any other text, and for one that names no instant (the 30th of February)
 */
export function parseDatetime(text: string): GivenDatetime | undefined {
  const instant = parseIso(text);
  if (instant === undefined || instant < MIN_INSTANT || instant > MAX_INSTANT) return undefined;
  return { instant: toIsoMicros(instant), zoned: ZONE.test(text) };
}

/** @throws InvalidInput naming the field */
export function readDatetime(text: string, attr: string): string {
  const parsed = parseDatetime(text);
  if (parsed) return parsed.instant;
  const hint = LOST_PLUS.test(text) ? ' In a query, the + of an offset is written as %2B.' : '';
  throw new InvalidInput(WRONG_DATETIME + hint, attr);
}

/** Error message for a text that is not an instant. */
export const WRONG_DATETIME =
  'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DD, YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].';

/** A query's plus sign arrives as a space. */
const LOST_PLUS = /:\d{2}(?:\.\d+)? \d{2}(?::?\d{2})?$/;

/** Instants that both Postgres and Temporal can hold, with room for arithmetic. */
const MIN_INSTANT = fromMilliseconds(Date.parse('0002-01-01T00:00:00Z'));
const MAX_INSTANT = fromMilliseconds(Date.parse('9998-12-31T23:59:59.999Z'));
