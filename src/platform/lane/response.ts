/** The text of a response, as `node:http` writes it (RFC 9112). */
import { STATUS_CODES } from 'node:http';
import type { HeaderFields } from './request.ts';

export type ResponseText = { text: string; encoding: 'latin1' | 'utf8' };

/** @param keepAliveSeconds how long the connection stays open for another request; 0: it is closed after this one */
export function responseText(
  status: number,
  body: string | undefined,
  headers: HeaderFields | undefined,
  keepAliveSeconds: number,
): ResponseText {
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  const connection =
    keepAliveSeconds > 0 ? `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}` : 'Connection: close';
  const type = body === undefined ? '' : 'Content-Type: application/json\r\nX-Content-Type-Options: nosniff\r\n';
  // Responses with these statuses have no body, and so no length.
  const size = status === 204 || status === 304 ? '' : `Content-Length: ${length}\r\n`;
  const text =
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${fieldLines(headers)}${type}${size}` +
    `Date: ${date()}\r\n${connection}\r\n\r\n${body ?? ''}`;
  // Node writes ASCII text faster as latin1.
  return { text, encoding: length === (body?.length ?? 0) ? 'latin1' : 'utf8' };
}

function fieldLines(headers: HeaderFields | undefined): string {
  if (!headers) return '';
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}

let dateSecond = 0;
let dateText = '';

/** Current second in the form of RFC 9110. */
function date(): string {
  const now = Date.now();
  if (now - dateSecond >= 1_000 || now < dateSecond) {
    dateSecond = now - (now % 1_000);
    dateText = new Date(now).toUTCString();
  }
  return dateText;
}
