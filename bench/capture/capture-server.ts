/** The server process that the capture benchmarks measure: capture, or, as the baseline, a server that only parses JSON. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createCapture } from '../../src/events/capture/capture.ts';
import { GROUPS_IN_FLIGHT } from '../../src/events/capture/group-commit.ts';
import { createPool } from '../../src/platform/db/connection.ts';
import { INGEST_TIMEOUTS } from '../../src/events/ingest/ingest.ts';
import { asRawHandler } from '../../src/platform/http/raw-answers.ts';
import { startHttpServer, type Listener } from '../../src/platform/http/server.ts';
import type { Lane } from '../../src/platform/lane/request.ts';
import { createLogger } from '../../src/platform/telemetry/logger.ts';
import { createClientAddress } from '../../src/platform/wire/client-address.ts';

export const TOKEN = 'phc_bench';
export type ServerReady = { port: number };

/** Reads the body, parses it, answers as capture does; stores nothing. */
const parseOnly: RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    JSON.parse(Buffer.concat(chunks).toString());
    const body = '{"status":1}';
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
    response.end(body);
  });
};

const notMeasured = () => Promise.reject(new Error('not part of this benchmark'));

function captureInto(databaseUrl: string): Lane {
  const capture = createCapture({
    pool: createPool({
      url: databaseUrl,
      applicationName: 'sluice-bench',
      maxConnections: GROUPS_IN_FLIGHT,
      ...INGEST_TIMEOUTS,
    }),
    projectByToken: async (token) =>
      token === TOKEN
        ? {
            id: 1,
            historicalFromProjectKey: false,
            anonymizeIps: false,
            cookielessServerHashMode: 0,
            retainedFrom: null,
          }
        : undefined,
    gatekeeper: { authenticate: notMeasured, enter: notMeasured },
    clientAddress: createClientAddress([]),
    salts: { getTodaysSalt: notMeasured },
    warn: () => {},
    eventsPerSecond: { project: 1e9, key: 1e9 },
    log: createLogger({ LOG_LEVEL: 'warn' }, 'bench'),
  });
  return capture.handle;
}

function listen(databaseUrl: string | undefined): Promise<{ port: number }> {
  const here = { host: '127.0.0.1', port: 0 };
  if (databaseUrl !== undefined) {
    const lane = captureInto(databaseUrl);
    // Batches are too large for the lane, so `node:http` serves them.
    const handle = asRawHandler(lane);
    const listener: Listener = async (request, response) => void handle(request, response);
    return startHttpServer({ listener, lane }, here);
  }
  const server = createServer(parseOnly);
  // The clients of these benchmarks cannot handle a server that closes their idle connections.
  server.keepAliveTimeout = 60_000;
  return new Promise((resolve) => {
    server.listen(here.port, here.host, () => resolve({ port: (server.address() as AddressInfo).port }));
  });
}

const [databaseUrl] = process.argv.slice(2);
if (process.send) {
  const { port } = await listen(databaseUrl);
  process.send({ port } satisfies ServerReady);
  process.once('disconnect', () => process.exit());
}
