/**
 * One embedded Postgres for the whole test process, a template database with the present schema, and a clone of it for each
 * caller. A clone takes about 50 ms.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createClient } from '../../../src/platform/db/connection.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../../src/platform/db/embedded-postgres.ts';
import { migrate } from '../../../src/platform/db/migrate.ts';
import { whenProcessEnds } from '../servers/process-end.ts';

type Cluster = { server: EmbeddedPostgres; directory: string };
let cluster: Promise<Cluster> | undefined;

async function startCluster(): Promise<Cluster> {
  const directory = await mkdtemp(path.join(tmpdir(), 'sluice-test-postgres-'));
  const server = await startEmbeddedPostgres({ directory, port: 0, durable: false });
  await runAsAdministrator(server.url, 'create database template_sluice');
  await migrate(databaseUrl(server.url, 'template_sluice'));
  whenProcessEnds(server, directory);
  return { server, directory };
}

function databaseUrl(url: string, name: string): string {
  const newUrl = new URL(url);
  newUrl.pathname = `/${name}`;
  return newUrl.href;
}

async function runAsAdministrator(url: string, sql: string): Promise<void> {
  const client = createClient({ url, applicationName: 'sluice-test' });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

export type TestDatabase = {
  url: string;
  /** Drops the database, ending sessions that are still open. */
  drop(): Promise<void>;
};

/** Copies files: by default Postgres writes every page of a copy to its log, which takes three times the CPU time. */
const copyOf = (name: string) => `template ${name} strategy file_copy`;

/** A fresh database with every migration applied. */
export async function createTestDatabase(): Promise<TestDatabase> {
  return createDatabase(copyOf('template_sluice'));
}

const nameOf = (url: string) => new URL(url).pathname.slice(1);

/** Copies a database as it is now. Ends its sessions; their pools open new ones. */
export async function copyTestDatabase(url: string): Promise<TestDatabase> {
  const name = nameOf(url);
  const { server } = await cluster!;
  for (let tries = 1; ; tries++) {
    await runAsAdministrator(
      server.url,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    );
    try {
      return await createDatabase(copyOf(name));
    } catch (error) {
      // A client has connected again meanwhile: tries again.
      if (tries === 20) throw error;
    }
  }
}

/** Restores a database from a copy. Ends its sessions; their pools open new ones. */
export async function restoreTestDatabase(url: string, copy: TestDatabase): Promise<void> {
  const { server } = await cluster!;
  await runAsAdministrator(server.url, `drop database ${nameOf(url)} with (force)`);
  await runAsAdministrator(server.url, `create database ${nameOf(url)} ${copyOf(nameOf(copy.url))}`);
}

/** A new, empty database, for destinations. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return createDatabase('');
}

async function createDatabase(options: string): Promise<TestDatabase> {
  cluster ??= startCluster();
  const { server } = await cluster;
  const name = `t_${randomBytes(6).toString('hex')}`;
  await runAsAdministrator(server.url, `create database ${name} ${options}`);
  return {
    url: databaseUrl(server.url, name),
    drop: () => runAsAdministrator(server.url, `drop database if exists ${name} with (force)`),
  };
}

/** Stops the cluster; the mocha hooks call it after the last test. */
export async function stopTestDatabases(): Promise<void> {
  if (!cluster) return;
  const { server, directory } = await cluster;
  cluster = undefined;
  await server.stop('immediate');
  await rm(directory, { recursive: true, force: true });
}
