/** Trying a destination before anything is exported. */
import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { folderQuota } from '../../../src/exports/destinations/local-file/quota.ts';
import { localStore } from '../../../src/exports/destinations/local-file/store.ts';
import { createClient } from '../../../src/platform/db/connection.ts';
import { freePort } from '../../../src/platform/processes/port.ts';
import { createEmptyDatabase, type TestDatabase } from '../../support/database/database.ts';
import { startExportsApi, type ExportsApi } from '../../support/api/exports-api.ts';
import { createTestBucket, needsObjectStore, OBJECT_STORE_KEYS } from '../../support/servers/object-store.ts';

type Result = { status: string; message: string | null };
type Listed = { steps: { name: string; description: string; result: null }[] };

const newExport = (type: string, config: object, change: object = {}) => ({
  name: 'Tried first',
  destination: { type, config },
  interval: 'hour',
  ...change,
});

describe('test steps', () => {
  let exports: ExportsApi;
  before(async () => {
    exports = await startExportsApi();
  });
  after(() => exports.close());

  /** Runs the steps as a console does: in order, up to the first that fails. */
  async function resultsOf(type: string, config: object, change: object = {}): Promise<Result[]> {
    const listed = await exports.request('GET', `/batch_exports/test/?destination=${type}`);
    const results: Result[] = [];
    for (const [step, { name }] of (listed.body as Listed).steps.entries()) {
      const body = { ...newExport(type, config, change), step };
      const answer = await exports.request('POST', '/batch_exports/run_test_step_new/', body);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      const tested = answer.body as { name: string; result: Result };
      assert.equal(tested.name, name);
      results.push(tested.result);
      if (tested.result.status !== 'Passed') return results;
    }
    return results;
  }
  const passed: Result = { status: 'Passed', message: null };

  it('are listed for every type, also without the slash; empty for no type and unknown ones', async () => {
    for (const type of ['LocalFile', 'S3', 'AwsS3', 'S3Compatible', 'Postgres']) {
      const { status, body } = await exports.request('GET', `/batch_exports/test/?destination=${type}`);
      assert.equal(status, 200);
      const { steps } = body as Listed;
      assert.ok(steps.length > 0 && steps.every(({ name, description }) => name !== '' && description !== ''));
    }
    const address = `/api/projects/${exports.world.projectId}/batch_exports/test`;
    const answers: [path: string, status: number, body?: string][] = [
      [`${address}?destination=Postgres`, 200],
      [`${address}/`, 400, ''],
      [`${address}/?destination=`, 400, ''],
      [`${address}/?destination=Nowhere`, 404, ''],
    ];
    for (const [path, status, body] of answers) {
      const answer = await exports.api.request('GET', path, { key: exports.key });
      assert.equal(answer.status, status, path);
      if (body !== undefined) assert.equal(answer.body, body);
    }
  });

  it('make the folder of local files and leave neither a file nor a folder that was not there', async () => {
    const { folder } = exports.world;
    const config = { directory: 'tried', prefix: '{table}/{year}' };
    assert.deepEqual(await resultsOf('LocalFile', config), [passed]);
    await assert.rejects(readdir(path.join(folder, 'tried')), { code: 'ENOENT' });
    await mkdir(path.join(folder, 'tried', 'events'), { recursive: true });
    assert.deepEqual(await resultsOf('LocalFile', config), [passed]);
    assert.deepEqual(await readdir(path.join(folder, 'tried'), { recursive: true }), ['events']);
  });

  it('take no folder from under a delivery that begins at the same time', async () => {
    const config = { directory: 'shared', prefix: 'a/b' };
    const { localRoot } = exports.world.options.environment;
    const store = localStore({
      root: localRoot!,
      quota: folderQuota(localRoot!, undefined),
      place: 'local',
      epoch: 1,
      signal: new AbortController().signal,
    });
    const key = `${exports.world.projectId}/shared/a/b/events/x`;
    const over = new AbortController();
    const begin = async () => {
      for (let n = 0; !over.signal.aborted; n++) await store.abort(await store.begin(`${key}${n}`, 'token'));
    };
    const endlessUploads = begin();
    const test = async () => {
      for (let n = 0; n < 40; n++) assert.deepEqual(await resultsOf('LocalFile', config), [passed]);
    };
    await Promise.race([Promise.all([test(), test()]), endlessUploads]);
    over.abort();
    await endlessUploads;
  });

  it('say that a part of the folder is a file', async () => {
    await mkdir(exports.world.folder, { recursive: true });
    await writeFile(path.join(exports.world.folder, 'taken'), '');
    const [result] = await resultsOf('LocalFile', { directory: 'taken/folder' });
    assert.match(result!.message!, /^A part of the directory or prefix is a file or a link\./);
  });

  it('check a new export whole before anything is tried', async () => {
    const refusals: [body: object, attr: string][] = [
      [{ name: 'no destination', interval: 'hour' }, 'destination'],
      [newExport('LocalFile', {}), 'destination'],
      [newExport('Nowhere', {}), 'destination__type'],
      [newExport('LocalFile', { directory: 'a' }, { interval: 'sometimes' }), 'interval'],
      [newExport('LocalFile', { directory: 'a' }, { filters: 'all' }), 'filters'],
      [newExport('LocalFile', { directory: 'a' }, { include_columns: ['nope'] }), 'include_columns'],
      [newExport('LocalFile', { directory: 'a' }, { step: -1 }), 'step'],
      [newExport('LocalFile', { directory: 'a' }, { step: 1 }), 'step'],
      [newExport('LocalFile', { directory: 'a' }, { step: 'first' }), 'step'],
    ];
    for (const [body, attr] of refusals) {
      const answer = await exports.request('POST', '/batch_exports/run_test_step_new/', body);
      assert.partialDeepStrictEqual(answer, { status: 400, body: { type: 'validation_error', attr } });
    }
  });

  it('try what is stored, and what the request says in place of it, which stays unsaved', async () => {
    const created = await exports.request(
      'POST',
      '/batch_exports/',
      newExport('LocalFile', { directory: 'kept' }, { paused: true }),
    );
    const { id } = created.body as { id: string };
    const run = (body: object) => exports.request('POST', `/batch_exports/${id}/run_test_step/`, body);
    assert.partialDeepStrictEqual(await run({}), { status: 200, body: { result: passed } });
    const changed = { destination: { type: 'LocalFile', config: { directory: 'other' } } };
    assert.partialDeepStrictEqual(await run(changed), { status: 200, body: { result: passed } });
    await mkdir(exports.world.folder, { recursive: true });
    await writeFile(path.join(exports.world.folder, 'other'), '');
    assert.partialDeepStrictEqual(await run(changed), { status: 200, body: { result: { status: 'Failed' } } });
    assert.partialDeepStrictEqual(await run({}), { status: 200, body: { result: passed } });
    const { body } = await exports.request('GET', `/batch_exports/${id}/`);
    assert.partialDeepStrictEqual(body, { destination: { config: { directory: 'kept' } } });
    assert.partialDeepStrictEqual(await run({ destination: { type: 'Postgres', config: {} } }), {
      status: 400,
      body: { attr: 'destination__type' },
    });
    const unknown = `/batch_exports/${crypto.randomUUID()}/run_test_step/`;
    assert.equal((await exports.request('POST', unknown, {})).status, 404);
  });

  describe('of buckets', () => {
    let config: Record<string, unknown>;
    let bucket: Awaited<ReturnType<typeof createTestBucket>>;
    before(async function () {
      await needsObjectStore(this);
      bucket = await createTestBucket();
      config = {
        bucket_name: bucket.bucket,
        region: 'us-east-1',
        prefix: 'a/{day}',
        endpoint_url: bucket.endpoint,
        aws_access_key_id: OBJECT_STORE_KEYS.accessKeyId,
        aws_secret_access_key: OBJECT_STORE_KEYS.secretAccessKey,
      };
    });

    it('pass where files can be written', async () => {
      assert.deepEqual(await resultsOf('S3Compatible', config), [passed, passed]);
    });

    it('say what is wrong without the host or the keys', async () => {
      const wrong: [change: object, message: RegExp][] = [
        [{ bucket_name: 'not-there-at-all' }, /^The bucket does not exist\.$/],
        [{ aws_secret_access_key: 'canary-of-a-wrong-key' }, /^The (credentials|secret access key)/],
        [{ endpoint_url: 'http://127.0.0.1:20998' }, /^The store cannot be reached\. Nothing listens there/],
      ];
      for (const [change, message] of wrong) {
        const [result, ...others] = await resultsOf('S3Compatible', { ...config, ...change });
        assert.deepEqual([result!.status, others], ['Failed', []]);
        assert.match(result!.message!, message);
        assert.doesNotMatch(result!.message!, /127\.0|canary/);
      }
    });
  });

  describe('of Postgres', () => {
    let database: TestDatabase;
    let client: ReturnType<typeof createClient>;
    let config: Record<string, unknown>;
    before(async () => {
      database = await createEmptyDatabase();
      client = createClient({ url: database.url, applicationName: 'test' });
      await client.connect();
      const { hostname, port, username, password, pathname } = new URL(database.url);
      config = {
        host: hostname,
        port: Number(port),
        user: username,
        password: decodeURIComponent(password),
        database: pathname.slice(1),
      };
    });
    after(async () => {
      await client.query('drop owned by tried_reader').catch(() => {});
      await client.query('drop role if exists tried_reader');
      await client.end();
      await database.drop();
    });

    it('pass where the table does not exist yet, and make nothing', async () => {
      assert.deepEqual(await resultsOf('Postgres', config), [passed, passed, passed]);
      assert.deepEqual(
        (await client.query(`select from pg_class where relnamespace = 'public'::regnamespace`)).rows,
        [],
      );
    });

    it('say which columns a table lacks, and which key', async () => {
      await client.query('create table mine (id int)');
      const results = await resultsOf('Postgres', { ...config, table_name: 'mine' }, { include_columns: ['event'] });
      assert.match(results[2]!.message!, /ALTER TABLE "public"\."mine" ADD COLUMN/);
      await client.query('create view seen as select 1 as one');
      const view = await resultsOf('Postgres', { ...config, table_name: 'seen' });
      assert.match(view[2]!.message!, /is not a table/);
    });

    it('say what is wrong without the host or the password', async () => {
      await client.query(`create role tried_reader login password 'canary-of-a-reader'`);
      const reader = { user: 'tried_reader', password: 'canary-of-a-reader' };
      const wrong: [change: object, step: number, message: RegExp][] = [
        [{ password: 'canary-of-a-wrong-one' }, 0, /^The user or the password is wrong/],
        [{ database: 'not_there' }, 0, /^The database does not exist\./],
        [{ port: await freePort() }, 0, /^The database cannot be reached\. Nothing listens there/],
        [{ schema: 'nowhere' }, 1, /^The schema "nowhere" does not exist\.$/],
        [reader, 1, /^The user lacks a privilege on the schema "public"/],
      ];
      for (const [change, step, message] of wrong) {
        const results = await resultsOf('Postgres', { ...config, ...change });
        assert.deepEqual([results.length - 1, results[step]!.status], [step, 'Failed'], JSON.stringify(results));
        assert.match(results[step]!.message!, message);
        assert.doesNotMatch(results[step]!.message!, /127\.0|localhost|canary/);
      }
      await client.query('grant create on schema public to tried_reader');
      await client.query(
        'create table theirs (event text, _sluice_row uuid, _sluice_export uuid, _sluice_interval_time timestamptz)',
      );
      await client.query('grant select on theirs to tried_reader');
      const change = { include_columns: ['event'] };
      const [, , table] = await resultsOf('Postgres', { ...config, ...reader, table_name: 'theirs' }, change);
      assert.equal(table!.message, 'The user lacks a privilege on the table "public"."theirs": INSERT, DELETE.');
    });
  });
});
