/** What the requests under way may take of the process's memory, together and each sender's. */
import { Unavailable } from '../errors.ts';
import { LIMITS } from './limits.ts';
import { createSharedRoom } from './shared-room.ts';

/** The account of one request. */
export type Memory = {
  /** Counts bytes until the request is over. @throws Unavailable when there is no room for them */
  hold(bytes: number): void;
  /** The project is known: what is held is the project's from now on. @throws Unavailable when it holds too much already */
  belongTo(projectId: number): void;
  /** The request is over. */
  release(): void;
};

/**
 * Until a request's project is known, which the body says, its bytes are those of the address that it comes from.
 * @returns a function that opens the account of a request from this address
 */
export function createMemory(limit: number = LIMITS.heldBytes): (address: string) => Memory {
  const room = createSharedRoom<string | number>(limit);

  return (address) => {
    let holder: string | number = address;
    let held = 0;

    function hold(bytes: number): void {
      if (!room.take(holder, bytes)) throw new Unavailable('Too many bytes of events are under way.', 2);
      held += bytes;
    }
    function release(): void {
      room.give(holder, held);
      held = 0;
    }
    return {
      hold,
      belongTo(projectId) {
        const bytes = held;
        release();
        holder = projectId;
        hold(bytes);
      },
      release,
    };
  };
}
