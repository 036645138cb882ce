/**
 * The latest events, for callers who reconnect. An ID belongs to one epoch: the time for which this process has listened without a
 * break. Of another epoch nobody knows what came after it, so its ids are unknown: those of a process before this one, of another
 * process, and of the time before the connection was lost.
 */
import { randomBytes } from 'node:crypto';
import type { ExportChange } from './changes.ts';

/** `change` is null where so much changed that all should be read again. */
export type LiveEvent = { id: string; projectId: number; at: string; change: ExportChange | null };

export type History = {
  /** @returns the event, with its id */
  add(projectId: number, change: ExportChange | null): LiveEvent;
  /** Id of the last event; of none, the one that the first event comes after. */
  latestId(): string;
  /** @returns the events of a project that came after this one; undefined when they are not known */
  eventsSince(id: string, projectId: number): LiveEvent[] | undefined;
  /** Begins another epoch. */
  restart(): void;
};

const ID = /^([0-9a-z]{1,12}-[0-9a-f]{16})-(\d{1,15})$/;

/** @param most events that are kept, of all projects */
export function createHistory(most: number): History {
  let epoch = newEpoch();
  let events: LiveEvent[] = [];
  let last = 0;

  return {
    add(projectId, change) {
      last += 1;
      const event = { id: `${epoch}-${last}`, projectId, at: new Date().toISOString(), change };
      events.push(event);
      // By halves: to move what stays costs as much as what goes.
      if (events.length >= 2 * most) events = events.slice(-most);
      return event;
    },

    latestId: () => `${epoch}-${last}`,

    eventsSince(id, projectId) {
      const [, ofEpoch, text] = ID.exec(id) ?? [];
      const missed = last - Number(text);
      // tooth: live-epoch
      if (ofEpoch !== epoch || missed < 0 || missed > Math.min(events.length, most)) return undefined;
      return events.slice(events.length - missed).filter((event) => event.projectId === projectId);
    },

    restart() {
      epoch = newEpoch();
      events = [];
      last = 0;
    },
  };
}

/** Later ones are greater; two processes that begin at once differ. */
function newEpoch(): string {
  return `${Date.now().toString(36)}-${randomBytes(8).toString('hex')}`;
}
