/** A real application on a real port, and a small client for it. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp, type AppOptions } from '../../../src/platform/http/app.ts';
import { createLogger } from '../../../src/platform/telemetry/logger.ts';

export type ApiAnswer = {
  status: number;
  headers: Headers;
  /** Parsed if it is JSON, otherwise the text. */
  body: unknown;
};

export type ApiRequest = {
  /** Sent as `Authorization: Bearer`. */
  key?: string;
  /** Sent as JSON, unless it is a string or bytes already. */
  body?: unknown;
  headers?: Record<string, string>;
};

export type Api = {
  /** The address, without a slash at the end. */
  url: string;
  server: Server;
  request(method: string, path: string, request?: ApiRequest): Promise<ApiAnswer>;
  /** All logged lines, as one text. */
  logText(): string;
  stop(): Promise<void>;
};

/** Base of the application's links. It differs from the listening address, so tests can tell which of the two was used. */
export const PUBLIC_URL = 'https://sluice.example';

export async function startApi<C>(
  options: Pick<AppOptions<C>, 'lane' | 'rawHandlers' | 'routes' | 'collaborators' | 'gatekeeper' | 'isAway'>,
): Promise<Api> {
  const lines: string[] = [];
  const log = createLogger({ LOG_LEVEL: 'debug' }, 'test', { write: (line) => lines.push(line) });
  const { listener } = createApp({ ...options, publicUrl: PUBLIC_URL, log });
  const server = createServer((request, response) => void listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    server,
    request: (method, path, request = {}) => send(url + path, method, request),
    logText: () => lines.join(''),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function send(url: string, method: string, { key, body, headers = {} }: ApiRequest): Promise<ApiAnswer> {
  const raw = typeof body === 'string' || body instanceof Uint8Array;
  const answer = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: raw ? (body as string) : JSON.stringify(body) }),
  });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') ?? false;
  return { status: answer.status, headers: answer.headers, body: isJson ? (JSON.parse(text) as unknown) : text };
}
