/** Answers of raw handlers (capture, flags, shared pages), written straight to the response. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Lane, LaneRequest, Reply } from '../lane/request.ts';
import { countRead, stopReading } from '../wire/paced-reading.ts';
import type { Answer } from './route.ts';

/** Twice the size of the largest body. */
const DISCARDED_BYTES = 40 * 1024 * 1024;

/**
 * Answers requests without Koa and its middleware (errors, CORS, limits of bodies).
 * Neither throws, nor rejects later.
 * @returns false, without touching the request, when it is for another handler
 */
export type RawHandler = (request: IncomingMessage, response: ServerResponse) => boolean;

export function asRawHandler(lane: Lane): RawHandler {
  return (request, response) => lane(request, replyThrough(request, response));
}

/** Headers that let web pages from anywhere read the answer: their requests name a project by its public key only. */
export function pageHeaders({ headers }: LaneRequest): Record<string, string> | undefined {
  const { origin } = headers;
  if (origin === undefined) return undefined;
  return { 'Access-Control-Allow-Origin': origin, 'Access-Control-Allow-Credentials': 'true', Vary: 'Origin' };
}

/** Headers that answer a browser's CORS preflight request. */
export function preflightHeaders({ headers }: LaneRequest): Record<string, string> {
  return {
    'Access-Control-Allow-Methods': 'GET, POST, OPTIONS, HEAD',
    'Access-Control-Allow-Headers': headers['access-control-request-headers'] ?? '',
    'Access-Control-Max-Age': '86400',
  };
}

/** Writes an answer whose body becomes JSON. */
export function send(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  replyWith(replyThrough(request, response), answer);
}

/** @param extraHeaders headers in addition to the answer's */
export function replyWith(reply: Reply, { status, headers, body }: Answer, extraHeaders?: Answer['headers']): void {
  reply(
    status,
    body === undefined ? undefined : JSON.stringify(body),
    extraHeaders ? { ...extraHeaders, ...headers } : headers,
  );
}

/** Replies as `node:http` does. */
export function replyThrough(request: IncomingMessage, response: ServerResponse): Reply {
  return (status, text, headers) => {
    readRestThen(request, response, () => {
      if (text === undefined) response.writeHead(status, headers).end();
      else writeJson(response, status, text, headers);
    });
  };
}

function writeJson(response: ServerResponse, status: number, text: string, headers: Answer['headers']): void {
  const length = Buffer.byteLength(text);
  // A list of names and values is written in less time than an object.
  const answerFields = headers ? Object.entries(headers).flat() : [];
  response.writeHead(status, [
    ...answerFields,
    'Content-Type',
    'application/json',
    'X-Content-Type-Options',
    'nosniff',
    'Content-Length',
    length,
  ]);
  // Node writes ASCII text faster as latin1.
  response.end(text, length === text.length ? 'latin1' : 'utf8');
}

/**
 * Reads and drops the rest of a refused body, up to a limit, before it sends the answer. A client that is still sending when the connection
 * closes often never sees the answer.
 */
function readRestThen(request: IncomingMessage, response: ServerResponse, answer: () => void): void {
  if (request.complete) return answer();
  let remainingBytes = DISCARDED_BYTES;
  const discard = (chunk: Buffer) => {
    remainingBytes -= chunk.length;
    // tooth: discarded-rest
    if (remainingBytes < 0) stop();
    else countRead(request, chunk);
  };
  function stop(): void {
    stopReading(request.off('data', discard).off('end', answer));
    response.setHeader('Connection', 'close');
    answer();
  }
  if (Number(request.headers['content-length'] ?? 0) > DISCARDED_BYTES) return stop();
  request.on('data', discard).once('end', answer).resume();
}
