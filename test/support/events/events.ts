/** Events for tests, and their encoding as rows. */
import { randomUUID } from 'node:crypto';
import { encodeEvents, type EventRows, type NewEvent } from '../../../src/events/ingest/event-rows.ts';
import { NO_EFFECTS } from '../../../src/events/persons/effects.ts';

const POSTGRES_EPOCH_MS = 946_684_800_000;

/** @param instant a date string of at most millisecond precision; or microseconds since 2000 */
export function microseconds(instant: string | bigint): bigint {
  return typeof instant === 'bigint' ? instant : BigInt(Date.parse(instant) - POSTGRES_EPOCH_MS) * 1000n;
}

/** An event that happens now, except for the given fields. */
export function buildEvent(overrides: Partial<NewEvent> = {}): NewEvent {
  return {
    uuid: randomUUID(),
    event: 'pageview',
    distinctId: 'someone',
    properties: '{"path":"/"}',
    elementsChain: '',
    timestamp: microseconds(new Date().toISOString()),
    person: NO_EFFECTS,
    ...overrides,
  };
}

/** One request's events, encoded as rows; by default live events of project 1. */
export function buildRows(
  events: readonly NewEvent[],
  { projectId = 1, historical = false }: { projectId?: number; historical?: boolean } = {},
): EventRows {
  return encodeEvents(events, { projectId, historical, createdAt: microseconds(new Date().toISOString()) });
}
