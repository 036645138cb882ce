/** The server process that `decide.ts` measures: the whole API, a server that only parses JSON, or a peer. */
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import path from 'node:path';
import { createApi } from '../../src/app/api.ts';
import { startHttpServer } from '../../src/platform/http/server.ts';
import { generateKeyRing } from '../../src/platform/secrets/key-ring.ts';
import { createLogger } from '../../src/platform/telemetry/logger.ts';
import { createClientAddress } from '../../src/platform/wire/client-address.ts';
import { flagdConfiguration, unleashStrategies } from './decide-flags.ts';

/** The role of the process, as JSON in its first argument. */
export type ServerRole =
  | { role: 'bare'; answer: string }
  | { role: 'sluice'; databaseUrl: string; fastPath?: boolean }
  | { role: 'flagd'; peers: string; flags: number }
  | { role: 'unleash'; peers: string; flags: number; databaseUrl: string };
export type ServerReady = { port: number };

/** Token for Unleash's frontend API, in the format that Unleash demands. */
export const UNLEASH_TOKEN = 'default:development.bench-frontend';
const UNLEASH_ADMIN = '*:*.bench-admin';

function sendText(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}

/** Answers each request with the result of `answer` for its parsed body. */
function jsonServer(answer: (body: unknown) => string): RequestListener {
  return (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => sendText(response, answer(JSON.parse(Buffer.concat(chunks).toString()))));
  };
}

/** Starts the API with the same parts as `sluice api`. */
async function sluice(databaseUrl: string, fastPath?: boolean): Promise<number> {
  const api = createApi({
    databaseUrl,
    temporal: { address: '127.0.0.1:1', namespace: 'bench' },
    encryptionKeys: generateKeyRing(),
    environment: { localRoot: undefined, allowedHosts: [] },
    partsAtOnce: 1,
    limits: { runsPerProject: 1, backfillsPerProject: 1 },
    clientAddress: createClientAddress([]),
    eventsPerSecond: { project: 1e9, key: 1e9 },
    requestLimits: { perMinute: 100_000, perHour: 100_000 },
    flagRequestsPerSecond: 1e9,
    maxDistinctIds: 1_000,
    log: createLogger({ LOG_LEVEL: 'warn' }, 'bench'),
    publicUrl: 'http://127.0.0.1',
  });
  const { port } = await startHttpServer(api.application, { host: '127.0.0.1', port: 0, fastPath });
  return port;
}

type FlagdCore = {
  setConfigurations(flags: string): void;
  resolveAll(context: object): { flagKey: string; value: unknown }[];
};

/** flagd's own evaluator, as a library. */
async function flagd(peers: string, flags: number): Promise<RequestListener> {
  const { FlagdCore } = (await load(peers, '@openfeature/flagd-core/index.esm.js')) as {
    FlagdCore: new () => FlagdCore;
  };
  const core = new FlagdCore();
  core.setConfigurations(flagdConfiguration(flags));
  return jsonServer((body) => {
    const { distinct_id: targetingKey, person_properties } = body as { distinct_id: string; person_properties: object };
    const decided = core.resolveAll({ targetingKey, ...person_properties });
    return JSON.stringify({ featureFlags: Object.fromEntries(decided.map(({ flagKey, value }) => [flagKey, value])) });
  });
}

type Unleash = { start(options: object): Promise<{ server: { address(): AddressInfo } }> };

/** @returns the port of Unleash's server, its flags made through its own API */
async function unleash({ peers, flags, databaseUrl }: { peers: string; flags: number; databaseUrl: string }) {
  const { start } = (await load(peers, 'unleash-server/dist/lib/server-impl.js')) as Unleash;
  const token = { tokenName: 'bench', project: 'default' };
  const { server } = await start({
    databaseUrl,
    db: { ssl: false },
    server: { host: '127.0.0.1', port: 0 },
    authentication: {
      type: 'none',
      initApiTokens: [
        { ...token, environment: '*', project: '*', secret: UNLEASH_ADMIN, type: 'admin' },
        { ...token, environment: 'development', projects: ['default'], secret: UNLEASH_TOKEN, type: 'frontend' },
      ],
    },
    logLevel: 'error',
    // Unleash's own limits are 20,000 a minute.
    rateLimiting: { sdkApiMaxPerMinute: 1e9, tokenAuthenticationMaxPerMinute: 1e9 },
    versionCheck: { enable: false },
    telemetry: false,
  });
  const { port } = server.address();
  const features = `http://127.0.0.1:${port}/api/admin/projects/default/features`;
  for (const { name, strategy } of unleashStrategies(flags)) {
    await ask(features, { name, type: 'release' });
    await ask(`${features}/${name}/environments/development/strategies`, strategy);
    await ask(`${features}/${name}/environments/development/on`, {});
  }
  return port;
}

async function ask(url: string, body: object): Promise<void> {
  const headers = { Authorization: UNLEASH_ADMIN, 'Content-Type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`Unleash answered ${answer.status}: ${await answer.text()}`);
}

function load(peers: string, file: string): Promise<unknown> {
  return import(pathToFileURL(path.join(peers, 'node_modules', file)).href);
}

function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  server.keepAliveTimeout = 60_000;
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

function start(role: ServerRole): Promise<number> {
  switch (role.role) {
    case 'bare':
      return listen(jsonServer(() => role.answer));
    case 'sluice':
      return sluice(role.databaseUrl, role.fastPath);
    case 'flagd':
      return flagd(role.peers, role.flags).then(listen);
    case 'unleash':
      return unleash(role);
  }
}

if (process.send && process.argv[2]) {
  const port = await start(JSON.parse(process.argv[2]) as ServerRole);
  process.send({ port } satisfies ServerReady);
  process.once('disconnect', () => process.exit());
}
