/** Extracts the events from the bytes of a request. */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { LaneRequest } from '../../platform/lane/request.ts';
import { readBody } from '../../platform/wire/body.ts';
import { queryOf } from '../../platform/wire/fields.ts';
import { parseJson, type ParsedJson } from '../../platform/wire/json.ts';
import { LARGE_BYTES, type Memory } from '../../platform/wire/memory.ts';
import type { Envelope, OpenEnvelope } from './envelope.ts';
import { LIMITS } from './limits.ts';
import { parseBatch } from './parse-batch.ts';
import { probableSender, type WaitForTurn } from './turns.ts';

/** Larger bodies are parsed a few events at a time. */
const IN_TURNS_BYTES = 1024 * 1024;
/** Memory of a body's parsed values until they are rows, on top of the body itself, as a multiple of its bytes. */
const PARSED_SIZE_FACTOR = 4;

export type Received = Envelope & {
  /** Whether the body held `\u` escapes (see `parseJson`). */
  escapes: boolean;
};

type ReceiveOptions = {
  limit: number;
  open: OpenEnvelope;
  memory: Memory;
  /** Resolves when a large body may be inflated: turns go by client, since the project is not known yet. */
  enterInflation(): Promise<() => void>;
  takeTurn: WaitForTurn;
  /** Resolves when it is the turn of a body of many events, which takes several times its bytes while it is parsed. */
  enterLine(sender: string): Promise<void>;
};

/** @throws UnsupportedMedia, TooLarge, MalformedRequest, InvalidInput, NotAuthenticated, Unavailable */
export async function receive(
  request: LaneRequest,
  { limit, open, enterInflation, ...options }: ReceiveOptions,
): Promise<Received> {
  const query = queryOf(request.url ?? '');
  const json = await readBody(request, {
    query,
    limit,
    hold: options.memory.hold,
    enterLine: enterInflation,
  });
  const { value, escapes } =
    json.length > LARGE_BYTES ? await parseLarge(json, options) : parseJson(json, valueLimit(json));
  return { ...open(value, { query, headers: request.headers }), escapes };
}

/** @returns the probable key of the project, '' when there is none; the body is not parsed. @throws as `receive` */
export async function receiveUnread(
  request: LaneRequest,
  { limit, memory, enterInflation }: Pick<ReceiveOptions, 'limit' | 'memory' | 'enterInflation'>,
): Promise<string> {
  const query = queryOf(request.url ?? '');
  const options = { query, limit, hold: memory.hold, enterLine: enterInflation };
  return query('token') ?? probableSender(await readBody(request, options));
}

async function parseLarge(
  json: Buffer,
  { memory, takeTurn, enterLine }: Omit<ReceiveOptions, 'limit' | 'open' | 'enterInflation'>,
): Promise<ParsedJson> {
  const sender = probableSender(json);
  memory.belongTo(sender);
  if (json.length > IN_TURNS_BYTES) {
    memory.hold(PARSED_SIZE_FACTOR * json.length);
    await enterLine(sender);
  }
  await takeTurn(sender);
  const parsed =
    json.length > IN_TURNS_BYTES
      ? await parseBatch(json, valueLimit(json), () => takeTurn(sender))
      : parseJson(json, valueLimit(json));
  // Reading the events takes as long again as parsing them did.
  await yieldToOthers();
  return parsed;
}

function valueLimit(json: Buffer): number {
  // tooth: capture-values
  return Math.min(LIMITS.maxValues, Math.max(LIMITS.values, json.length / LIMITS.bytesPerValue));
}
