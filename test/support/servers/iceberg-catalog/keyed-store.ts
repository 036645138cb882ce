/**
 * A server before the S3-compatible store, which takes temporary keys alone and refuses those that have expired, as Amazon's does. It checks
 * signatures itself, and signs again for the store, which has no temporary keys.
 */
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { OBJECT_STORE_KEYS } from '../object-store.ts';
import { refusalOf } from './signature.ts';

type TemporaryKey = { accessKeyId: string; secretAccessKey: string; sessionToken: string };
type Held = { key: TemporaryKey; until: number; requestsLeft: number };

export type KeyedStore = {
  uri: string;
  /** Codes of refused requests. */
  refusals: string[];
  /** Makes a key. @param limits the time, and the number of requests, after which it has expired */
  makeKey(limits?: { milliseconds?: number; requests?: number }): TemporaryKey & { until: number };
  close(): void;
};

const REGION = 'us-east-1';

/** @param target origin of the store */
export async function startKeyedStore(target: string): Promise<KeyedStore> {
  const keys = new Map<string, Held>();
  const refusals: string[] = [];
  const signer = new SignatureV4({
    service: 's3',
    region: REGION,
    credentials: OBJECT_STORE_KEYS,
    sha256: Sha256,
    uriEscapePath: false,
  });

  /** @returns the code with which Amazon refuses the request */
  function refusalCode({ method = '', url: path = '', headers }: IncomingMessage, body: Buffer): string | undefined {
    const [, id = ''] = /Credential=([^/]+)\//.exec(headers.authorization ?? '') ?? [];
    const held = keys.get(id);
    if (!held) return 'InvalidAccessKeyId';
    if (Date.now() >= held.until || held.requestsLeft-- <= 0) return 'ExpiredToken';
    const refusal = refusalOf({ method, path, headers, body }, { ...held.key, service: 's3', region: REGION });
    return refusal && 'SignatureDoesNotMatch';
  }

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const code = refusalCode(incoming, body);
    if (code) {
      refusals.push(code);
      response.writeHead(code === 'ExpiredToken' ? 400 : 403).end(`<Error><Code>${code}</Code></Error>`);
      return;
    }
    const { method = 'GET', url: path = '/' } = incoming;
    const { authorization: _, 'x-amz-security-token': _token, connection: _connection, ...headers } = incoming.headers;
    const { hostname, port, host, pathname, searchParams } = new URL(path, target);
    const query = Object.fromEntries(searchParams);
    const unsigned = { method, protocol: 'http:', hostname, path: pathname, query, body };
    const { headers: signed } = await signer.sign({
      ...unsigned,
      headers: { ...(headers as Record<string, string>), host },
    });
    const passed = http.request({ hostname, port, method, path, headers: signed }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    passed.end(body);
  }

  const server = http.createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refusals,
    makeKey({ milliseconds = 3_600_000, requests = Infinity } = {}) {
      const [id, secret, token] = [8, 16, 16].map((bytes) => randomBytes(bytes).toString('hex')) as [
        string,
        string,
        string,
      ];
      const key = { accessKeyId: `ASIA${id.toUpperCase()}`, secretAccessKey: secret, sessionToken: token };
      const until = Date.now() + milliseconds;
      keys.set(key.accessKeyId, { key, until, requestsLeft: requests });
      return { ...key, until };
    },
    close: () => server.close().closeAllConnections(),
  };
}
