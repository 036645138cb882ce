/**
 * Rooms of the API. Each room with routes has a `room.ts`: the list of its routes, and a function that creates a `Room` from its
 * dependencies. The API (`src/app/api.ts`) is the list of the rooms; tests create the same ones.
 */
import type { Lane } from '../lane/request.ts';
import type { RawHandler } from './raw-answers.ts';

export type Room<Collaborators> = {
  /** Collaborators of the handlers of its routes. */
  collaborators: Collaborators;
  /** Raw handler that a server may ask on the connection. */
  lane?: Lane;
  /** Handlers in front of all routes. */
  rawHandlers?: readonly RawHandler[];
  /** The process is about to stop: ends what would never end by itself. */
  drain?(): void;
  /** Stores what was accepted. Called when no request is under way; connections are open until it resolves. */
  close?(): Promise<void>;
};
