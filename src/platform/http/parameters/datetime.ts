/** Instants as clients write them. */
import { InvalidInput } from '../../errors.ts';

const DATETIME =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/** An instant as Postgres keeps it, and whether the client said in which zone it is. */
export type GivenDatetime = { instant: string; zoned: boolean };

/**
 * Reads `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM[:SS[.ffffff]][Z|±HH:MM]`; without a zone it is UTC. Digits below microseconds are cut off.
 * @returns ISO, UTC, six decimals, Z; undefined when it is not such a text or names no instant (the 30th of February)
 */
export function parseDatetime(text: string): GivenDatetime | undefined {
  const [, date, minutes = '00:00', seconds = '00', fraction = '', zone] = DATETIME.exec(text) ?? [];
  if (date === undefined || !isDate(date)) return undefined;
  const offset = zone === undefined || /^z$/i.test(zone) ? 'Z' : normalOffset(zone);
  const at = Date.parse(`${date}T${minutes}:${seconds}${offset}`);
  if (Number.isNaN(at) || at < FIRST || at > LAST) return undefined;
  const micros = fraction.slice(0, 6).padEnd(6, '0');
  return { instant: new Date(at).toISOString().replace(/\.\d{3}Z$/, `.${micros}Z`), zoned: zone !== undefined };
}

/** @throws InvalidInput naming the field */
export function datetimeOf(text: string, attr: string): string {
  const given = parseDatetime(text);
  if (given) return given.instant;
  const hint = LOST_PLUS.test(text) ? ' In a query, the + of an offset is written as %2B.' : '';
  throw new InvalidInput(WRONG_DATETIME + hint, attr);
}

/** Refusal of a text that is no instant. */
export const WRONG_DATETIME =
  'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DD, YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].';

/** A query's plus sign arrives as a space. */
const LOST_PLUS = /:\d{2}(?:\.\d+)? \d{2}(?::?\d{2})?$/;

/** Instants that both Postgres and Temporal can hold, with room for arithmetic. */
const FIRST = Date.parse('0002-01-01T00:00:00Z');
const LAST = Date.parse('9998-12-31T23:59:59Z');

/** Date.parse takes the 31st of a shorter month for the 1st of the next. */
function isDate(date: string): boolean {
  const at = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(date);
}

function normalOffset(zone: string): string {
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  return `${zone[0]}${digits.slice(0, 2)}:${digits.slice(2)}`;
}
