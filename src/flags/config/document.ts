/** Documents that browsers cache: compressed once, and revalidated by their ETag. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const compress = promisify(gzip);

export type Document = {
  contentType: string;
  /** How long clients may use the document without revalidation. */
  maxAgeSeconds: number;
  bytes: Buffer;
  zipped: Buffer;
  etag: string;
};

export async function createDocument(
  text: string | Buffer,
  { contentType, maxAgeSeconds }: Pick<Document, 'contentType' | 'maxAgeSeconds'>,
): Promise<Document> {
  const bytes = Buffer.from(text);
  const etag = `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return { contentType, maxAgeSeconds, bytes, zipped: await compress(bytes), etag };
}

/** Answers pages of any origin: 200, or 304 if the client already has this version. */
export function sendDocument(request: IncomingMessage, response: ServerResponse, document: Document): void {
  const { contentType, maxAgeSeconds, bytes, zipped, etag } = document;
  const { 'if-none-match': ifNoneMatch, 'accept-encoding': encodings } = request.headers;
  const headers = {
    ...OPEN_HEADERS,
    ETag: etag,
    'Cache-Control': maxAgeSeconds > 0 ? `public, max-age=${maxAgeSeconds}` : 'no-cache',
    Vary: 'Accept-Encoding',
  };
  if (ifNoneMatch?.split(',').some((item) => item.trim().replace(/^(?!W\/)/, 'W/') === etag)) {
    response.writeHead(304, headers).end();
    return;
  }
  const isZipped = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(String(encodings));
  const body = isZipped ? zipped : bytes;
  response.writeHead(200, {
    ...headers,
    'Content-Type': contentType,
    'Content-Length': body.length,
    ...(isZipped && { 'Content-Encoding': 'gzip' }),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** Headers of documents that any page may fetch and run. */
export const OPEN_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'X-Content-Type-Options': 'nosniff',
};
