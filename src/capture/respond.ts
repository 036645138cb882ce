/** Answers of capture, written straight to the response. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerFor, type ErrorBody } from '../http/error-body.ts';
import { json, type Answer } from '../http/route.ts';

const DISCARDED_BYTES = 64 * 1024 * 1024;

/** An event that was not stored: where it is in the request, and why. */
export type Rejected = { index: number; error: unknown };

/** Something was stored otherwise than it was asked for. */
export type Warning = { code: string; detail: string };

export const CAPTURE_METHODS = ['GET', 'HEAD', 'POST', 'OPTIONS'] as const;

/** To a request that brings no events. */
export const takenAnswer: Answer = json(200, { status: 1 });

/**
 * `{"status": 1}` and nothing more is what SDKs wait for.
 * @throws the error of a rejected event when it is not about the event
 */
export function storedAnswer({ rejected, warnings }: { rejected: Rejected[]; warnings: Warning[] }): Answer {
  return json(200, {
    status: 1,
    ...(rejected.length > 0 && { rejected: rejected.map(describe) }),
    ...(warnings.length > 0 && { warnings }),
  });
}

function describe({ index, error }: Rejected) {
  const answer = answerFor(error);
  if (!answer) throw error;
  return { index, ...(answer.body as ErrorBody) };
}

/** Web pages send events from anywhere: their project key is public. */
export function allowPages({ headers }: IncomingMessage, response: ServerResponse): void {
  const { origin } = headers;
  if (origin === undefined) return;
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Allow-Credentials', 'true');
  response.setHeader('Vary', 'Origin');
}

/** What a browser asks before it sends anything but a plain form. */
export function preflightAnswer({ headers }: IncomingMessage): Answer {
  return json(
    200,
    { status: 1 },
    {
      'Access-Control-Allow-Methods': 'GET, POST, OPTIONS',
      'Access-Control-Allow-Headers': headers['access-control-request-headers'] ?? '',
      'Access-Control-Max-Age': '86400',
    },
  );
}

export function send(request: IncomingMessage, response: ServerResponse, { status, headers, body }: Answer): void {
  if (!request.complete) leaveRest(request, response);
  if (body === undefined) {
    response.writeHead(status, headers).end();
    return;
  }
  const text = JSON.stringify(body);
  response.writeHead(status, {
    ...headers,
    'Content-Type': 'application/json',
    'X-Content-Type-Options': 'nosniff',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}

/**
 * The rest of a body that was refused. A client that is still sending when the connection is closed often never sees the
 * answer, so what has an end in sight is read and thrown away.
 */
function leaveRest(request: IncomingMessage, response: ServerResponse): void {
  if (Number(request.headers['content-length'] ?? Infinity) <= DISCARDED_BYTES) request.resume();
  else response.setHeader('Connection', 'close');
}
