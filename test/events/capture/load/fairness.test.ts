import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createKnex, type Knex } from '../../../../src/platform/db/connection.ts';
import { startApiProcess, type ApiProcess } from '../../../support/servers/api-process.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database/database.ts';
import { buildTenant } from '../../../support/api/identity.ts';
import type { FloodOptions } from './flood.ts';
import { batchOf, createSender, type Answered } from './sending.ts';

const FLOOD = fileURLToPath(new URL('./flood.ts', import.meta.url));

function median(answers: readonly Answered[]): number {
  return answers.map(({ ms }) => ms).sort((a, b) => a - b)[answers.length >> 1] ?? NaN;
}

/** Runs the work while another process sends without a pause. @returns what the flood was answered */
async function flooded(options: FloodOptions, work: () => Promise<void>): Promise<Answered[]> {
  const flood = fork(FLOOD, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  try {
    flood.send(options);
    await once(flood, 'message');
    await sleep(500);
    await work();
    flood.send('stop');
    return ((await once(flood, 'message')) as [Answered[]])[0];
  } finally {
    flood.kill();
  }
}

describe('a busy project', () => {
  let database: TestDatabase;
  let db: Knex;
  let api: ApiProcess;

  before(async () => {
    database = await createTestDatabase();
    db = createKnex({ url: database.url, applicationName: 'test' });
    api = await startApiProcess({ databaseUrl: database.url });
  });
  after(async () => {
    await api.end('SIGTERM');
    await db.destroy();
    await database.drop();
  });

  it('keeps no other one waiting, however many connections it has', async () => {
    const [busy, other] = [await buildTenant(db), await buildTenant(db)];
    const send = createSender(api.url);
    const singles: Answered[] = [];
    const batches: Answered[] = [];
    const floods = await flooded({ url: api.url, token: busy.apiToken, connections: 80, events: 300 }, async () => {
      for (let i = 0; i < 15; i++) {
        singles.push(await send(batchOf(other.apiToken, 1)));
        batches.push(await send(batchOf(other.apiToken, 100)));
      }
    });
    assert.ok([...singles, ...batches].every(({ status }) => status === 200));
    assert.ok(floods.length > 0);
    // With nothing that keeps them apart all wait for as long as the flood does.
    assert.ok(median(singles) < median(floods) / 4, `${median(singles)} ms, the flood ${median(floods)} ms`);
    assert.ok(median(batches) < median(floods) / 3, `${median(batches)} ms, the flood ${median(floods)} ms`);
  });
});
