import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { environmentWith } from '../../../src/platform/config.ts';
import { createPool, type Pool } from '../../../src/platform/db/connection.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';

const LAUNCHER = fileURLToPath(new URL('../../../bin/sluice', import.meta.url));
const run = promisify(execFile);

describe('sluice states', () => {
  let database: TestDatabase;
  let worker: Pool;
  before(async () => {
    database = await createTestDatabase();
    worker = createPool({ url: database.url, applicationName: 'sluice-rows' });
    await worker.query('select 1');
  });
  after(async () => {
    await worker.end();
    await database.drop();
  });

  const states = async (...options: string[]) => {
    const env = environmentWith({ DATABASE_URL: database.url });
    return (await run(process.execPath, [LAUNCHER, 'states', ...options], { env })).stdout;
  };
  const refers = async () => {
    const { rows } = await worker.query<{ refers: boolean }>(
      'select turned_on_at is not null as refers from person_state_switch',
    );
    return rows[0]!.refers;
  };

  it('lists the processes that have to know references, and changes nothing by itself', async () => {
    assert.match(await states(), /^Events carry copies .*\n.* this version:\n {4}\S+.* \(sluice-rows\), since 2/);
    assert.equal(await refers(), false);
  });

  it('lets events refer to states from then on', async () => {
    assert.equal(await states('--refer'), 'Events refer to states of persons from now on.\n');
    assert.equal(await refers(), true);
    for (const options of [[], ['--refer']])
      assert.match(await states(...options), /^Events refer to states of persons since 2/);
  });
});
