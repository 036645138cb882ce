/** The most files and stage tables that a plan may have: as many are delivered, one more is rejected when it is planned. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createClient } from '../../../src/platform/db/connection.ts';
import type { NewExport } from '../../../src/exports/batch-exports/batch-exports.ts';
import type { Run } from '../../../src/exports/runs/runs.store.ts';
import { createEmptyDatabase, type TestDatabase } from '../../support/database/database.ts';
import {
  runsAfterBackfill,
  buildExport,
  buildExportWorld,
  type ExportWorld,
} from '../../support/exports/export-world.ts';
import { MIB, storeParts } from '../../support/exports/many-parts.ts';

const MAX_FILES = 10_000;
const MAX_TABLES = 200;
const SECONDS = 180;

describe('the limits of a plan', function () {
  this.timeout((SECONDS + 10) * 1000);
  let world: ExportWorld;
  let place: TestDatabase;
  before(async () => {
    world = await buildExportWorld();
    place = await createEmptyDatabase();
    await world.startWorker();
  });
  after(async () => {
    await world.close();
    await place.drop();
  });

  type Hour = { startAt: string; endAt: string };
  async function deliver(destination: NewExport['destination'], hour: Hour): Promise<Run> {
    const { id } = await world.batchExports.create(world.projectId, buildExport({ destination, paused: true }));
    const backfill = await world.backfills.request(world.projectId, id, hour);
    const [run] = await runsAfterBackfill(world, id, backfill.id, SECONDS);
    return run!;
  }
  function table(name: string): NewExport['destination'] {
    const { hostname, port, username, password, pathname } = new URL(place.url);
    return {
      type: 'Postgres',
      config: {
        host: hostname,
        port: Number(port),
        user: username,
        password: decodeURIComponent(password),
        database: pathname.slice(1),
        schema: 'public',
        table_name: name,
        has_self_signed_cert: false,
      },
    };
  }

  it(`fail a run of more than ${MAX_FILES} files at once, with what to change`, async () => {
    const hour = await storeParts(world, MAX_FILES + 1, { hour: 1 });
    const config = { directory: randomUUID(), max_file_size_mb: 1 };
    const { status, latestError, errorCode, errorField } = await deliver({ type: 'LocalFile', config }, hour);
    assert.deepEqual([errorCode, errorField], ['too_many_parts', 'interval']);
    assert.equal(status, 'Failed');
    assert.equal(
      latestError,
      'The data interval (10001 rows, about 10001 MiB) would take more than 10000 files. ' +
        'Raise `max_file_size_mb` to 3 or more, or choose a shorter interval or fewer events.',
    );
  });

  it(`of ${MAX_TABLES} stage tables is delivered`, async () => {
    const hour = await storeParts(world, MAX_TABLES, { hour: 3, bytes: 256 * MIB });
    const run = await deliver(table('most'), hour);
    assert.deepEqual([run.status, run.latestError, run.recordsCompleted], ['Completed', null, MAX_TABLES]);
    const client = createClient({ url: place.url, applicationName: 'test' });
    await client.connect();
    try {
      const { rows } = await client.query<{ rows: string; tables: string }>(
        `select (select count(*) from most) as rows,
                (select count(*) from pg_class where relname like '\\_sluice\\_stage%') as tables`,
      );
      assert.deepEqual(rows, [{ rows: String(MAX_TABLES), tables: '0' }]);
    } finally {
      await client.end();
    }
  });

  it(`fail a run of more than ${MAX_TABLES} stage tables at once, with what to change`, async () => {
    const hour = await storeParts(world, MAX_TABLES + 1, { hour: 5, bytes: 256 * MIB });
    const { status, latestError } = await deliver(table('more'), hour);
    assert.equal(status, 'Failed');
    assert.equal(
      latestError,
      'The data interval (201 rows, about 51456 MiB) would take more than 200 stage tables. Choose a shorter interval, or fewer events.',
    );
  });
});
