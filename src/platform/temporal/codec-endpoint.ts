/**
 * Decrypts payloads for Temporal's UI, whose pages request it from the browser (https://docs.temporal.io/codec-server). A client with
 * the token may read them; the UI sends no credentials of its own, so the token is in the path.
 */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PayloadCodec } from '@temporalio/common';
import getRawBody from 'raw-body';
import { fromJson, toJson, type PayloadJson } from './payload-codec.ts';

const MAX_BYTES = 8 * 1024 * 1024;
const PATH = /^\/_codec\/([^/]+)\/(encode|decode)$/;

export type CodecEndpointOptions = {
  codec: PayloadCodec;
  token: string;
  /** The only pages that may ask: Temporal's UI. */
  origin: string;
};

/** @returns a listener that returns false, without touching the request, when it is for another handler */
export function codecEndpoint({ codec, token, origin }: CodecEndpointOptions) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const [, presented = '', verb = ''] = PATH.exec(request.url ?? '') ?? [];
    if (!isSame(presented, token)) return false;
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Access-Control-Allow-Headers', 'content-type, x-namespace, authorization, caller-type');
    response.setHeader('Access-Control-Allow-Methods', 'POST');
    response.setHeader('Cache-Control', 'no-store');
    if (request.method === 'OPTIONS') response.writeHead(204).end();
    else void answer(request, response, verb === 'decode' ? codec.decode : codec.encode);
    return true;
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  convert: PayloadCodec['decode'],
): Promise<void> {
  try {
    const body = await getRawBody(request, { limit: MAX_BYTES, encoding: 'utf8' });
    const { payloads } = JSON.parse(body) as { payloads: PayloadJson[] };
    const converted = await convert(payloads.map(fromJson));
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify({ payloads: converted.map(toJson) }));
  } catch {
    // Not JSON, not payloads, or encrypted with a key that we do not have: the UI shows them as they are.
    // The rest of the body is not read: another request on this connection would wait behind it.
    response.writeHead(400, { Connection: 'close' }).end();
  }
}

function isSame(presented: string, token: string): boolean {
  const [a, b] = [Buffer.from(presented), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}
