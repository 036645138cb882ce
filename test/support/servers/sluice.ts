/** A started Sluice: the whole API on a real port over a database of its own. Temporal is away unless it is given: most of the API does not need it. */
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
export type Answered = {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  status: number;
  /** Answered on its connection, not through `node:http`. */
  inLane: boolean;
};

export type Sluice = {
  url: string;
  db: Knex;
  /** For looking at what was stored. */
  pool: Pool;
  /** In the order of their answers. */
  answered: Answered[];
  metrics: Metrics;
  /** The application behind it, for other servers. */
  application: Application;
  /** @param graceMs for what is under way */
  stop(graceMs?: number): Promise<void>;
};

const NOWHERE = { address: '127.0.0.1:1', namespace: 'test' };
const GRACE_MS = 5_000;

export type SluiceOptions = {
  database?: TestDatabase;
  locate?: Locate;
  flagRequestsPerSecond?: number;
  maxDistinctIds?: number;
  trustedProxies?: string[];
  /** Absent: it is away, as for what does not need it. */
  temporal?: TestTemporal;
  /** Keys of a worker that reads what this API has encrypted; absent: keys of its own. */
  encryptionKeys?: string;
  /** For exports to local files; absent: there are none. */
  localRoot?: string;
  /** Hosts of destinations that are private and allowed all the same. */
  allowedHosts?: string[];
  backfillsPerProject?: number;
  /** Where Temporal's UI has payloads opened; absent: nowhere. */
  codecFor?: { token: string; origin: string };
  temporalUiUrl?: string;
  /** Server of mail; absent: none is sent. */
  mail?: { url: string; from: string };
  /** Least level of what it logs. */
  logLevel?: 'warn' | 'error';
};

/** @param options `database`: dropped at the end */
export async function startSluice(options: SluiceOptions = {}): Promise<Sluice> {
  const {
    database = await createTestDatabase(),
    locate,
    flagRequestsPerSecond = 50_000,
    maxDistinctIds = 1_000,
    trustedProxies = [],
    temporal = NOWHERE,
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
  const answered: Answered[] = [];
  const server = await startHttpServer(
    {
      listener(request, response) {
        const { method = '', url = '', headers } = request;
        response.once('finish', () =>
          answered.push({ method, url, headers, status: response.statusCode, inLane: false }),
        );
        return started!.application.listener(request, response);
      },
      lane: (request, reply) => started!.application.lane!(request, noted(request, reply)),
    },
    { host: '127.0.0.1', port: 0 },
  );
  function noted({ method = '', url = '', headers }: LaneRequest, reply: Reply): Reply {
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
