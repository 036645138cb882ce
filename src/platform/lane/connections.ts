/**
 * The fast path for the most frequent requests. `node:http` needs more time to read a request and write its answer than ten flags
 * take to decide, so simple requests that arrive whole are answered on their connection. Once anything else arrives, the connection is left
 * to `node:http` for good, with the bytes that were read.
 */
import type { Socket } from 'node:net';
import { headReader } from './head.ts';
import { WholeRequest, type Lane, type Reply } from './request.ts';
import { responseText } from './response.ts';

/** Larger requests are left to `node:http`, which reads them as a stream. */
const MAX_REQUEST_BYTES = 64 * 1024;

/** Limit for incomplete requests on all connections, because the application counts only complete ones. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

/** Time announced to clients: shorter than the real one, so that no request meets a connection that is just being closed. */
const KEEP_ALIVE_SECONDS = 5;
const IDLE_MS = (KEEP_ALIVE_SECONDS + 1) * 1_000;

/** Time after which a silent connection is left to `node:http`, which times it out, and answers that. */
const SILENT_MS = 1_000;

export type LaneConnections = {
  /** Takes a new connection. */
  accept(socket: Socket): void;
  /** Makes each following answer the last of its connection. */
  drain(): void;
  /** Closes connections that were answered and send no more. A new one has a moment to send its request. */
  closeIdle(): void;
  closeAll(): void;
};

type Connection = { isIdle(): boolean; socket: Socket };

/** @param handOver receives a paused connection whose first bytes are to be read again */
export function laneConnections(lane: Lane, handOver: (socket: Socket) => void): LaneConnections {
  const connections = new Set<Connection>();
  /** Connections handed over before they sent anything, because `node:http` does not count them among its idle ones. */
  const silent = new Set<Socket>();
  let isDraining = false;
  let pendingBytes = 0;

  function accept(socket: Socket): void {
    const readHead = headReader();
    /** Bytes of an incomplete request, or of the next one while another is answered. */
    let pending: Buffer | undefined;
    let isBusy = false;
    let hasEnded = false;
    let hasServed = false;
    const isIdle = () => hasServed && !isBusy && pending === undefined && !socket.writableEnded;
    const connection: Connection = { isIdle, socket };

    function read(chunk: Buffer): void {
      const isFirst = pending === undefined;
      const bytes = pending ? Buffer.concat([pending, chunk]) : chunk;
      if (isBusy) {
        keepPending(bytes);
        socket.pause();
        return;
      }
      keepPending(undefined);
      const head = readHead(bytes);
      if (!head) return leaveToNode(bytes);
      const missingBytes = head.headBytes + head.bodyBytes - bytes.length;
      const shouldWaitForRest = missingBytes > 0 && isFirst && bytes.length + missingBytes <= MAX_REQUEST_BYTES;
      if (shouldWaitForRest && pendingBytes + bytes.length <= MAX_KEPT_BYTES) return keepPending(bytes);
      if (missingBytes !== 0) return leaveToNode(bytes);
      isBusy = true;
      if (lane(new WholeRequest(head, bytes.subarray(head.headBytes), socket), reply)) return;
      isBusy = false;
      leaveToNode(bytes);
    }

    function keepPending(bytes: Buffer | undefined): void {
      pendingBytes += (bytes?.length ?? 0) - (pending?.length ?? 0);
      pending = bytes;
    }

    const reply: Reply = (status, body, headers) => {
      if (socket.destroyed) return;
      const isLast = isDraining || hasEnded;
      const { text, encoding } = responseText(status, body, headers, isLast ? 0 : KEEP_ALIVE_SECONDS);
      const hasRoom = socket.write(text, encoding);
      if (!hasServed) socket.setTimeout(IDLE_MS);
      hasServed = true;
      if (isLast) return socket.destroySoon();
      // Waits for a client that does not read its answers.
      if (hasRoom) readOn();
      else socket.once('drain', readOn);
    };

    function readOn(): void {
      isBusy = false;
      if (hasEnded) return socket.destroySoon();
      if (pending === undefined) return;
      const bytes = pending;
      keepPending(undefined);
      socket.resume();
      read(bytes);
    }

    function end(): void {
      hasEnded = true;
      if (isBusy) return;
      if (pending === undefined) socket.destroySoon();
      else reply(400, undefined);
    }

    function handleIdle(): void {
      // An answer that the client does not read would stay in memory, even the last one.
      if (socket.writableLength > 0) return void socket.destroy();
      if (isBusy) return;
      if (pending === undefined && (hasServed || isDraining)) socket.destroy();
      else leaveToNode(pending ?? EMPTY);
    }

    function leaveToNode(bytes: Buffer): void {
      forget();
      for (const [event, listener] of listeners) socket.off(event, listener);
      socket.setTimeout(0).pause();
      if (bytes.length > 0) socket.unshift(bytes);
      else silent.add(socket.once('close', () => silent.delete(socket)));
      handOver(socket);
      socket.resume();
    }

    function forget(): void {
      keepPending(undefined);
      connections.delete(connection);
    }

    const listeners = [
      ['data', read],
      ['end', end],
      ['timeout', handleIdle],
      ['error', ignore],
      ['close', forget],
    ] as const;
    for (const [event, listener] of listeners) socket.on(event, listener);
    socket.setTimeout(SILENT_MS);
    connections.add(connection);
  }

  return {
    accept,
    drain() {
      isDraining = true;
    },
    closeIdle() {
      for (const { isIdle, socket } of connections) if (isIdle()) socket.destroySoon();
      for (const socket of silent) if (socket.bytesRead === 0) socket.destroy();
    },
    closeAll() {
      for (const { socket } of connections) socket.destroy();
    },
  };
}

const EMPTY = Buffer.alloc(0);

/** Ignores errors of a connection, because it is then closed and no client is left. */
function ignore(): void {}
