/** Events to export: some hours empty, some small, some that make several files. */
import { randomUUID } from 'node:crypto';
import type { NewEvent } from '../../src/events/ingest/event-rows.ts';
import { buildEvent } from '../support/events/events.ts';
import type { Random } from '../support/random.ts';

const HOUR_MS = 3_600_000;
export const FIRST_HOUR = Date.parse('2015-05-17T10:00:00Z');
const POSTGRES_EPOCH_MS = 946_684_800_000;

/** @param hours from FIRST_HOUR on */
export function eventsOfHours(random: Random, hours: number): NewEvent[] {
  const events: NewEvent[] = [];
  for (let hour = 0; hour < hours; hour++) {
    const size = random.pick(['none', 'small', 'small', 'large'] as const);
    if (size === 'small') events.push(...eventsOfHour(random, hour, 5 + random.below(200), 300));
    if (size === 'large') events.push(...eventsOfHour(random, hour, 400 + random.below(200), 6_000));
  }
  return events;
}

/** @param propertyBytes how long the properties of one event are */
export function eventsOfHour(random: Random, hour: number, count: number, propertyBytes: number): NewEvent[] {
  return Array.from({ length: count }, () => {
    const micros = (FIRST_HOUR - POSTGRES_EPOCH_MS + hour * HOUR_MS) * 1000 + random.below(HOUR_MS * 1000);
    const filler = random
      .next()
      .toString(36)
      .repeat(Math.ceil(propertyBytes / 10))
      .slice(0, propertyBytes);
    return buildEvent({ uuid: randomUUID(), timestamp: BigInt(micros), properties: JSON.stringify({ filler }) });
  });
}
