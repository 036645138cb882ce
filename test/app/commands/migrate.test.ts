import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { environmentWith } from '../../../src/platform/config.ts';
import { createEmptyDatabase, type TestDatabase } from '../../support/database/database.ts';

const LAUNCHER = fileURLToPath(new URL('../../../bin/sluice', import.meta.url));
const run = promisify(execFile);

type Result = { applied: string[]; partitioned: string[]; demo?: Record<string, unknown> };

describe('sluice migrate', () => {
  let database: TestDatabase;

  before(async () => {
    database = await createEmptyDatabase();
  });
  after(() => database.drop());

  const migrate = async (...options: string[]) => {
    const env = environmentWith({ DATABASE_URL: database.url });
    const { stdout } = await run(process.execPath, [LAUNCHER, 'migrate', '--json', ...options], { env });
    return JSON.parse(stdout) as Result;
  };

  it('makes the schema once, and the demo on request', async () => {
    const first = await migrate();
    assert(first.applied.length > 0);
    const second = await migrate('--demo');
    assert.deepEqual([second.applied, second.partitioned], [[], []]);
    assert.deepEqual(Object.keys(second.demo ?? {}), ['project_id', 'project_api_key', 'personal_api_key']);
  });

  it('says in one line that the database cannot be reached', async () => {
    const env = environmentWith({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
    await assert.rejects(run(process.execPath, [LAUNCHER, 'migrate'], { env }), {
      code: 1,
      stderr: 'sluice: The database of DATABASE_URL cannot be used: connect ECONNREFUSED 127.0.0.1:1.\n',
    });
  });
});
