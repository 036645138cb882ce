/** What the bodies of requests under way may take of the process's memory, together and each sender's. */
import type { IncomingMessage } from 'node:http';
import { Unavailable } from '../errors.ts';
import { createSharedRoom } from './shared-room.ts';

/** Smaller bodies are parsed in less than a millisecond. */
export const LARGE_BYTES = 32 * 1024;

/** The account of one request. */
export type Memory = {
  /** Counts bytes until the request is over. @throws Unavailable when there is no room for them */
  hold(bytes: number): void;
  /** What is held is of the project with this key from now on. @throws Unavailable when that holds too much already */
  belongTo(token: string): void;
  /** The request is over. */
  release(): void;
};

/** @param limit bytes @returns a function that opens the account of a request */
export function createMemory(limit: number): (request: IncomingMessage) => Memory {
  const room = createSharedRoom<string>(limit);

  return (request) => {
    let holder = holderOf(request);
    let held = 0;

    function hold(bytes: number): void {
      if (!room.take(holder, bytes)) throw new Unavailable('Too many bytes are under way.', 2);
      held += bytes;
    }
    function release(): void {
      room.give(holder, held);
      held = 0;
    }
    return {
      hold,
      belongTo(token) {
        const bytes = held;
        release();
        holder = token;
        hold(bytes);
      },
      release,
    };
  };
}

/**
 * Until its body says which project it is for, a request is one of the address that it comes from. That may be a proxy's: the
 * large bodies of one project must not keep the small ones of all others out.
 */
function holderOf({ headers, socket }: IncomingMessage): string {
  const isSmall = Number(headers['content-length'] ?? Infinity) <= LARGE_BYTES;
  return `${isSmall ? 'small' : 'large'} from ${socket.remoteAddress}`;
}
