/** A place for the tests of a destination's promises. */
import type { DestinationEnvironment } from '../../../src/exports/destinations/environment.ts';
import type { Place } from './deliveries.ts';

/** The settings of an operator who allows the servers of tests, and has no export folder. */
export const LOOPBACK_ENVIRONMENT: DestinationEnvironment = { localRoot: undefined, allowedHosts: ['127.0.0.0/8'] };

/** A new, empty place at a real server, with a reader's view of it. */
export type TestPlace = Place & {
  /** Everything that is visible, name to content: equal records mean that not one byte or row differs. */
  snapshot(): Promise<Record<string, string>>;
  /** Uuids that a reader who follows the rules gets; undefined if nothing is delivered, or it is being replaced. */
  read(): Promise<string[] | undefined>;
  /** Number of unfinished, invisible artifacts: open uploads, stage tables. */
  leftovers(): Promise<number>;
  /** Damage that `verify` must find; with `deepOnly`, only a deep check can. */
  damages: { name: string; deepOnly?: boolean; inflict(): Promise<void> }[];
  /** Requests with rows that a receiver accepted, in order; absent if the destination can be read. */
  arrivals?(): readonly Arrival[];
  /** Whether deliveries can be searched for erased persons; absent: they can. */
  isSearchable?: boolean;
  stop(): Promise<void>;
};

/** A request's key, and the uuids of its rows. */
export type Arrival = { key: string; uuids: readonly string[] };
