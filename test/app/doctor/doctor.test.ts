/** `sluice doctor` on set-ups that were sabotaged: each is named, with its fix, and a sound one has no problem. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { databaseChecks } from '../../../src/app/doctor/database-checks.ts';
import { diagnose, type Diagnosis } from '../../../src/app/doctor/diagnosis.ts';
import { examineInstallation } from '../../../src/app/doctor/installation.ts';
import { rateSpace } from '../../../src/app/doctor/machine-checks.ts';
import { rateServer } from '../../../src/app/doctor/temporal-checks.ts';
import { RECONCILER } from '../../../src/exports/temporal/schedules.ts';
import { environmentWith, readConfig, type Config } from '../../../src/platform/config.ts';
import { createPool, type Pool } from '../../../src/platform/db/connection.ts';
import { freePort } from '../../../src/platform/processes/port.ts';
import { generateKeyRing } from '../../../src/platform/secrets/key-ring.ts';
import { createEmptyDatabase } from '../../support/database/database.ts';
import { buildExport, buildExportWorld, environmentOf, type ExportWorld } from '../../support/exports/export-world.ts';
import { startSluice, type Sluice } from '../../support/servers/sluice.ts';
import { startStallingProxy } from '../../support/servers/stalling-proxy.ts';

const SLUICE = fileURLToPath(new URL('../../../bin/sluice', import.meta.url));
/** Postgres has ten seconds to answer and Temporal five; the rest is for a slow machine. */
const SILENT_MS = 40_000;
const PLANNED = { apiProcesses: 1, workerProcesses: 1, partsAtOnce: 1 };

/** Asserts that exactly one check has findings of this level, and returns the first of them. */
function only(level: 'problem' | 'warning', diagnoses: readonly Diagnosis[]): Diagnosis {
  const found = diagnoses.filter((diagnosis) => diagnosis.level === level);
  assert.equal(new Set(found.map(({ check }) => check)).size, 1, JSON.stringify(found, null, 1));
  assert.ok(found.every(({ fix }) => fix));
  return found[0]!;
}

describe('sluice doctor', () => {
  let world: ExportWorld;
  let api: Sluice;
  let pool: Pool;
  let scratch: string;
  let config: Config;
  let stopWorker: () => Promise<void>;

  before(async () => {
    world = await buildExportWorld();
    const worker = await world.startWorker();
    stopWorker = async () => {
      worker.shutdown();
      await worker.stopped;
    };
    await world.engine.schedules.ensureReconciler();
    await world.engine.stores.rounds.recordRound(1, 0);
    const { databaseUrl, temporal, encryptionKeys } = world.options;
    api = await startSluice({
      database: { url: databaseUrl, drop: async () => {} },
      temporal,
      encryptionKeys,
    });
    scratch = await mkdtemp(path.join(tmpdir(), 'sluice-test-doctor-'));
    pool = createPool({ url: databaseUrl, applicationName: 'test' });
    config = readConfig({
      ...environmentOf(world),
      EXPORT_ALLOWED_HOSTS: '127.0.0.1',
      SLUICE_STATE_DIR: path.join(scratch, 'absent'),
      SLUICE_PORT: new URL(api.url).port,
    });
    await world.batchExports.create(world.projectId, buildExport({ name: 'sound' }));
  });
  after(async () => {
    await pool?.end();
    await api?.stop();
    await world?.close();
    await rm(scratch, { recursive: true, force: true });
  });

  async function findings(changes: Partial<Config> = {}): Promise<Diagnosis[]> {
    return Array.fromAsync(examineInstallation({ ...config, ...changes }, { destinations: true }));
  }

  /** Runs the command, which must end with 1. @returns its lines of JSON */
  async function diagnosesOfCommand(changes: Partial<Config>): Promise<Diagnosis[]> {
    const environment = Object.entries({ ...config, ...changes }).map(([name, value]) => [name, String(value)]);
    const ended = await promisify(execFile)(process.execPath, [SLUICE, 'doctor', '--json', '--no-destinations'], {
      env: environmentWith(Object.fromEntries(environment) as Record<string, string>),
    }).catch((error: { code: number; stdout: string }) => error);
    assert.equal('code' in ended && ended.code, 1);
    const lines = ended.stdout.trim().split('\n');
    return lines.map((line) => JSON.parse(line) as Diagnosis);
  }

  const problemOf = async (changes: Partial<Config>) => only('problem', await findings(changes));

  it('finds no problem where there is none, and tests each destination', async () => {
    const diagnoses = await findings();
    assert.deepEqual(
      diagnoses.filter(({ level }) => level === 'problem' || level === 'skipped'),
      [],
    );
    assert.ok(diagnoses.some(({ detail }) => /^Temporal 1\.\d+\.\d+ answers, and has the namespace/.test(detail)));
    assert.match(diagnoses.at(-1)!.detail, /“sound” \(LocalFile\): (\d) of \1 test steps passed/);
  });

  describe('names', () => {
    it('a variable that is not set', async () => {
      const { detail } = only('problem', await findings({ SLUICE_ENCRYPTION_KEYS: undefined } as never));
      assert.match(detail, /Set SLUICE_ENCRYPTION_KEYS/);
    });

    it('a list of hosts with an entry that matches nothing', async () => {
      const { check, detail } = await problemOf({ EXPORT_ALLOWED_HOSTS: '127.0.0.1,10.0.0.0/33' });
      assert.equal(check, 'configuration');
      assert.match(detail, /10\.0\.0\.0\/33/);
    });

    it('a root of files that is no folder', async () => {
      const file = path.join(scratch, 'file');
      await writeFile(file, '');
      const problems = (await findings({ EXPORT_LOCAL_ROOT: file })).filter(({ level }) => level === 'problem');
      assert.equal(problems[0]!.check, 'disk');
      assert.match(problems[0]!.detail, /EXPORT_LOCAL_ROOT/);
    });

    it('a disk that is nearly full', () => {
      assert.deepEqual(
        [50 * 1024 ** 3, 1024 ** 3, 1024 ** 2].map((bytes) => rateSpace('EXPORT_LOCAL_ROOT', bytes).level),
        ['ok', 'warning', 'problem'],
      );
    });

    it('a Postgres that does not answer, and what was not checked because of it', async () => {
      const diagnoses = await findings({ DATABASE_URL: 'postgres://someone:canary@127.0.0.1:1/none' });
      const { check, detail } = only('problem', diagnoses);
      assert.equal(check, 'database');
      assert.match(detail, /ECONNREFUSED/);
      assert.ok(!JSON.stringify(diagnoses).includes('canary'));
      const skipped = diagnoses.filter(({ level }) => level === 'skipped').map(({ check: name }) => name);
      for (const name of ['schema', 'clock', 'deliveries', 'encryption keys']) assert.ok(skipped.includes(name), name);
    });

    it('a database that does not exist', async () => {
      const url = new URL(config.DATABASE_URL!);
      url.pathname = '/none';
      assert.match((await problemOf({ DATABASE_URL: url.href })).detail, /database "none" does not exist/);
    });

    it('migrations that were not applied', async () => {
      const empty = await createEmptyDatabase();
      try {
        const problems = (await findings({ DATABASE_URL: empty.url })).filter(({ level }) => level === 'problem');
        assert.equal(problems[0]!.check, 'schema');
        assert.match(problems[0]!.fix!, /sluice migrate/);
      } finally {
        await empty.drop();
      }
    });

    it('a database that a newer version migrated', async () => {
      await pool.query(`insert into schema_migrations (name, batch) values ('9999_future', 999)`);
      try {
        const { check, detail } = await problemOf({});
        assert.equal(check, 'schema');
        assert.match(detail, /newer than this program: it has 9999_future/);
      } finally {
        await pool.query(`delete from schema_migrations where name = '9999_future'`);
      }
    });

    it('more processes than Postgres has connections for', async () => {
      const { check, detail } = only('warning', await findings({ SLUICE_API_PROCESSES: 500 }));
      assert.equal(check, 'connections');
      assert.match(detail, /max_connections/);
    });

    it('a clock that is wrong', async () => {
      const checks = databaseChecks({ pool, planned: PLANNED, now: () => Date.now() + 90_000 });
      const { check, detail } = only('problem', await Array.fromAsync(diagnose(checks)));
      assert.equal(check, 'clock');
      assert.match(detail, /(89|90)\.\d s ahead of that of Postgres/);
    });

    it('a transaction that was forgotten', async () => {
      const forgotten = await pool.connect();
      try {
        await forgotten.query('begin');
        await forgotten.query('select 1');
        const checks = databaseChecks({ pool, planned: PLANNED, longTransactionS: 0 });
        const { check, detail, fix } = only('warning', await Array.fromAsync(diagnose(checks)));
        assert.equal(check, 'transactions');
        assert.match(detail, /\(test, idle in transaction\)/);
        assert.match(fix!, /pg_terminate_backend\(\d+\)/);
      } finally {
        await forgotten.query('rollback');
        forgotten.release();
      }
    });

    it('a Temporal that does not answer', async () => {
      const { check, fix } = await problemOf({ TEMPORAL_ADDRESS: '127.0.0.1:1' });
      assert.equal(check, 'temporal');
      assert.match(fix!, /TEMPORAL_ADDRESS/);
    });

    it('a Temporal that is older than the tested one', () => {
      assert.deepEqual(
        ['1.28.3', '0.30.0', '1.29.0', '1.30.1', '2.0.0'].map((version) => rateServer(version, 'sluice').level),
        ['warning', 'warning', 'ok', 'ok', 'ok'],
      );
    });

    it('two variables with the same port', async () => {
      const changes = { SLUICE_METRICS_PORT: config.SLUICE_PORT };
      const { check, detail } = only('warning', await findings(changes));
      assert.equal(check, 'ports');
      assert.match(detail, /SLUICE_PORT and SLUICE_METRICS_PORT are both \d+/);
    });

    it('a namespace that does not exist', async () => {
      const { detail } = await problemOf({ TEMPORAL_NAMESPACE: 'misspelled' });
      assert.match(detail, /no namespace misspelled/);
    });

    it('a Postgres and a Temporal that accept connections and then are silent, and ends', async () => {
      const proxy = await startStallingProxy('http://127.0.0.1:1');
      proxy.stall();
      try {
        const { host } = new URL(proxy.origin);
        const started = performance.now();
        const diagnoses = await diagnosesOfCommand({
          DATABASE_URL: `postgres://someone:canary@${host}/none`,
          TEMPORAL_ADDRESS: host,
        });
        assert.ok(performance.now() - started < SILENT_MS, `${performance.now() - started} ms`);
        const problems = diagnoses.filter(({ level }) => level === 'problem');
        assert.deepEqual(
          problems.map(({ check }) => check),
          ['database', 'temporal'],
        );
        assert.ok(problems.every(({ fix }) => fix));
      } finally {
        proxy.close();
      }
    });

    it('a reconciler that is paused', async () => {
      const schedule = world.engine.temporal.client.schedule.getHandle(RECONCILER);
      await schedule.pause('by hand');
      try {
        const { check, fix } = await problemOf({});
        assert.equal(check, 'reconciler');
        assert.match(fix!, /toggle --unpause/);
      } finally {
        await schedule.unpause();
      }
    });

    it('a port on which another program answers, or none', async () => {
      const other = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1');
      await new Promise((resolve) => other.once('listening', resolve));
      const { port } = other.address() as AddressInfo;
      const { check, detail } = only('warning', await findings({ SLUICE_PORT: port }));
      assert.equal(check, 'api');
      assert.match(detail, /Another program answers/);
      await new Promise((resolve) => other.close(resolve));
      assert.match(only('warning', await findings({ SLUICE_PORT: port })).detail, /Nothing answers at/);
    });

    it('a destination that refuses, and a key that does not open its secrets', async () => {
      const destination = {
        type: 'S3Compatible' as const,
        config: {
          bucket_name: 'bucket',
          region: 'us-east-1',
          aws_access_key_id: 'id',
          aws_secret_access_key: 'canary',
          endpoint_url: `http://127.0.0.1:${await freePort()}`,
        },
      };
      const broken = buildExport({ name: 'broken', destination, paused: true });
      const { id } = await world.batchExports.create(world.projectId, broken);
      const { check, detail } = await problemOf({});
      assert.equal(check, `export ${id}`);
      assert.match(detail, /“broken” \(S3Compatible\): /);
      const diagnoses = await findings({ SLUICE_ENCRYPTION_KEYS: generateKeyRing() });
      const keys = diagnoses.find(({ check: name }) => name === 'encryption keys')!;
      assert.equal(keys.level, 'problem');
      assert.match(keys.detail, /has another key under the id "k1"/);
      assert.ok(!JSON.stringify(diagnoses).includes('canary'));
    });

    it('workers that do not poll, with the exit code of the command and its lines of JSON', async () => {
      await stopWorker();
      const other = `unpolled-${world.options.temporal.namespace}`;
      const { connection } = world.engine.temporal.client;
      await connection.workflowService.registerNamespace({
        namespace: other,
        workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
      });
      const diagnoses = await diagnosesOfCommand({ TEMPORAL_NAMESPACE: other });
      const { check, fix } = only('problem', diagnoses);
      assert.equal(check, 'temporal workers');
      assert.match(fix!, /sluice worker/);
    });
  });
});
