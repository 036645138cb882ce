/** Postgres's binary timestamptz and date as text. */

const MICROSECONDS_PER_DAY = 86_400_000_000;
/** Days from 0000-03-01 to Postgres's epoch, 2000-01-01. Counting from March puts the leap day at the end of a year. */
const DAYS_TO_EPOCH = 730_425;
const DAYS_PER_ERA = 146_097;
const ZERO = 48;

const INFINITE_DAY = 0x7fff_ffff;

/** Length of the longest text of an instant, quotes included. */
export const INSTANT_BYTES = 32;

/**
 * Writes instants in ISO 8601, quoted as JSON strings or plain: UTC, six decimals, Z. Years before 0 and after 9999 take ECMA-262's expanded
 * form (`-000043-03-15T…`; year 0 is 1 BC); the infinities are `infinity` and `-infinity`, as in Postgres's own JSON.
 */
export class InstantWriter {
  #day = Number.NaN;
  /** `"2015-05-17T` or `2015-05-17T` of the last day written, because most neighbouring rows share it. */
  #prefix = Buffer.alloc(0);
  readonly #quote: '"' | '';

  constructor(quote: '"' | '') {
    this.#quote = quote;
  }

  /**
   * @param source holds, from `start`, microseconds since 2000-01-01 as a big-endian 64-bit integer
   * @param target must have INSTANT_BYTES of space at `offset`
   * @returns the position after the text
   */
  write(source: Buffer, start: number, target: Buffer, offset: number): number {
    const high = source.readInt32BE(start);
    const low = source.readUInt32BE(start + 4);
    // More than about 142 years before or after 2000, the microseconds do not fit a double.
    if (high < -0x100000 || high >= 0x100000) return this.#writeFar(source.readBigInt64BE(start), target, offset);
    const microseconds = high * 4_294_967_296 + low;
    const day = Math.floor(microseconds / MICROSECONDS_PER_DAY);
    return this.#write(day, microseconds - day * MICROSECONDS_PER_DAY, target, offset);
  }

  #writeFar(microseconds: bigint, target: Buffer, offset: number): number {
    if (microseconds === 0x7fff_ffff_ffff_ffffn)
      return offset + target.write(`${this.#quote}infinity${this.#quote}`, offset, 'latin1');
    if (microseconds === -0x8000_0000_0000_0000n)
      return offset + target.write(`${this.#quote}-infinity${this.#quote}`, offset, 'latin1');
    const perDay = BigInt(MICROSECONDS_PER_DAY);
    const ofDay = ((microseconds % perDay) + perDay) % perDay;
    return this.#write(Number((microseconds - ofDay) / perDay), Number(ofDay), target, offset);
  }

  #write(day: number, microsecondsOfDay: number, target: Buffer, start: number): number {
    if (day !== this.#day) {
      this.#day = day;
      this.#prefix = Buffer.from(`${this.#quote}${gregorianDate(day)}T`, 'latin1');
    }
    let position = start;
    for (let i = 0; i < this.#prefix.length; i++) target[position++] = this.#prefix[i]!;
    const seconds = Math.floor(microsecondsOfDay / 1_000_000);
    const fraction = microsecondsOfDay - seconds * 1_000_000;
    const minutes = (seconds / 60) | 0;
    const hours = (minutes / 60) | 0;
    position = twoDigits(hours, target, position);
    target[position++] = 58; // :
    position = twoDigits(minutes - hours * 60, target, position);
    target[position++] = 58;
    position = twoDigits(seconds - minutes * 60, target, position);
    target[position++] = 46; // .
    const hundreds = (fraction / 100) | 0;
    position = twoDigits((hundreds / 100) | 0, target, position);
    position = twoDigits(hundreds % 100, target, position);
    position = twoDigits(fraction % 100, target, position);
    target[position++] = 90; // Z
    if (this.#quote !== '') target[position++] = 34;
    return position;
  }
}

function twoDigits(value: number, target: Buffer, offset: number): number {
  const tens = (value / 10) | 0;
  target[offset] = ZERO + tens;
  target[offset + 1] = ZERO + value - tens * 10;
  return offset + 2;
}

/** @param day counted from 2000-01-01, as Postgres's binary date is. @returns as in `InstantWriter`: `2015-05-17`, `infinity` */
export function dateText(day: number): string {
  if (day === INFINITE_DAY) return 'infinity';
  return day === -INFINITE_DAY - 1 ? '-infinity' : gregorianDate(day);
}

/**
 * The Gregorian date of a day counted from 2000-01-01: `civil_from_days` of https://howardhinnant.github.io/date_algorithms.html.
 * Date is not used, because its range ends 18,000 years before Postgres's.
 */
function gregorianDate(day: number): string {
  const shifted = day + DAYS_TO_EPOCH;
  const era = Math.floor(shifted / DAYS_PER_ERA);
  const dayOfEra = shifted - era * DAYS_PER_ERA;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / (DAYS_PER_ERA - 1))) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const dayOfMonth = dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1;
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return `${yearText(year)}-${String(month).padStart(2, '0')}-${String(dayOfMonth).padStart(2, '0')}`;
}

function yearText(year: number): string {
  if (year >= 0 && year <= 9999) return String(year).padStart(4, '0');
  return `${year < 0 ? '-' : '+'}${String(Math.abs(year)).padStart(6, '0')}`;
}
