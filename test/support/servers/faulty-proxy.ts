/** Proxies in front of real servers, which lose or refuse the requests that the test chooses. */
import http from 'node:http';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';

/**
 * `drop`: the server gets the request, but the client never gets the answer. With all others the server never gets the request: for `503`,
 * `403` and `denied` the proxy answers as S3 does, for `busy` as capture does.
 */
export type InjectedFault = 'drop' | '503' | '403' | 'denied' | 'busy' | undefined;

export type FaultyProxy = { origin: string; requests: number; faults: number; close(): void };

/** @param fault called for each request, which waits for it; the query of the URL tells which S3 call it is */
export async function startFaultyProxy(
  target: string,
  fault: (request: { method: string; url: string }) => InjectedFault | Promise<InjectedFault>,
): Promise<FaultyProxy> {
  const { hostname, port } = new URL(target);
  const proxy: FaultyProxy = { origin: '', requests: 0, faults: 0, close: () => {} };
  const server = http.createServer((request, response) => void answer(request, response));

  async function answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const [method, url] = [request.method ?? '', request.url ?? ''];
    proxy.requests++;
    const injectedFault = await fault({ method, url });
    if (injectedFault) proxy.faults++;
    if (injectedFault === '503') {
      request.resume();
      response.writeHead(503).end('<Error><Code>SlowDown</Code></Error>');
      return;
    }
    if (injectedFault === '403' || injectedFault === 'denied') {
      request.resume();
      const code = injectedFault === 'denied' ? 'AccessDenied' : 'InvalidAccessKeyId';
      response.writeHead(403).end(`<Error><Code>${code}</Code></Error>`);
      return;
    }
    if (injectedFault === 'busy') {
      request.resume();
      response.writeHead(503, { 'Retry-After': '1', 'Content-Type': 'application/json' });
      response.end('{"type":"server_error","code":"unavailable","detail":"Come back.","attr":null}');
      return;
    }
    // The signature covers the host header, so it passes unchanged.
    const forwarded = http.request(
      { hostname, port, method, path: url, headers: request.headers },
      (forwardedAnswer) => {
        if (injectedFault === 'drop') return request.socket.destroy();
        response.writeHead(forwardedAnswer.statusCode ?? 502, forwardedAnswer.headers);
        forwardedAnswer.pipe(response);
      },
    );
    forwarded.on('error', () => response.destroy());
    request.pipe(forwarded);
  }
  proxy.origin = `http://127.0.0.1:${await listen(server)}`;
  proxy.close = () => {
    server.close();
    server.closeAllConnections();
  };
  return proxy;
}

/** @returns the port */
async function listen(server: Server): Promise<number> {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return (server.address() as AddressInfo).port;
}

export type BreakingProxy = { port: number; breaks: number; close(): void };

/**
 * A TCP proxy that breaks a connection at a chunk from the client: before the server receives it, or when the server answers it.
 * @param breakAt called for each chunk that the client sends
 */
export async function startBreakingProxy(
  target: { host: string; port: number },
  breakAt: (sent: string) => 'before' | 'answered' | undefined,
): Promise<BreakingProxy> {
  const proxy: BreakingProxy = { port: 0, breaks: 0, close: () => {} };
  const server = createServer((client) => {
    const upstream = connect(target);
    let answering = false;
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    client.on('data', (chunk) => {
      const moment = breakAt(chunk.toString('latin1'));
      if (moment) proxy.breaks++;
      if (moment === 'before') return end();
      answering = moment === 'answered';
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (answering) return end();
      client.write(chunk);
    });
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
  });
  proxy.port = await listen(server);
  proxy.close = () => void server.close();
  return proxy;
}
