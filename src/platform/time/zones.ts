/** Wall clocks of time zones. A reading is stored as the milliseconds at which a clock in UTC shows the same. */
import { Temporal } from 'temporal-polyfill';

/** @param zone IANA name */
export function wallAt(instant: number, zone: string): number {
  if (zone === 'UTC') return instant;
  const { offsetNanoseconds } = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone);
  return instant + offsetNanoseconds / 1e6;
}

/**
 * Returns the earlier instant for a reading that occurs twice (autumn). A skipped reading (spring) counts with the offset before the
 * jump, as in Python and Postgres: 02:30 is the instant that clocks show as 03:30.
 */
export function instantOfWall(wall: number, zone: string): number {
  if (zone === 'UTC') return wall;
  const reading = Temporal.Instant.fromEpochMilliseconds(wall).toZonedDateTimeISO('UTC').toPlainDateTime();
  return reading.toZonedDateTime(zone, { disambiguation: 'compatible' }).epochMilliseconds;
}
