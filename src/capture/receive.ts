/** From the bytes of a request to the events in it. */
import type { IncomingMessage } from 'node:http';
import { UnsupportedMedia } from '../errors.ts';
import { inflate } from '../wire/inflate.ts';
import { parseJson } from '../wire/json.ts';
import { readBytes } from '../wire/read-bytes.ts';
import { openEnvelope, type Envelope } from './envelope.ts';
import type { Memory } from './memory.ts';
import { LARGE_BYTES, probableSender, type TakeTurn } from './turns.ts';

export type Received = Envelope & {
  /** Whether the body held `\u` escapes (see `parseJson`). */
  escapes: boolean;
};

/**
 * @param limit bytes of the body, as sent and again after inflation
 * @throws UnsupportedMedia, TooLarge, MalformedRequest, InvalidInput, NotAuthenticated, Unavailable: what is wrong with it
 */
export async function receive(
  request: IncomingMessage,
  limit: number,
  { memory, takeTurn }: { memory: Memory; takeTurn: TakeTurn },
): Promise<Received> {
  requireReadable(request.headers['content-type']);
  const sent = await readBytes(request, limit, memory.hold);
  const inflated = inflate(sent, request.headers['content-encoding'], limit);
  const bytes = Buffer.isBuffer(inflated) ? inflated : await inflated;
  if (bytes !== sent) memory.hold(bytes.length);
  if (bytes.length > LARGE_BYTES) {
    const sender = probableSender(bytes);
    memory.belongTo(sender);
    await takeTurn(sender);
  }
  const { value, escapes } = parseJson(bytes);
  return { ...openEnvelope(value), escapes };
}

/** SDKs send JSON under many names; a form is the one thing that it cannot be. */
function requireReadable(contentType: string | undefined): void {
  const isForm = contentType?.startsWith('application/x-www-form-urlencoded') || contentType?.startsWith('multipart/');
  if (isForm) throw new UnsupportedMedia('Send JSON, plain or compressed with gzip.');
}
