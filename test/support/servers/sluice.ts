/** A started Sluice: the whole API on a real port over a database of its own. Most of the API does not need Temporal, so none runs by default. */
import type { IncomingMessage } from 'node:http';
import { createApi, type Api } from '../../../src/app/api.ts';
import { createKnex, createPool, type Knex, type Pool } from '../../../src/platform/db/connection.ts';
import { startHttpServer, type Application } from '../../../src/platform/http/server.ts';
import type { LaneRequest, Reply } from '../../../src/platform/lane/request.ts';
import { createKeyRing, generateKeyRing } from '../../../src/platform/secrets/key-ring.ts';
import { createLogger } from '../../../src/platform/telemetry/logger.ts';
import type { Metrics } from '../../../src/platform/telemetry/metrics.ts';
import { payloadCodec } from '../../../src/platform/temporal/payload-codec.ts';
import { createClientAddress } from '../../../src/platform/wire/client-address.ts';
import type { Locate } from '../../../src/platform/wire/geoip.ts';
import { createTestDatabase, type TestDatabase } from '../database/database.ts';
import type { TestTemporal } from './temporal.ts';

/** A request that was answered. */
export type AnsweredRequest = {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  status: number;
  /** Whether the fast path answered, not `node:http`. */
  inLane: boolean;
};

export type Sluice = {
  url: string;
  db: Knex;
  /** Pool for reading what was stored. */
  pool: Pool;
  /** Answered requests, in the order of the answers. */
  answered: AnsweredRequest[];
  metrics: Metrics;
  /** The application behind the server, for other servers. */
  application: Application;
  /** @param graceMs time for requests in progress */
  stop(graceMs?: number): Promise<void>;
};

const UNREACHABLE_TEMPORAL = { address: '127.0.0.1:1', namespace: 'test' };
const GRACE_MS = 5_000;

export type SluiceOptions = {
  database?: TestDatabase;
  locate?: Locate;
  flagRequestsPerSecond?: number;
  maxDistinctIds?: number;
  trustedProxies?: string[];
  /** Absent if Temporal is unavailable. */
  temporal?: TestTemporal;
  /** Key ring of a worker that decrypts what this API encrypts; absent: a new key ring. */
  encryptionKeys?: string;
  /** Root of LocalFile exports; absent if the type is not offered. */
  localRoot?: string;
  /** Private hosts that destinations may use. */
  allowedHosts?: string[];
  backfillsPerProject?: number;
  /** Access of Temporal's UI to decrypted payloads; absent for none. */
  codecFor?: { token: string; origin: string };
  temporalUiUrl?: string;
  /** Mail server; absent if no mail is sent. */
  mail?: { url: string; from: string };
  /** Lowest level that is logged. */
  logLevel?: 'warn' | 'error';
};

/** @param options `database`: dropped when the server stops */
export async function startSluice(options: SluiceOptions = {}): Promise<Sluice> {
  const {
    database = await createTestDatabase(),
    locate,
    flagRequestsPerSecond = 50_000,
    maxDistinctIds = 1_000,
    trustedProxies = [],
    temporal = UNREACHABLE_TEMPORAL,
    encryptionKeys = generateKeyRing(),
    localRoot,
    allowedHosts = [],
    backfillsPerProject = 1,
    codecFor,
    temporalUiUrl,
    mail,
    logLevel = 'error',
  } = options;
  let started: Api | undefined;
  const answered: AnsweredRequest[] = [];
  const server = await startHttpServer(
    {
      listener(request, response) {
        const { method = '', url = '', headers } = request;
        response.once('finish', () =>
          answered.push({ method, url, headers, status: response.statusCode, inLane: false }),
        );
        return started!.application.listener(request, response);
      },
      lane: (request, reply) => started!.application.lane!(request, recordReply(request, reply)),
    },
    { host: '127.0.0.1', port: 0 },
  );
  function recordReply({ method = '', url = '', headers }: LaneRequest, reply: Reply): Reply {
    return (status, text, given) => {
      answered.push({ method, url, headers, status, inLane: true });
      reply(status, text, given);
    };
  }
  const api = createApi({
    databaseUrl: database.url,
    temporal: codecFor ? { ...temporal, codec: payloadCodec(createKeyRing(encryptionKeys)) } : temporal,
    codecAccess: codecFor,
    temporalUiUrl,
    mail,
    encryptionKeys,
    environment: { localRoot, allowedHosts },
    partsAtOnce: 1,
    limits: { runsPerProject: 1, backfillsPerProject },
    clientAddress: createClientAddress(trustedProxies),
    eventsPerSecond: { project: 50_000, key: 50_000 },
    requestLimits: { perMinute: 100_000, perHour: 100_000 },
    flagRequestsPerSecond,
    maxDistinctIds,
    locate,
    log: createLogger({ LOG_LEVEL: logLevel }, 'test'),
    publicUrl: server.url,
  });
  started = api;
  const db = createKnex({ url: database.url, applicationName: 'test' });
  const pool = createPool({ url: database.url, applicationName: 'test' });
  return {
    url: server.url,
    db,
    pool,
    answered,
    metrics: api.metrics,
    application: api.application,
    async stop(graceMs = GRACE_MS) {
      api.drain();
      await server.stop(graceMs);
      await api.close();
      await Promise.all([db.destroy(), pool.end()]);
      await database.drop();
    },
  };
}
