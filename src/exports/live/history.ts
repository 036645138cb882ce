/**
 * The latest events, for callers who reconnect. An ID belongs to one listening period, in which this process has listened without a break.
 * IDs of other periods (of another process, or from before a lost connection) are unknown, because events after them may have been missed.
 */
import { randomBytes } from 'node:crypto';
import type { ExportChange } from './changes.ts';

/** `change` is null if so much changed that clients should read everything again. */
export type LiveEvent = { id: string; projectId: number; at: string; change: ExportChange | null };

export type History = {
  /** @returns the event, with its id */
  add(projectId: number, change: ExportChange | null): LiveEvent;
  /** Id of the last event; if there is none yet, the id that precedes the first one. */
  latestId(): string;
  /** @returns the project's events after the one with the id; undefined if they are not known */
  eventsSince(id: string, projectId: number): LiveEvent[] | undefined;
  /** Begins another listening period. */
  restart(): void;
};

const ID = /^([0-9a-z]{1,12}-[0-9a-f]{16})-(\d{1,15})$/;

/** @param max limit of kept events, for all projects together */
export function createHistory(max: number): History {
  let listeningPeriod = newListeningPeriod();
  let events: LiveEvent[] = [];
  let last = 0;

  return {
    add(projectId, change) {
      last += 1;
      const event = { id: `${listeningPeriod}-${last}`, projectId, at: new Date().toISOString(), change };
      events.push(event);
      // Events are dropped only once there are twice as many, so the cost of moving the others is spread.
      if (events.length >= 2 * max) events = events.slice(-max);
      return event;
    },

    latestId: () => `${listeningPeriod}-${last}`,

    eventsSince(id, projectId) {
      const [, idPeriod, text] = ID.exec(id) ?? [];
      const missed = last - Number(text);
      // tooth: live-epoch
      if (idPeriod !== listeningPeriod || missed < 0 || missed > Math.min(events.length, max)) return undefined;
      return events.slice(events.length - missed).filter((event) => event.projectId === projectId);
    },

    restart() {
      listeningPeriod = newListeningPeriod();
      events = [];
      last = 0;
    },
  };
}

/** Names a listening period: later ones are greater, and those of two processes that begin at once differ. */
function newListeningPeriod(): string {
  return `${Date.now().toString(36)}-${randomBytes(8).toString('hex')}`;
}
