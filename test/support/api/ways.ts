/** Every way in which SDKs send events: where the JSON is, its encoding, the headers that announce it, and where the key is. */
import { request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import LZString from 'lz-string';

export type Sent = { method: string; path: string; headers: Record<string, string>; body: Buffer };

/** @returns the status of the answer */
export function send(port: number, { method, path, headers, body }: Sent): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ port, host: '127.0.0.1', method, path, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode!));
    });
    sent.on('error', reject).end(body);
  });
}

export const capturePath = fc
  .tuple(fc.constantFrom('/capture', '/e', '/track', '/engage', '/batch', '/i/v0/e'), fc.constantFrom('', '/'))
  .map((parts) => parts.join(''));

const FORM = 'application/x-www-form-urlencoded';
export const contentType = fc.constantFrom('application/json', 'text/plain', 'text/plain;charset=UTF-8', FORM, '');

const envelopes = {
  one: (events: object[], envelope: object) => ({ ...events[0], ...envelope }),
  array: (events: object[], envelope: object) => events.map((some) => ({ ...some, ...envelope })),
  batch: (batch: object[], envelope: object) => ({ batch, ...envelope }),
};

const base64 = (data: string | Buffer) => Buffer.from(data).toString('base64');

/** Encodings of JSON as text, with the hints that may or must accompany each. */
const packings: { pack(json: string): string; hints: string[] }[] = [
  { pack: (json) => json, hints: ['', 'gzip-js', 'base64', 'lz64'] },
  { pack: base64, hints: ['', 'base64', 'b64', 'gzip'] },
  { pack: (json) => Buffer.from(json).toString('base64url'), hints: ['', 'base64'] },
  { pack: (json) => base64(gzipSync(json)), hints: ['', 'gzip', 'gzip-js', 'base64'] },
  { pack: LZString.compressToBase64, hints: ['lz64', 'lz-string'] },
];
export const packing = fc
  .constantFrom(...packings)
  .chain(({ pack, hints }) => fc.record({ pack: fc.constant(pack), hint: fc.constantFrom(...hints) }));

export const sendingWay = fc.record({
  path: capturePath,
  packing,
  contentType,
  carrier: fc.constantFrom('body', 'form', 'query by GET', 'query by POST'),
  hintInForm: fc.boolean(),
  gzip: fc.constantFrom('no', 'quietly', 'openly'),
  envelope: fc.constantFrom('one', 'array', 'batch'),
  keyName: fc.constantFrom('api_key', 'token', '$token', 'property', 'query'),
});
export type Way = typeof sendingWay extends fc.Arbitrary<infer W> ? W : never;

/** @param events with the envelope `one`, only the first is sent; with the key name `property`, the events already hold the key */
export function requestOf(events: readonly object[], key: string, chosen: Way): Sent {
  const { carrier, keyName } = chosen;
  const { pack, hint } = chosen.packing;
  const envelope = keyName === 'property' || keyName === 'query' ? {} : { [keyName]: key };
  const packed = pack(JSON.stringify(envelopes[chosen.envelope]([...events], envelope)));
  const query = new URLSearchParams({ ip: '1' });
  const form = new URLSearchParams();
  if (carrier === 'form') form.set('data', packed);
  if (carrier.startsWith('query')) query.set('data', packed);
  if (hint !== '') (carrier === 'form' && chosen.hintInForm ? form : query).set('compression', hint);
  if (keyName === 'query') query.set('token', key);
  const plain = Buffer.from(carrier === 'body' ? packed : form.toString());
  return {
    method: carrier === 'query by GET' ? 'GET' : 'POST',
    path: `${chosen.path}?${query.toString()}`,
    headers: {
      ...(chosen.contentType !== '' && { 'Content-Type': chosen.contentType }),
      ...(chosen.gzip === 'openly' && { 'Content-Encoding': 'gzip' }),
    },
    body: chosen.gzip === 'no' || plain.length === 0 ? plain : gzipSync(plain),
  };
}
