/** A person as ingest knows it. */
import type { StoredProperties } from './stored-properties.ts';

/** The person that an event is stored with; events that see the same properties share one object. */
export type EventPerson = { id: string; properties: StoredProperties };

/** A person between two events. */
export type PersonState = EventPerson & {
  isIdentified: boolean;
  /** Microseconds since 2000. */
  createdAt: bigint;
  /** Version of the stored state that has these properties; absent: it is not stored. */
  stateVersion?: string;
};

/** A person as one of its distinct ids had it. */
export type LoadedPerson = PersonState & {
  /** Changes whenever the distinct id gets another person, or its person changes. */
  stamp: string;
};
