/** Reads the events of a request separately, so one that cannot be stored does not affect the others. */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { NewEvent } from '../../ingest/event-rows.ts';
import type { Envelope } from '../envelope.ts';
import { readEvent, type Reception } from './read-event.ts';
import type { Rejected } from '../respond.ts';

export type ReadEvents = {
  events: NewEvent[];
  /** Position of each event in the request. */
  indexes: number[];
  rejected: Rejected[];
};

export type EventsReception = Reception & Pick<Envelope, 'faults'>;

/** Longest time for which the events of one request keep other requests waiting. */
const LONGEST_TURN_MS = 20;

/** Reads events one after another, and lets other requests run between the events of a large request. */
export async function readEvents(rawEvents: readonly unknown[], reception: EventsReception): Promise<ReadEvents> {
  const result: ReadEvents = { events: [], indexes: [], rejected: [] };
  let turnStartedAt = performance.now();
  for (const [index, raw] of rawEvents.entries()) {
    if (index > 0 && performance.now() - turnStartedAt > LONGEST_TURN_MS) {
      await yieldToOthers();
      turnStartedAt = performance.now();
    }
    try {
      const fault = reception.faults?.get(raw);
      // tooth: v1-options
      if (fault) throw fault;
      result.events.push(readEvent(raw, reception));
      result.indexes.push(index);
    } catch (error) {
      result.rejected.push({ index, error });
    }
  }
  return result;
}
