/** The rows of a life, known without the product: what was stored when, and which interval each belongs to. */
import { randomUUID } from 'node:crypto';
import type { EventRows, NewEvent } from '../../src/events/ingest/event-rows.ts';
import { buildEvent, buildRows, microseconds } from '../support/events/events.ts';

/** Two exports that deliver to one place, one after the other, have different events. */
export const NAMES = ['first', 'second'] as const;
export type Name = (typeof NAMES)[number];

export type StoredRow = {
  uuid: string;
  name: Name;
  /** Places it in an interval: milliseconds. */
  at: number;
  historical: boolean;
  /** The place in the order of all that was stored and planned. */
  turn: number;
};

export class Rows {
  private all: StoredRow[] = [];
  private readonly plans = new Map<string, number>();
  private turn = 0;

  /** A directory that no export of this life has had. */
  directory(): string {
    return `place-${this.take()}`;
  }

  /** Now, in the order of things. */
  take(): number {
    return ++this.turn;
  }

  build(name: Name, at: number, historical: boolean): StoredRow {
    return { uuid: randomUUID(), name, at, historical, turn: this.take() };
  }

  stored(rows: readonly StoredRow[]): void {
    this.all.push(...rows);
  }

  /** The rows that are stored: for `goBack`. */
  present(): readonly StoredRow[] {
    return [...this.all];
  }

  /** Turns and plans stay: nothing has the turn of something that was forgotten. */
  goBack(to: readonly StoredRow[]): void {
    this.all = [...to];
  }

  planned(runId: string): void {
    if (!this.plans.has(runId)) this.plans.set(runId, this.take());
  }

  /** When a run was planned, in the order of things. @throws Error when it was not */
  planOf(runId: string): number {
    const turn = this.plans.get(runId);
    if (turn === undefined) throw new Error(`run ${runId} was never planned`);
    return turn;
  }

  /** Sorted uuids of what a run delivers that was planned then. */
  of(name: Name, { start, end }: { start: number; end: number }, turn: number): string[] {
    return this.all
      .filter((row) => row.name === name && row.at >= start && row.at < end && row.turn < turn)
      .map(({ uuid }) => uuid)
      .sort();
  }

  /** Whether history has joined an interval since. */
  joined({ start, end }: { start: number; end: number }, turn: number): boolean {
    return this.all.some((row) => row.historical && row.at >= start && row.at < end && row.turn > turn);
  }
}

export function eventsOf(rows: readonly StoredRow[]): NewEvent[] {
  return rows.map(({ uuid, name, at }) =>
    buildEvent({ uuid, event: name, timestamp: microseconds(new Date(at).toISOString()) }),
  );
}

export function eventRowsOf(rows: readonly StoredRow[], placed: { projectId: number; historical: boolean }): EventRows {
  return buildRows(eventsOf(rows), placed);
}
