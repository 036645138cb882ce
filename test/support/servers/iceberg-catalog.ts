/**
 * One real catalog, Apache's reference of the REST protocol, for the whole test process: its rows in the test's Postgres, its tables in
 * the test's store. If it is not installed, its suites are skipped with a message; with SLUICE_REQUIRE=all they fail.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from '../../../src/platform/config.ts';
import { createEmptyDatabase } from '../database/database.ts';
import { createTestBucket, OBJECT_STORE_KEYS, type TestBucket } from './object-store.ts';
import { terminate } from './process-end.ts';
import { skipSuite } from '../missing.ts';

const VERSION = '1.10.1';
const START_MS = 60_000;
const NOT_INSTALLED = `Apache's REST catalog ${VERSION} is not installed: .ci/run installs it, by Maven`;
const PROGRAM = fileURLToPath(new URL('iceberg-catalog/RestCatalog.java', import.meta.url));

/** Where a catalog keeps its tables: its properties, as the environment has them, and what the caller needs to know of the store. */
export type CatalogStorage<Store> = { env: Record<string, string>; store: Store };

type Server<Store> = { process: ChildProcess; uri: string; store: Store };
const running = new Map<string, Promise<Server<unknown>>>();

const libraries = () => path.join(cacheFolder(), `iceberg-catalog-${VERSION}`, 'libs');

/** Call it in a `before` hook, passing the hook's `this`. */
export function needsIcebergCatalog(suite: Mocha.Context): void {
  if (!existsSync(libraries())) skipSuite(suite, NOT_INSTALLED);
}

/** @param port 0 for any */
export function catalogProgram(databaseUrl: string, bucket: Omit<TestBucket, 'client'>, port = 0) {
  return programOf(databaseUrl, s3Env(bucket), port);
}

function programOf(databaseUrl: string, storage: Record<string, string>, port: number) {
  if (!existsSync(libraries())) throw new Error(NOT_INSTALLED);
  const url = new URL(databaseUrl);
  return {
    command: 'java',
    args: ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-cp', `${libraries()}/*`, PROGRAM],
    env: {
      ...process.env,
      PORT: String(port),
      CATALOG_CATALOG__IMPL: 'org.apache.iceberg.jdbc.JdbcCatalog',
      CATALOG_URI: `jdbc:postgresql://${url.hostname}:${url.port}${url.pathname}`,
      CATALOG_JDBC_USER: decodeURIComponent(url.username),
      CATALOG_JDBC_PASSWORD: decodeURIComponent(url.password),
      ...storage,
    },
  };
}

const s3Env = ({ bucket, endpoint, region }: Omit<TestBucket, 'client'>) => ({
  AWS_REGION: region,
  AWS_ACCESS_KEY_ID: OBJECT_STORE_KEYS.accessKeyId,
  AWS_SECRET_ACCESS_KEY: OBJECT_STORE_KEYS.secretAccessKey,
  CATALOG_WAREHOUSE: `s3://${bucket}/lake`,
  CATALOG_IO__IMPL: 'org.apache.iceberg.aws.s3.S3FileIO',
  CATALOG_S3_ENDPOINT: endpoint,
  CATALOG_S3_PATH__STYLE__ACCESS: 'true',
  CATALOG_CLIENT_REGION: region,
});

async function s3Storage(): Promise<CatalogStorage<TestBucket>> {
  const bucket = await createTestBucket();
  return { env: s3Env(bucket), store: bucket };
}

async function start<Store>(makeStorage: () => Promise<CatalogStorage<Store>>): Promise<Server<Store>> {
  const [database, storage] = await Promise.all([createEmptyDatabase(), makeStorage()]);
  const { command, args, env } = programOf(database.url, storage.env, 0);
  const server = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  // A test process that dies takes the server along; the hooks stop it in the ordinary case.
  process.once('exit', () => server.kill('SIGKILL'));
  return { process: server, uri: `http://127.0.0.1:${await portOf(server)}`, store: storage.store };
}

async function portOf(server: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const timer = setTimeout(() => reject(new Error('the catalog does not answer')), START_MS);
  server.once('exit', () => reject(new Error('the catalog has ended')));
  createInterface({ input: server.stdout! }).on('line', (line) => {
    const port = /listens on (\d+)/.exec(line)?.[1];
    if (port) resolve(port);
  });
  return promise.finally(() => clearTimeout(timer));
}

export type TestNamespace = { uri: string; namespace: string; bucket: TestBucket };

/** A fresh namespace in a catalog that is started when the first test asks. */
export async function createTestNamespace(): Promise<TestNamespace> {
  const { store: bucket, ...at } = await createNamespaceIn('s3', s3Storage);
  return { ...at, bucket };
}

/** As `createTestNamespace`. @param name of the storage; each has a catalog of its own */
export async function createNamespaceIn<Store>(
  name: string,
  makeStorage: () => Promise<CatalogStorage<Store>>,
): Promise<{ uri: string; namespace: string; store: Store }> {
  const starting = (running.get(name) ?? start(makeStorage)) as Promise<Server<Store>>;
  running.set(name, starting);
  const { uri, store } = await starting;
  const namespace = `n_${randomBytes(6).toString('hex')}`;
  await createNamespace(uri, namespace);
  return { uri, namespace, store };
}

export async function createNamespace(uri: string, namespace: string): Promise<void> {
  const answer = await fetch(`${uri}/v1/namespaces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ namespace: [namespace] }),
  });
  if (!answer.ok) throw new Error(`the catalog answered ${answer.status} to a new namespace`);
}

/** Stops the server; the mocha hooks call it after the last test. */
export async function stopTestIcebergCatalog(): Promise<void> {
  const servers = [...running.values()];
  running.clear();
  await Promise.all(
    servers.map(async (starting) => {
      const server = await starting.catch(() => undefined);
      if (server) await terminate(server.process);
    }),
  );
}
