/**
 * Checks signatures of AWS's Signature Version 4, written after its published algorithm and without the library that signs:
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** A request as it came: `path` with the query, and header names in lower case. */
export type ReceivedRequest = { method: string; path: string; headers: IncomingHttpHeaders; body: Buffer };

export type SigningKey = {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  service: string;
  region: string;
};

const FORM = /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/;
const MAX_SKEW_MS = 5 * 60_000;
/** Headers that a server needs signed to know that a request is whole and was meant for it. */
const NEEDED = ['host', 'x-amz-date'];

const hash = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();

/** Escapes all but the unreserved characters of RFC 3986. */
const escaped = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

function canonicalQuery(query: string): string {
  const parameters = query.split('&').filter((one) => one !== '');
  const pairs = parameters.map((one) => {
    const [name = '', ...value] = one.split('=');
    return [name, value.join('=')].map((text) => escaped(decodeURIComponent(text))) as [string, string];
  });
  const inOrder = pairs.sort(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1));
  return inOrder.map(([name, value]) => `${name}=${value}`).join('&');
}

/** S3 takes requests whose content is not signed. */
const UNSIGNED = 'UNSIGNED-PAYLOAD';
const isUnsigned = (headers: IncomingHttpHeaders) => headers['x-amz-content-sha256'] === UNSIGNED;

/** @param scope date, region, service and `aws4_request`, with slashes between them */
export function signatureOf(
  { method, path, headers, body }: ReceivedRequest,
  { secret, scope, signed }: { secret: string; scope: string; signed: readonly string[] },
): string {
  const isS3 = scope.split('/')[2] === 's3';
  const [, place = '', query = ''] = /^([^?]*)\??(.*)$/.exec(path)!;
  // Every service but S3 escapes the path, which has escapes already, once more.
  const uri = isS3 ? place : place.split('/').map(escaped).join('/');
  const content = isUnsigned(headers) && isS3 ? UNSIGNED : hash(body);
  const values = signed.map(
    (name) =>
      `${name}:${String(headers[name] ?? '')
        .trim()
        .replace(/ +/g, ' ')}\n`,
  );
  const canonical = [method, uri, canonicalQuery(query), values.join(''), signed.join(';'), content].join('\n');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, hash(canonical)].join('\n');
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${secret}`);
  return hmac(key, text).toString('hex');
}

/** @returns why AWS would refuse the request; nothing if its signature is right */
export function refusalOf(request: ReceivedRequest, key: SigningKey, now = Date.now()): string | undefined {
  const { headers, body } = request;
  const [, credential = '', names = '', signature = ''] = FORM.exec(headers.authorization ?? '') ?? [];
  if (signature === '') return 'Missing Authentication Token';
  const date = String(headers['x-amz-date']);
  const scope = [date.slice(0, 8), key.region, key.service, 'aws4_request'].join('/');
  if (credential !== `${key.accessKeyId}/${scope}`)
    return 'Credential should be scoped to another key, service or region';
  if (headers['x-amz-security-token'] !== key.sessionToken)
    return 'The security token included in the request is invalid';
  const signed = names.split(';');
  const needed = key.sessionToken === undefined ? NEEDED : [...NEEDED, 'x-amz-security-token'];
  if (!needed.every((name) => signed.includes(name))) return 'Headers are not signed';
  const sent = date.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5');
  if (!(Math.abs(Date.parse(sent) - now) < MAX_SKEW_MS)) return 'Signature expired';
  const given = headers['x-amz-content-sha256'];
  const mayBeUnsigned = key.service === 's3' && isUnsigned(headers);
  if (given !== undefined && given !== hash(body) && !mayBeUnsigned)
    return 'The content is not the one that was signed';
  const expected = signatureOf(request, { secret: key.secretAccessKey, scope, signed });
  return timingSafeEqual(Buffer.from(expected), Buffer.from(signature)) ? undefined : 'The signature does not match';
}
