/** An HTTP proxy in front of a real server, which loses or refuses what the test tells it to. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** `drop`: the server gets the request, the client never gets its answer. `503`: the server never gets it. */
export type Fault = 'drop' | '503' | undefined;

export type FaultyProxy = { origin: string; requests: number; faults: number; close(): void };

/** @param fault asked for each request; the query tells what an S3 call is for */
export async function startFaultyProxy(
  target: string,
  fault: (request: { method: string; url: string }) => Fault,
): Promise<FaultyProxy> {
  const { hostname, port } = new URL(target);
  const proxy: FaultyProxy = { origin: '', requests: 0, faults: 0, close: () => {} };
  const server = http.createServer((request, response) => {
    const [method, url] = [request.method ?? '', request.url ?? ''];
    proxy.requests++;
    const wrong = fault({ method, url });
    if (wrong) proxy.faults++;
    if (wrong === '503') {
      request.resume();
      response.writeHead(503).end('<Error><Code>SlowDown</Code></Error>');
      return;
    }
    // The signature covers the host header, so it passes unchanged.
    const forwarded = http.request({ hostname, port, method, path: url, headers: request.headers }, (answer) => {
      if (wrong === 'drop') return request.socket.destroy();
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    request.pipe(forwarded);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  proxy.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  proxy.close = () => {
    server.close();
    server.closeAllConnections();
  };
  return proxy;
}
