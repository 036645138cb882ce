/** A server before the catalog, which looks at each request, and passes on those that it does not answer itself. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export type Received = { method: string; path: string; headers: IncomingMessage['headers']; body: Buffer };
export type Answered = { status: number; body: string };

/** @returns an answer in place of the catalog's, or a change of the request or of the catalog's answer; nothing passes the request on */
type Look = (request: Received) => Answered | { path?: string; edit?(answer: Answered): Answered } | undefined;

export type ServerBefore = { uri: string; close(): void };

/** Adds fields to an answer, as text, because a parser rounds the ids of snapshots. */
export function withFields({ status, body }: Answered, fields: object): Answered {
  const more = JSON.stringify(fields).slice(1, -1);
  return { status, body: status === 200 && more ? `{${more},${body.slice(1)}` : body };
}

/** @param target the catalog */
export async function startBefore(target: string, look: Look): Promise<ServerBefore> {
  async function answer(incoming: IncomingMessage): Promise<Answered> {
    const { method = 'GET', url: path = '', headers } = incoming;
    const request = { method, path, headers, body: await buffer(incoming) };
    const found = look(request) ?? {};
    if ('status' in found) return found;
    const { 'content-type': type = 'application/json' } = headers;
    const passed = await fetch(target + (found.path ?? path), {
      method,
      headers: { 'content-type': type, accept: 'application/json' },
      ...(method === 'POST' && { body: request.body }),
    });
    const given = { status: passed.status, body: await passed.text() };
    return found.edit?.(given) ?? given;
  }
  const server = createServer((incoming: IncomingMessage, response: ServerResponse) => {
    answer(incoming).then(
      ({ status, body }) => response.writeHead(status, { 'content-type': 'application/json' }).end(body),
      () => response.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => server.close().closeAllConnections(),
  };
}
