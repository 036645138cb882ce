/** Memory for the bodies of requests under way, bounded for all of them together and for each sender. */
import type { Socket } from 'node:net';
import { Unavailable } from '../errors.ts';
import { WholeRequest, type LaneRequest } from '../lane/request.ts';
import { createSharedRoom } from '../fairness/shared-room.ts';

/** Smaller bodies are parsed in less than a millisecond. */
export const LARGE_BYTES = 32 * 1024;

/** The account of one request. */
export type Memory = {
  /** Counts bytes until the request is over. @throws Unavailable when there is no room for them */
  hold(bytes: number): void;
  /** Moves the bytes to the account of the project with this key. @throws Unavailable when that account holds too much already */
  belongTo(token: string): void;
  /** Closes the account, because the request is over. */
  release(): void;
};

/** @param limit bytes @returns a function that opens the account of a request */
export function createMemory(limit: number): (request: LaneRequest) => Memory {
  const room = createSharedRoom<string>(limit);
  const holdersOf = holders();

  return (request) => {
    const { small, large, isLarge } = holdersOf(request);
    let holder = isLarge ? large : small;
    let heldBytes = 0;

    function hold(bytes: number): void {
      // tooth: memory-grown-large
      if (holder === small && heldBytes + bytes > LARGE_BYTES) belongTo(large);
      if (!room.take(holder, bytes)) throw new Unavailable('Too many bytes are being received at once.', 2);
      heldBytes += bytes;
    }
    function belongTo(other: string): void {
      const bytes = heldBytes;
      release();
      holder = other;
      hold(bytes);
    }
    function release(): void {
      room.give(holder, heldBytes);
      heldBytes = 0;
    }
    return { hold, belongTo, release };
  };
}

type Holders = { small: string; large: string };

/**
 * Counts a request for its client address until its body names the project. The address may be a proxy's, so small bodies are counted
 * apart, or large ones of one project could shut out all others. A small body that inflates to more is large from then on.
 *
 * A connection's texts are made once, because most connections carry many requests.
 */
function holders(): (request: LaneRequest) => Holders & { isLarge: boolean } {
  const bySocket = new WeakMap<Socket, Holders>();

  return (request) => {
    const { headers, socket } = request;
    let texts = bySocket.get(socket);
    if (!texts) {
      texts = { small: `small from ${socket.remoteAddress}`, large: `large from ${socket.remoteAddress}` };
      bySocket.set(socket, texts);
    }
    const bytes =
      request instanceof WholeRequest ? request.bytes.length : Number(headers['content-length'] ?? Infinity);
    return { ...texts, isLarge: bytes > LARGE_BYTES };
  };
}
