import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connectionShortage, warnOfShortage } from '../../../src/platform/db/connection-budget.ts';
import { createPool, type Pool } from '../../../src/platform/db/connection.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../../src/platform/db/embedded-postgres.ts';
import { connectionLimit, poolCount } from '../../../src/platform/db/pools.ts';
import { createLogger } from '../../../src/platform/telemetry/logger.ts';
import { startApiProcess } from '../../support/servers/api-process.ts';
import { until } from '../../support/until.ts';

const SOURCES = fileURLToPath(new URL('../../../src/', import.meta.url));
const ONE_OF_EACH = { apiProcesses: 1, workerProcesses: 1, partsAtOnce: 4 };

const texts = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, text: readFileSync(path.join(SOURCES, file), 'utf8') }));

const opened = (...files: string[]) =>
  texts.filter(({ file }) => files.includes(file)).flatMap(({ text }) => [...text.matchAll(/\bcreate(?:Pool|Knex)\(/g)])
    .length;

const poolOf = (url: string, applicationName: string) => createPool({ url, applicationName, maxConnections: 20 });

describe('the table of pools', () => {
  it('is the only place that names a pool or says its size', () => {
    const strays = texts.filter(({ text }) => /applicationName: ['"`]|maxConnections: [\w'"`]+[,; }\n]/.test(text));
    // One administers a server of ours, and has no pool; the other declares what a pool takes.
    const known = ['platform/db/embedded-postgres.ts', 'platform/db/pools.ts'];
    assert.deepEqual(
      strays.map(({ file }) => file).filter((file) => !known.includes(file)),
      [],
    );
  });

  it('counts as many pools as the parts of the API and of the worker open', () => {
    assert.equal(opened('app/engine.ts'), poolCount('worker'));
    const parts = ['app/engine.ts', 'app/connections.ts'];
    assert.equal(opened(...parts, 'flags/definitions/live-definitions.ts'), poolCount('api'));
    assert.equal(poolCount('api'), 13);
  });

  it('adds up what a process may open', () => {
    assert.equal(connectionLimit('api', 4), 86);
    assert.equal(connectionLimit('worker', 4), 20);
    assert.equal(connectionLimit('worker', 100), 116);
  });
});

describe('the connections that a server grants', () => {
  const MOST = 115;
  let directory: string;
  let server: EmbeddedPostgres;
  let admin: Pool;
  const others: Pool[] = [];
  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'sluice-test-budget-'));
    await chmod(directory, 0o755);
    const settings = { max_connections: String(MOST) };
    server = await startEmbeddedPostgres({ directory, port: 0, durable: false, settings });
    admin = poolOf(server.url, 'sluice-test');
    await admin.query(`create role plain login password 'plain'`);
  });
  after(async () => {
    await Promise.all([...others, admin].map((pool) => pool.end()));
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });

  async function open(count: number, applicationName: string): Promise<Pool> {
    const pool = poolOf(server.url, applicationName);
    const clients = await Promise.all(Array.from({ length: count }, () => pool.connect()));
    for (const client of clients) client.release();
    return pool;
  }

  /** Shortage as seen by a role that is no superuser. */
  async function plainShortage(): Promise<string | undefined> {
    const url = new URL(server.url);
    Object.assign(url, { username: 'plain', password: 'plain' });
    const pool = poolOf(url.href, 'sluice-test');
    try {
      return await connectionShortage(pool, ONE_OF_EACH);
    } finally {
      await pool.end();
    }
  }

  it('are enough for one API and one worker where all fit', async () => {
    assert.equal(await connectionShortage(admin, ONE_OF_EACH), undefined);
    assert.equal(await plainShortage(), undefined);
  });

  it('are too few for more processes, with the figures and the setting to change', async () => {
    assert.equal(
      await connectionShortage(admin, { ...ONE_OF_EACH, workerProcesses: 2 }),
      'Postgres may run out of connections. SLUICE_API_PROCESSES (1) of 86 connections each and SLUICE_WORKER_PROCESSES (2) of 20 each may ' +
        `need 126, but max_connections is ${MOST}, of which 0 are reserved and 0 are used by others: set max_connections to at least 126; ` +
        'or run fewer processes.',
    );
    assert.match((await connectionShortage(admin, { ...ONE_OF_EACH, partsAtOnce: 20 }))!, /may need 138,/);
  });

  it('are too few where others use them, and reserved ones count for plain roles only', async () => {
    const eight = await open(8, 'somebody else');
    others.push(eight);
    assert.equal(await connectionShortage(admin, ONE_OF_EACH), undefined);
    assert.match(
      (await plainShortage())!,
      /3 are reserved and 8 are used by others: set max_connections to at least 117;/,
    );
    const ours = await open(8, 'sluice-engine');
    others.push(ours);
    assert.equal(await connectionShortage(admin, ONE_OF_EACH), undefined);
    await Promise.all(others.splice(0).map((pool) => pool.end()));
  });

  it('may be limited for the database and the role', async () => {
    const database = new URL(server.url).pathname.slice(1);
    await admin.query(`alter database ${database} connection limit 90`);
    await admin.query('alter role plain connection limit 80');
    const shortage = (await plainShortage())!;
    await admin.query(`alter database ${database} connection limit -1`);
    await admin.query('alter role plain connection limit -1');
    assert.match(shortage, /the database allows 90: alter database … connection limit 106; the role allows 80:/);
  });

  it('are too few, and the API reports so once and starts nevertheless', async () => {
    const warnings: string[] = [];
    const environment = { SLUICE_API_PROCESSES: '2', SLUICE_WORKER_PROCESSES: '1' };
    const onLog = (line: string) => void (line.includes('run out of connections') && warnings.push(line));
    const api = await startApiProcess({ databaseUrl: server.url, environment, onLog });
    try {
      assert.equal((await fetch(`${api.url}/_livez`)).status, 200);
      await until('the warning', () => warnings.length > 0);
      assert.match(warnings[0]!, /SLUICE_API_PROCESSES \(2\) of 86 .* may need 192, but max_connections is 115/);
      assert(!warnings[0]!.includes(new URL(server.url).password));
    } finally {
      await api.end('SIGTERM');
    }
    assert.equal(warnings.length, 1);
  });

  it('are looked up until Postgres answers, or the process stops', async () => {
    const away = poolOf('postgres://127.0.0.1:1/none', 'sluice-test');
    const stopping = new AbortController();
    const log = createLogger({ LOG_LEVEL: 'silent' }, 'test');
    const warned = warnOfShortage(away, ONE_OF_EACH, { log, signal: stopping.signal, retryMs: 60_000 });
    await sleep(100);
    stopping.abort();
    await warned;
    await away.end();
  });
});
