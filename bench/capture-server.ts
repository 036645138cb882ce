/** A process of its own for `capture.ts`: our capture, or the least that a server of JSON can do. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createCapture } from '../src/capture/capture.ts';
import { GROUPS_IN_FLIGHT } from '../src/capture/group-commit.ts';
import { createPool } from '../src/db/connection.ts';
import { INGEST_TIMEOUTS } from '../src/events/ingest.ts';
import { createLogger } from '../src/telemetry/logger.ts';
import { createClientAddress } from '../src/wire/client-address.ts';

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

function captureInto(databaseUrl: string): RequestListener {
  const capture = createCapture({
    pool: createPool({
      url: databaseUrl,
      applicationName: 'sluice-bench',
      maxConnections: GROUPS_IN_FLIGHT,
      ...INGEST_TIMEOUTS,
    }),
    projectByToken: async (token) =>
      token === TOKEN ? { id: 1, historicalFromProjectKey: false, anonymizeIps: false } : undefined,
    gatekeeper: { authenticate: notMeasured, enter: notMeasured },
    clientAddress: createClientAddress([]),
    warn: () => {},
    eventsPerSecond: { project: 1e9, key: 1e9 },
    log: createLogger({ LOG_LEVEL: 'warn' }, 'bench'),
  });
  return (request, response) => void capture.handle(request, response);
}

const [databaseUrl] = process.argv.slice(2);
if (process.send) {
  const server = createServer(databaseUrl === undefined ? parseOnly : captureInto(databaseUrl));
  // The clients of these benchmarks do not expect to find their idle connections closed.
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () => {
    process.send?.({ port: (server.address() as AddressInfo).port } satisfies ServerReady);
  });
  process.once('disconnect', () => process.exit());
}
