/** The same, against our own capture endpoint and a real database. */
import assert from 'node:assert/strict';
import { CommandFailed } from '../../../src/platform/errors.ts';
import { openInput } from '../../../src/platform/sending/input.ts';
import { startCapture, type CaptureServer } from '../../support/events/capture.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildProjectSecretKey, buildTenant, type Tenant } from '../../support/api/identity.ts';
import { streamOf, sendTo } from '../../support/events/sending.ts';
import { hasRealLog, REAL_LOG } from '../../support/events/real-log.ts';

describe('sending a file to our own server', () => {
  let database: TestDatabase;
  let server: CaptureServer;
  let tenant: Tenant;
  before(async () => {
    database = await createTestDatabase();
    server = await startCapture(database.url);
  });
  after(async () => {
    await server.stop();
    await database.drop();
  });

  const tenantWith = async (historicalFromProjectKey: boolean) => {
    tenant = await buildTenant(server.db, { historicalFromProjectKey });
    return { key: tenant.apiToken };
  };

  const stored = async () => {
    const { rows } = await server.pool.query(
      `select count(*)::int as events, count(distinct uuid)::int as uuids, min(interval_time) as first
       from events where project_id = $1`,
      [tenant.projectId],
    );
    return rows[0] as { events: number; uuids: number; first: string };
  };

  it('stores a file that is sent twice once, repeats of a line included', async () => {
    const key = await tenantWith(true);
    const line = '{"event":"a","distinct_id":"d","timestamp":"2015-05-17T10:05:03.000001Z"}\n';
    const { sent } = await sendTo(server, streamOf(line.repeat(3)), key);
    await sendTo(server, streamOf(line.repeat(3)), key);
    assert.equal(sent, 3);
    assert.deepEqual(await stored(), { events: 3, uuids: 3, first: '2015-05-17T10:05:03.000001Z' });
  });

  it('names each line that the server refuses, by its number, and stores the others', async () => {
    const key = await tenantWith(true);
    const good = '{"event":"a","distinct_id":"d"}';
    const file = [good, '{"event":"no distinct id"}', good, '{"distinct_id":"no event"}'].join('\n');
    for (const perBatch of [10, 1]) {
      const { sent, badLines, firstBadLines } = await sendTo(server, streamOf(file), {
        ...key,
        perBatch,
        historical: false,
      });
      assert.deepEqual({ sent, badLines }, { sent: 2, badLines: 2 }, JSON.stringify(firstBadLines));
      assert.deepEqual(new Set(firstBadLines.map(({ line }) => line)), new Set([2, 4]));
    }
    assert.equal((await stored()).events, 2);
  });

  it('stops when the project key may not place history, and continues with a secret key', async () => {
    const key = await tenantWith(false);
    const line = '{"event":"a","distinct_id":"d","timestamp":"2015-05-17T10:05:03Z"}\n';
    await assert.rejects(sendTo(server, streamOf(line), key), (error: Error) => {
      assert.ok(error instanceof CommandFailed);
      assert.match(error.message, /event:write.*--secret-key/);
      return true;
    });
    const secretKey = await buildProjectSecretKey(server.db, tenant, 'event:write');
    await sendTo(server, streamOf(line.replace('"a"', '"b"')), { ...key, secretKey });
    assert.equal((await stored()).first, '2015-05-17T10:05:03.000000Z');
  });

  it('says which key is wrong', async () => {
    await assert.rejects(
      sendTo(server, streamOf('{"event":"a","distinct_id":"d"}'), { key: 'phc_nobody' }),
      CommandFailed,
    );
  });

  if (!hasRealLog()) return;

  it('stores 10,000 real requests, 19 of them exact repeats, as 10,000 events, however often', async () => {
    const key = await tenantWith(true);
    for (const perBatch of [500, 700]) {
      const { lines, sent, badLines } = await sendTo(server, (await openInput(REAL_LOG)).bytes, {
        ...key,
        perBatch,
        log: true,
      });
      assert.deepEqual({ lines, sent, badLines }, { lines: 10_000, sent: 10_000, badLines: 0 });
    }
    assert.deepEqual(await stored(), { events: 10_000, uuids: 10_000, first: '2015-05-17T10:05:00.000000Z' });
  });
});
