/** Clocks of time zones. What a clock shows is kept as the milliseconds at which one in UTC shows the same. */
import { Temporal } from 'temporal-polyfill';

/** @param zone IANA name */
export function wallAt(instant: number, zone: string): number {
  if (zone === 'UTC') return instant;
  const { offsetNanoseconds } = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone);
  return instant + offsetNanoseconds / 1e6;
}

/**
 * A reading that occurs twice (autumn) is the earlier instant. One that the clocks skip (spring) counts with the offset before the
 * jump, as Python and Postgres count it: 02:30 is what the clocks show as 03:30.
 */
export function instantOfWall(wall: number, zone: string): number {
  if (zone === 'UTC') return wall;
  const reading = Temporal.Instant.fromEpochMilliseconds(wall).toZonedDateTimeISO('UTC').toPlainDateTime();
  return reading.toZonedDateTime(zone, { disambiguation: 'compatible' }).epochMilliseconds;
}
