/** Answers of what is asked before the application (capture, flags), written straight to the response. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from './route.ts';

const DISCARDED_BYTES = 64 * 1024 * 1024;

/** Lets web pages from anywhere read the answer: what they send names a project by its public key only. */
export function allowPages({ headers }: IncomingMessage, response: ServerResponse): void {
  const { origin } = headers;
  if (origin === undefined) return;
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Allow-Credentials', 'true');
  response.setHeader('Vary', 'Origin');
}

/** To what a browser asks before it sends anything but a plain form. */
export function preflightHeaders({ headers }: IncomingMessage): Record<string, string> {
  return {
    'Access-Control-Allow-Methods': 'GET, POST, OPTIONS',
    'Access-Control-Allow-Headers': headers['access-control-request-headers'] ?? '',
    'Access-Control-Max-Age': '86400',
  };
}

/** Writes an answer whose body becomes JSON. */
export function send(request: IncomingMessage, response: ServerResponse, { status, headers, body }: Answer): void {
  if (body !== undefined) return sendJson(request, response, status, JSON.stringify(body), headers);
  if (!request.complete) leaveRest(request, response);
  response.writeHead(status, headers).end();
}

/** Writes an answer whose body is JSON already. */
export function sendJson(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  text: string,
  headers?: Answer['headers'],
): void {
  if (!request.complete) leaveRest(request, response);
  const length = Buffer.byteLength(text);
  // A list of names and values is written in less time than an object.
  const own = headers ? Object.entries(headers).flat() : [];
  response.writeHead(status, [
    ...own,
    'Content-Type',
    'application/json',
    'X-Content-Type-Options',
    'nosniff',
    'Content-Length',
    length,
  ]);
  // Text of one byte each is written in less time when that is said.
  response.end(text, length === text.length ? 'latin1' : 'utf8');
}

/**
 * The rest of a body that was refused. A client that is still sending when the connection is closed often never sees the
 * answer, so what has an end in sight is read and thrown away.
 */
function leaveRest(request: IncomingMessage, response: ServerResponse): void {
  if (Number(request.headers['content-length'] ?? Infinity) <= DISCARDED_BYTES) request.resume();
  else response.setHeader('Connection', 'close');
}
