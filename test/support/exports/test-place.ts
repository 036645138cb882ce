/** A place for the tests of a destination's promises. */
import type { Place } from './deliveries.ts';

/** A fresh, empty place at a real counterpart, and the eyes of whoever reads there. */
export type TestPlace = Place & {
  /** Everything that is visible, name to content: equal records mean that not one byte or row differs. */
  snapshot(): Promise<Record<string, string>>;
  /** uuids as a reader takes them, who follows the rules; undefined when nothing is delivered or it is being replaced. */
  read(): Promise<string[] | undefined>;
  /** Unfinished things that nobody sees: open uploads, stage tables. */
  leftovers(): Promise<number>;
  /** Damage that `verify` must find; `deepOnly` only by reading everything. */
  damages: { name: string; deepOnly?: boolean; inflict(): Promise<void> }[];
  /** Requests with rows that a receiver has taken, in their order; absent where rows are not sent one way. */
  arrivals?(): readonly Arrival[];
  stop(): Promise<void>;
};

/** A request's key, and the uuids of its rows. */
export type Arrival = { key: string; uuids: readonly string[] };
