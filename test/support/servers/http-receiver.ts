/** A real HTTP server that accepts and records batches of rows, as a user's receiver would. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

export type ReceivedBatch = {
  path: string;
  headers: IncomingHttpHeaders;
  /** After decompression. */
  body: string;
  /** Whether it was answered with 2xx. */
  isTaken: boolean;
};

type Answer = number | { status: number; headers?: Record<string, string>; body?: string } | 'silence' | 'reset';

export type HttpReceiver = {
  url: string;
  received: ReceivedBatch[];
  /** Answers to the next requests, in turn; 200 when there are none left. */
  answers: Answer[];
  /** Number of connections that were opened. */
  connections(): number;
  stop(): Promise<void>;
};

export async function startHttpReceiver(): Promise<HttpReceiver> {
  const received: ReceivedBatch[] = [];
  const answers: Answer[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    void (async () => {
      const raw = await buffer(request);
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw;
      const answer = answers.shift() ?? 200;
      const isTaken = answerWith(response, answer);
      received.push({ path: request.url ?? '', headers: request.headers, body: body.toString(), isTaken });
    })().catch(() => response.destroy());
  });
  server.on('connection', () => connections++);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answers,
    connections: () => connections,
    async stop() {
      server.closeAllConnections();
      await new Promise((stopped) => server.close(stopped));
    },
  };
}

/** @returns whether the answer is 2xx */
function answerWith(response: ServerResponse, answer: Answer): boolean {
  if (answer === 'silence') return false;
  if (answer === 'reset') {
    response.socket?.resetAndDestroy();
    return false;
  }
  const { status, headers = {}, body = '{"status":1}' } = typeof answer === 'number' ? { status: answer } : answer;
  response.writeHead(status, { 'set-cookie': 'session=1', ...headers }).end(body);
  return status >= 200 && status < 300;
}
