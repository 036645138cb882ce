/** The body of a request as it was sent, within bounds. */
import type { IncomingMessage } from 'node:http';
import { MalformedRequest, TooLarge } from '../errors.ts';
import { WholeRequest, type LaneRequest } from '../lane/request.ts';
import { countRead, stopReading } from './paced-reading.ts';

/** Called once, when the whole body is there or never will be: `take` returns the body, or throws the reason. */
export type WhenRead<Bytes> = (take: () => Bytes) => void;

/**
 * @param limit bytes; reading stops there
 * @param onChunk called with the bytes that each chunk will take, before it is kept; an error from it ends the reading
 * @throws TooLarge over the limit, before anything is read when the length is announced
 * @throws MalformedRequest when the connection ends too early
 */
export async function readBytes(
  request: LaneRequest,
  limit: number,
  onChunk: (bytes: number) => void,
): Promise<Buffer> {
  const take = await new Promise<() => Buffer>((done) => receiveBytes(request, limit, onChunk, done));
  return take();
}

/** Same as `readBytes`, without promises, which cost as much per request as deciding a flag or two. */
export function receiveBytes(
  request: LaneRequest,
  limit: number,
  onChunk: (bytes: number) => void,
  done: WhenRead<Buffer>,
): void {
  if (!(request instanceof WholeRequest)) return receiveChunks(request, limit, onChunk, done);
  const { bytes } = request;
  done(() => {
    // tooth: body-limit
    if (bytes.length > limit) throw tooLarge(limit);
    onChunk(bytes.length);
    return bytes;
  });
}

function tooLarge(limit: number): TooLarge {
  return new TooLarge(`The body is larger than ${limit} bytes.`);
}

/** Copies of a body in memory, as sent or inflated: in chunks, and in one piece at the end. */
export const COPIES_HELD = 2;

function receiveChunks(
  request: IncomingMessage,
  limit: number,
  onChunk: (bytes: number) => void,
  done: WhenRead<Buffer>,
): void {
  if (Number(request.headers['content-length'] ?? 0) > limit) {
    return done(() => {
      throw tooLarge(limit);
    });
  }
  const chunks: Buffer[] = [];
  let length = 0;
  let isDone = false;
  function finish(take: () => Buffer): void {
    if (isDone) return;
    isDone = true;
    done(take);
  }
  function keep(chunk: Buffer): void {
    try {
      length += chunk.length;
      // tooth: body-chunks-limit
      if (length > limit) throw tooLarge(limit);
      onChunk(COPIES_HELD * chunk.length);
      chunks.push(chunk);
      countRead(request, chunk);
    } catch (error) {
      stopReading(request.off('data', keep));
      // The rest is read and dropped before the refusal is sent, and the chunks before it must not stay in uncounted memory meanwhile.
      chunks.length = 0;
      finish(() => {
        throw error;
      });
    }
  }
  request.on('data', keep);
  function takeBytes(): Buffer {
    const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length);
    // The request keeps its listeners until it is answered, and the listeners keep the chunks.
    chunks.length = 0;
    return bytes;
  }
  request.on('end', () => finish(takeBytes));
  request.on('error', () =>
    finish(() => {
      throw new MalformedRequest('The body ended before its announced length.');
    }),
  );
}
