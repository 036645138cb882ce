/**
 * Google Cloud Storage as the tests see it: a gateway in front of fake-gcs-server, with what Google's reference says and the emulator leaves out.
 * Requests need an access token, which the gateway gives for a service account's assertion. Composing is conditional on the generations of the
 * sources and of the object to be replaced, and a source that is missing is "not found". Changes happen one after another.
 */
import { randomBytes, verify, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';

export type Gateway = {
  origin: string;
  /** Number of access tokens that were given. */
  tokens: number;
  /** Makes all tokens invalid. */
  revoke(): void;
  close(): void;
};

type Asked = { method?: string; type?: string | undefined; body?: Buffer | undefined };
type Answer = { status: number; type: string; content: Buffer };
type Compose = { sourceObjects: { name: string; objectPreconditions?: { ifGenerationMatch?: string } }[] };

/** @param publicKey of the service account whose assertions are accepted */
export async function startGateway(fake: string, publicKey: KeyObject): Promise<Gateway> {
  // Not `fetch`, whose streams cost several times the CPU time of a small request.
  const agent = new http.Agent({ keepAlive: true });
  const given = new Set<string>();
  let turn: Promise<unknown> = Promise.resolve();
  const gateway: Gateway = { origin: '', tokens: 0, revoke: () => given.clear(), close: () => {} };

  function answerToken(body: Buffer, audience: string, response: ServerResponse): void {
    const assertion = new URLSearchParams(body.toString()).get('assertion') ?? '';
    if (!isSigned(assertion, publicKey, audience)) return refuse(response, 400, 'invalid_grant');
    const token = randomBytes(16).toString('hex');
    given.add(token);
    gateway.tokens++;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ access_token: token, expires_in: 3599, token_type: 'Bearer' }));
  }

  async function ask(url: string, { method = 'GET', type, body }: Asked = {}): Promise<Answer> {
    const headers = {
      ...(type !== undefined && { 'content-type': type }),
      ...(body && { 'content-length': body.length }),
    };
    const request = http.request(fake + url, { agent, method, headers });
    request.end(body);
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    const { statusCode: status = 0, headers: given } = answer;
    return { status, type: given['content-type'] ?? 'application/json', content: await buffer(answer) };
  }

  async function pass(request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = request;
    const { status, type, content } = await ask(url, {
      method,
      type: headers['content-type'],
      body: method === 'POST' ? body : undefined,
    });
    response.writeHead(status, { 'content-type': type }).end(content);
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request;
    const body = await buffer(request);
    if (url === '/token') return answerToken(body, `http://${request.headers.host}/token`, response);
    if (!given.has(request.headers.authorization?.replace('Bearer ', '') ?? ''))
      return refuse(response, 401, 'authError');
    if (method === 'GET') return pass(request, body, response);
    const work = async () => {
      const status = url.includes('/compose?') ? await composeRefusal(ask, url, body) : undefined;
      if (status !== undefined) return refuse(response, status, status === 412 ? 'conditionNotMet' : 'notFound');
      await pass(request, body, response);
    };
    await (turn = turn.then(work, work));
  }

  const server = http.createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  gateway.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  gateway.close = () => {
    server.close().closeAllConnections();
    agent.destroy();
  };
  return gateway;
}

function refuse(response: ServerResponse, status: number, reason: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { code: status, message: `canary ${reason}`, errors: [{ reason }] } }));
}

function isSigned(assertion: string, publicKey: KeyObject, audience: string): boolean {
  const [header = '', claims = '', signature = ''] = assertion.split('.');
  if (!verify('sha256', Buffer.from(`${header}.${claims}`), publicKey, Buffer.from(signature, 'base64url')))
    return false;
  const { aud, iat, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>;
  const now = Date.now() / 1000;
  return aud === audience && Number(iat) <= now && Number(exp) > now && Number(exp) - Number(iat) <= 3600;
}

/** The status with which Google refuses to compose, if it does. */
async function composeRefusal(
  ask: (url: string) => Promise<Answer>,
  url: string,
  body: Buffer,
): Promise<number | undefined> {
  const [path = '', query] = url.split('/compose?');
  const objects = path.slice(0, path.lastIndexOf('/'));
  const generationAt = async (at: string) => {
    const { status, content } = await ask(at);
    return status === 200 ? (JSON.parse(content.toString()) as { generation: string }).generation : undefined;
  };
  for (const { name, objectPreconditions } of (JSON.parse(body.toString()) as Compose).sourceObjects) {
    const generation = await generationAt(`${objects}/${encodeURIComponent(name)}`);
    if (generation === undefined) return 404;
    const expected = objectPreconditions?.ifGenerationMatch;
    if (expected !== undefined && generation !== expected) return 412;
  }
  const replaced = new URLSearchParams(query).get('ifGenerationMatch');
  return replaced !== null && ((await generationAt(path)) ?? '0') !== replaced ? 412 : undefined;
}
