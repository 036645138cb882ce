/**
 * Reads heads of requests in the plain form that SDKs send: RFC 9112, without anything that two readers could
 * interpret differently.
 */
import type { IncomingHttpHeaders } from 'node:http';

export type Head = {
  method: string;
  /** Path and query, as they were sent. */
  url: string;
  /** All headers but the length, which is in `bodyBytes`. */
  headers: IncomingHttpHeaders;
  /** Size of the head, including the empty line at its end. */
  headBytes: number;
  bodyBytes: number;
};

/** Limit of the plain form; `node:http` refuses larger heads. */
const MAX_HEAD_BYTES = 8 * 1024;
const END_OF_HEAD = Buffer.from('\r\n\r\n');

const REQUEST_LINE = /^POST (\/[!-~]*) HTTP\/1\.1$/;
/** The spaces around a value are left to `trim`: a pattern that skips them takes quadratic time. */
const FIELD = /^([\w!#$%&'*+.^`|~-]+):([\t -~]*)$/;
const LENGTH = /^\d{1,9}$/;

/** Headers that change how the message is read or what follows it, and so are beyond the plain form. */
const NOT_PLAIN = [
  'transfer-encoding',
  'expect',
  'upgrade',
  'te',
  'trailer',
  'http2-settings',
  'proxy-connection',
] as const;

/**
 * Reads the heads of one connection. Most differ only in the length of the body, so the rest is parsed once.
 * @returns a function that returns undefined when the head is not complete, or not of the plain form
 */
export function headReader(): (bytes: Buffer) => Head | undefined {
  let previous: Known | undefined;

  return (bytes) => {
    const end = bytes.indexOf(END_OF_HEAD);
    // tooth: head-size
    if (end < 0 || end > MAX_HEAD_BYTES) return undefined;
    const text = bytes.toString('latin1', 0, end);
    const length = previous && lengthIn(text, previous);
    if (previous && length !== undefined) return headOf(text, previous, length);
    previous = readHead(text);
    return previous && headOf(text, previous, lengthIn(text, previous)!);
  };
}

/** Text before and after the digits of the length, and the fields of all heads with the same text. */
type Known = Pick<Head, 'url' | 'headers'> & { before: string; after: string };

function lengthIn(text: string, { before, after }: Known): string | undefined {
  if (!text.startsWith(before) || !text.endsWith(after)) return undefined;
  const length = text.slice(before.length, text.length - after.length);
  return LENGTH.test(length) ? length : undefined;
}

function headOf(text: string, { url, headers }: Known, length: string): Head {
  return { method: 'POST', url, headers, headBytes: text.length + END_OF_HEAD.length, bodyBytes: Number(length) };
}

function readHead(text: string): Known | undefined {
  const [requestLine = '', ...lines] = text.split('\r\n');
  const url = REQUEST_LINE.exec(requestLine)?.[1];
  const headers = fieldsOf(lines);
  if (url === undefined || !headers || !isPlain(headers)) return undefined;
  const length = headers['content-length']!;
  delete headers['content-length'];
  const index = text.toLowerCase().indexOf('\r\ncontent-length:');
  const digits = text.indexOf(length, index + '\r\ncontent-length:'.length);
  return { url, headers, before: text.slice(0, digits), after: text.slice(digits + length.length) };
}

/** @returns undefined when a line is not a field, or a name is repeated */
function fieldsOf(lines: readonly string[]): IncomingHttpHeaders | undefined {
  const headers = Object.create(null) as Record<string, string>;
  for (const line of lines) {
    const [, name, value] = FIELD.exec(line) ?? [];
    if (name === undefined || value === undefined) return undefined;
    const lower = name.toLowerCase();
    // tooth: head-twice
    if (lower in headers) return undefined;
    headers[lower] = value.trim();
  }
  return headers;
}

function isPlain(headers: IncomingHttpHeaders): boolean {
  const { host, connection = 'keep-alive', 'content-length': length = '' } = headers;
  if (!host || connection.toLowerCase() !== 'keep-alive' || !LENGTH.test(length)) return false;
  // tooth: head-plain
  return NOT_PLAIN.every((name) => headers[name] === undefined);
}
