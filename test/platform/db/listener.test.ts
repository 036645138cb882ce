import assert from 'node:assert/strict';
import { createKnex } from '../../../src/platform/db/connection.ts';
import { listen } from '../../../src/platform/db/listener.ts';
import { createLogger } from '../../../src/platform/telemetry/logger.ts';
import { createTestDatabase } from '../../support/database/database.ts';
import { startGate } from '../../support/servers/gate.ts';
import { until } from '../../support/until.ts';

const log = createLogger({ LOG_LEVEL: 'silent' }, 'test');

describe('listening', () => {
  it('hears in order, says when it begins anew, and ends also where Postgres is silent', async () => {
    const database = await createTestDatabase();
    const db = createKnex({ url: database.url, applicationName: 'test' });
    const gate = await startGate(database.url);
    const heard: string[] = [];
    let beginnings = 0;
    const onListening = () => (beginnings += 1);
    const listener = listen({
      url: gate.url,
      channel: 'news',
      onNotification: (one) => heard.push(one),
      onListening,
      log,
    });

    await until('beginning 1', () => beginnings === 1);
    await db.raw(`select pg_notify('news', n::text) from generate_series(1, 3) as n`);
    await until('3 notifications', () => heard.length === 3);
    gate.shut();
    await db.raw(`notify news, 'unheard'`);
    gate.open();
    await until('beginning 2', () => beginnings === 2);
    await db.raw(`notify news, '4'`);
    await until('4 notifications', () => heard.length === 4);
    assert.deepEqual(heard, ['1', '2', '3', '4']);

    gate.freeze();
    await listener.close();
    gate.close();
    await db.destroy();
    await database.drop();
  });
});
