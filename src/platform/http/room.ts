/**
 * Rooms of the API. Each room with routes has a `room.ts`: the list of its routes, and a function that creates a `Room` from its
 * dependencies. The API (`src/app/api.ts`) is the list of the rooms; tests create the same ones.
 */
import type { Lane } from '../lane/request.ts';
import type { RawHandler } from './raw-answers.ts';

export type Room<Collaborators> = {
  /** Collaborators of the handlers of its routes. */
  collaborators: Collaborators;
  /** Raw handler that a server may call on the connection. */
  lane?: Lane;
  /** Handlers in front of all routes. */
  rawHandlers?: readonly RawHandler[];
  /** Ends streams and waits that would never end, because the process is about to stop. */
  drain?(): void;
  /** Stores accepted data. Called when no request is under way; connections stay open until it resolves. */
  close?(): Promise<void>;
};
