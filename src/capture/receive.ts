/** From the bytes of a request to the events in it. */
import { setImmediate as othersTurn } from 'node:timers/promises';
import type { LaneRequest } from '../lane/request.ts';
import { readBody } from '../wire/body.ts';
import { queryOf, type Fields } from '../wire/fields.ts';
import { parseJson } from '../wire/json.ts';
import { LARGE_BYTES, type Memory } from '../wire/memory.ts';
import { openEnvelope, type Envelope } from './envelope.ts';
import { LIMITS } from './limits.ts';
import type { CapturePath } from './paths.ts';
import { probableSender, type TakeTurn } from './turns.ts';

export type Received = Envelope & {
  /** Whether the body held `\u` escapes (see `parseJson`). */
  escapes: boolean;
  query: Fields;
};

/** @throws UnsupportedMedia, TooLarge, MalformedRequest, InvalidInput, NotAuthenticated, Unavailable: what is wrong with it */
export async function receive(
  request: LaneRequest,
  { limit, eventName }: CapturePath,
  { memory, takeTurn }: { memory: Memory; takeTurn: TakeTurn },
): Promise<Received> {
  const query = queryOf(request.url ?? '');
  const json = await readBody(request, { query, limit, hold: memory.hold });
  if (json.length > LARGE_BYTES) {
    const sender = probableSender(json);
    memory.belongTo(sender);
    await takeTurn(sender);
  }
  const { value, escapes } = parseJson(json, Math.max(LIMITS.values, json.length / LIMITS.bytesPerValue));
  // What its events cost comes on top of what it cost to parse.
  if (json.length > LARGE_BYTES) await othersTurn();
  return { ...openEnvelope(value, { query, eventName }), escapes, query };
}
