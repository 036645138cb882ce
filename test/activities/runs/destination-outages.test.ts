/** Runs whose destination changes under them: a failover, a rotation of secrets, a restore. The same run delivers after it. */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import type { Step } from '../../../activities/engine.ts';
import { createClient } from '../../../src/platform/db/connection.ts';
import { isoMicros, millisOf } from '../../../src/exports/domain/instants.ts';
import type { Run } from '../../../src/exports/runs/runs.store.ts';
import { createEmptyDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildEvent, microseconds } from '../../support/events/events.ts';
import {
  runsAfterBackfill,
  buildExport,
  buildExportWorld,
  eventually,
  type ExportWorld,
} from '../../support/exports/export-world.ts';
import { startFaultyProxy } from '../../support/servers/faulty-proxy.ts';
import { createTestBucket, needsObjectStore, OBJECT_STORE_KEYS } from '../../support/servers/object-store.ts';

const HOUR = 3_600_000;

async function query(url: string, ...statements: string[]): Promise<void> {
  const client = createClient({ url, applicationName: 'test' });
  await client.connect();
  try {
    for (const sql of statements) await client.query(sql);
  } finally {
    await client.end();
  }
}
describe('a run whose destination changes under it', () => {
  let world: ExportWorld;
  let hours = 0;
  before(async () => {
    world = await buildExportWorld();
    await world.startWorker();
  });
  after(async () => world.close());
  afterEach(() => {
    world.onStep = async () => {};
  });

  type Asked = { id: string; backfillId: string; end: string };

  /** Asks for an hour of its own with three rows in it; `act` is done when its run reaches the step for the first time. */
  async function requestHour(
    destination: { type: string; config: Record<string, unknown> },
    at: { step: string; act: (step: Step) => Promise<unknown> },
  ): Promise<Asked> {
    const start = millisOf('2015-05-17T00:00:00Z') + hours++ * HOUR;
    const timestamp = microseconds(new Date(start + 60_000).toISOString());
    await world.store([1, 2, 3].map(() => buildEvent({ uuid: randomUUID(), timestamp })));
    const { id } = await world.batchExports.create(world.projectId, buildExport({ destination }));
    let done = false;
    world.onStep = async (step) => {
      if (done || step.exportId !== id || step.name !== at.step) return;
      done = true;
      await at.act(step);
    };
    const range = { startAt: isoMicros(start), endAt: isoMicros(start + HOUR) };
    const backfill = await world.backfills.request(world.projectId, id, range);
    return { id, backfillId: backfill.id, end: range.endAt };
  }

  /** Waits until the run, still open, says this of its last attempt. */
  async function waitForError({ id, end }: Asked, message: RegExp, code: string, field: string | null): Promise<void> {
    const found = await eventually(`a run that says ${message.source}`, async () => {
      const run = await world.engine.stores.runs.findNewestOfInterval(id, end);
      assert.ok(!run || ['Starting', 'Running'].includes(run.status), `${run?.status}: ${run?.latestError}`);
      // A request that is repeated within the attempt has no next try yet.
      return run?.nextTryAt && message.test(run.latestError ?? '') ? run : undefined;
    });
    const { errorCode, errorField, nextTryAt } = found!;
    assert.deepEqual([errorCode, errorField], [code, field && `destination__config__${field}`]);
    assert.ok(nextTryAt !== null && millisOf(nextTryAt) < Date.now() + 61_000);
  }

  async function onlyRun({ id, backfillId }: Asked): Promise<Run> {
    const runs = await runsAfterBackfill(world, id, backfillId);
    assert.equal(runs.length, 1);
    return runs[0]!;
  }

  describe('in Postgres', () => {
    let database: TestDatabase;
    let role: string;
    let name: string;
    beforeEach(async () => {
      database = await createEmptyDatabase();
      name = new URL(database.url).pathname.slice(1);
      role = `exporter_${randomBytes(4).toString('hex')}`;
      await asOwner(`create role ${role} login password 'first'; grant all on schema public to ${role}`);
    });
    afterEach(async () => {
      await database.drop();
      await asAdministrator(`drop role ${role}`);
    });

    const asOwner = async (...statements: string[]) => query(database.url, ...statements);
    async function asAdministrator(...statements: string[]) {
      const url = new URL(database.url);
      url.pathname = '/postgres';
      await query(url.href, ...statements);
    }

    function table(password = 'first') {
      const { hostname, port } = new URL(database.url);
      const config = { host: hostname, port: Number(port), user: role, password, database: name };
      return { type: 'Postgres', config };
    }

    async function rowsDelivered(): Promise<number> {
      const client = createClient({ url: database.url, applicationName: 'test' });
      await client.connect();
      const { rows } = await client.query<{ count: number }>('select count(*)::int as count from events');
      await client.end();
      return rows[0]!.count;
    }

    for (const step of ['after-plan', 'before-committing']) {
      it(`with a host that may not be contacted at "${step}", as when name servers are away, is delivered to once it may`, async () => {
        const { environment } = world.engine;
        const { allowedHosts } = environment;
        try {
          const requested = await requestHour(table(), { step, act: async () => (environment.allowedHosts = []) });
          await waitForError(requested, /host cannot be used/, 'host_not_allowed', 'host');
          environment.allowedHosts = allowedHosts;
          const run = await onlyRun(requested);
          assert.deepEqual([run.status, run.latestError, run.epoch], ['Completed', null, 1]);
          assert.equal(await rowsDelivered(), 3);
        } finally {
          environment.allowedHosts = allowedHosts;
        }
      });
    }

    for (const step of ['after-plan', 'before-commit']) {
      it(`turned read-only at "${step}" is delivered to once it is writable`, async () => {
        const act = async () => asOwner(`alter database ${name} set default_transaction_read_only = on`);
        const requested = await requestHour(table(), { step, act });
        await waitForError(requested, /read-only.*25006/, 'server_read_only', 'host');
        await asOwner(
          `begin; set transaction read write; alter database ${name} reset default_transaction_read_only; commit`,
        );
        const run = await onlyRun(requested);
        assert.deepEqual([run.status, run.latestError, run.epoch], ['Completed', null, 1]);
        assert.equal(await rowsDelivered(), 3);
      });
    }

    it('with a rotated password is delivered to with the new one, once the export has it', async () => {
      const requested = await requestHour(table(), {
        step: 'after-plan',
        act: async () => asOwner(`alter role ${role} password 'second'`),
      });
      await waitForError(requested, /user or the password is wrong/, 'wrong_password', 'password');
      await world.batchExports.patch(world.projectId, requested.id, { destination: table('second') });
      const run = await onlyRun(requested);
      assert.deepEqual([run.status, run.latestError, run.epoch], ['Completed', null, 1]);
      assert.equal(await rowsDelivered(), 3);
    });

    it('dropped before a part and restored is delivered to', async () => {
      const act = async () => asAdministrator(`drop database ${name} with (force)`);
      const requested = await requestHour(table(), { step: 'after-plan', act });
      await waitForError(requested, /database does not exist/, 'database_not_found', 'database');
      await asAdministrator(`create database ${name}`);
      await waitForError(requested, /lacks a privilege/, 'privilege_missing', 'user');
      await asOwner(`grant all on schema public to ${role}`);
      const run = await onlyRun(requested);
      assert.deepEqual([run.status, run.latestError, run.epoch], ['Completed', null, 1]);
      assert.equal(await rowsDelivered(), 3);
    });

    it('restored before the commit without what was staged ends its run at once, to be delivered anew', async () => {
      const requested = await requestHour(table(), {
        step: 'before-commit',
        async act() {
          await asAdministrator(`drop database ${name} with (force)`, `create database ${name}`);
          await asOwner(`grant all on schema public to ${role}`);
        },
      });
      const run = await onlyRun(requested);
      assert.equal(run.status, 'FailedRetryable');
      assert.match(run.latestError!, /^The staged data of this run is no longer at the destination/);
    });
  });

  describe('in S3', () => {
    before(function () {
      return needsObjectStore(this);
    });

    it('that refuses its keys for a while is delivered to', async () => {
      const bucket = await createTestBucket();
      let refusing = false;
      const proxy = await startFaultyProxy(bucket.endpoint, () => (refusing ? '403' : undefined));
      const config = {
        bucket_name: bucket.bucket,
        region: bucket.region,
        endpoint_url: proxy.origin,
        aws_access_key_id: OBJECT_STORE_KEYS.accessKeyId,
        aws_secret_access_key: OBJECT_STORE_KEYS.secretAccessKey,
      };
      const act = async () => {
        refusing = true;
        return Promise.resolve();
      };
      const requested = await requestHour({ type: 'S3', config }, { step: 'after-plan', act });
      await waitForError(requested, /access key id does not exist/, 'access_key_not_found', 'aws_access_key_id');
      refusing = false;
      const run = await onlyRun(requested);
      proxy.close();
      assert.deepEqual([run.status, run.latestError, run.epoch, run.recordsCompleted], ['Completed', null, 1, 3]);
    });
  });
});
