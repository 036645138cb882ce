/** From the bytes of a request to the events in it. */
import { setImmediate as othersTurn } from 'node:timers/promises';
import type { LaneRequest } from '../lane/request.ts';
import { readBody } from '../wire/body.ts';
import { queryOf, type Fields } from '../wire/fields.ts';
import { parseJson, parseJsonInTurns, type ParsedJson } from '../wire/json.ts';
import { LARGE_BYTES, type Memory } from '../wire/memory.ts';
import { openEnvelope, type Envelope } from './envelope.ts';
import { LIMITS } from './limits.ts';
import type { CapturePath } from './paths.ts';
import { probableSender, type TakeTurn } from './turns.ts';

/** Larger bodies are parsed in several turns. */
const IN_TURNS_BYTES = 1024 * 1024;

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
  const { value, escapes } =
    json.length > LARGE_BYTES ? await parseLarge(json, memory, takeTurn) : parseJson(json, mostValues(json));
  return { ...openEnvelope(value, { query, eventName }), escapes, query };
}

async function parseLarge(json: Buffer, memory: Memory, takeTurn: TakeTurn): Promise<ParsedJson> {
  const sender = probableSender(json);
  memory.belongTo(sender);
  await takeTurn(sender);
  const parsed =
    json.length > IN_TURNS_BYTES
      ? await parseJsonInTurns(json, mostValues(json), () => takeTurn(sender))
      : parseJson(json, mostValues(json));
  // What its events cost comes on top of what it cost to parse.
  await othersTurn();
  return parsed;
}

function mostValues(json: Buffer): number {
  // tooth: capture-values
  return Math.min(LIMITS.mostValues, Math.max(LIMITS.values, json.length / LIMITS.bytesPerValue));
}
