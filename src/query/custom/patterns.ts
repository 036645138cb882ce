/**
 * What a text must look like to be read as something else. A text that matches can be cast without an error; the same patterns
 * are read by Postgres and by JavaScript. `[0-9]`, not `\d`: in some locales Postgres finds other digits too.
 */

/** At most 200 characters and two digits of exponent: within the range of float8, however it is written. */
export const NUMBER = String.raw`^(?=.{1,200}$)[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,2})?$`;

export const UUID = '^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';

const LEAP_YEAR = '(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)';
const MONTH_AND_DAY =
  '(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))';
/** Years 1 to 9999, and only days that were. */
const DAY = `(?!0000)(?:[0-9]{4}-${MONTH_AND_DAY}|${LEAP_YEAR}-02-29)`;
const TIME = String.raw`(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?`;
const ZONE = '(?: ?(?:[Zz]|[+-](?:0[0-9]|1[0-4])(?::?[0-5][0-9])?))?';

/** ISO 8601: a day, or a day and a time, in UTC unless an offset is given. */
export const INSTANT = `^${DAY}(?:[T ]${TIME}${ZONE})?$`;

/** The day that an ISO date or timestamp begins with. */
export const DATE = `^(${DAY})(?:[T ]${TIME}${ZONE})?$`;
