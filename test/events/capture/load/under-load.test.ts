import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedPostgres } from '../../../../src/platform/db/embedded-postgres.ts';
import { migrate } from '../../../../src/platform/db/migrate.ts';
import { post, startCapture, useCapture, type CaptureServer } from '../../../support/events/capture.ts';
import { buildTenant } from '../../../support/api/identity.ts';
import { until } from '../../../support/until.ts';

async function storedUuids({ pool }: CaptureServer): Promise<string[]> {
  const { rows } = await pool.query<{ uuid: string }>('select uuid from events');
  return rows.map((row) => row.uuid);
}

describe('capture under load', () => {
  const world = useCapture();

  it('stores 200 concurrent requests, each event once, in few transactions', async () => {
    const requests = Array.from({ length: 200 }, () => [randomUUID(), randomUUID()]);
    const send = (ids: string[]) =>
      post(`${world.server.url}/batch/`, {
        api_key: world.tenant.apiToken,
        batch: ids.map((uuid) => ({ event: 'e', distinct_id: 'd', uuid })),
      });
    // Every request twice: clients repeat what they saw no answer to.
    const answers = await Promise.all([...requests, ...requests].map(send));
    assert.ok(answers.every(({ status }) => status === 200));
    assert.deepEqual((await storedUuids(world.server)).sort(), requests.flat().sort());
    const { rows } = await world.server.pool.query<{ groups: number }>(
      'select count(distinct inserted_at)::int as groups from events',
    );
    assert.ok(rows[0]!.groups < 100, `${rows[0]!.groups} transactions`);
  });

  it('forgets a request whose client goes away in the middle of it', async () => {
    const socket = connect(world.server.port, '127.0.0.1');
    socket.write('POST /e/ HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"event":');
    await sleep(50);
    socket.destroy();
    await sleep(50);
    const answer = await post(`${world.server.url}/e/`, {
      api_key: world.tenant.apiToken,
      event: 'e',
      distinct_id: 'd',
    });
    assert.equal(answer.status, 200);
    await world.server.capture.drain();
  });

  it('stores every acknowledged event exactly once while Postgres crashes and comes back', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'sluice-capture-crash-'));
    const options = { directory, port: 0, durable: true };
    let postgres = await startEmbeddedPostgres(options);
    await migrate(postgres.url);
    const crashing = await startCapture(postgres.url);
    const { apiToken } = await buildTenant(crashing.db);
    const acknowledged: string[] = [];
    const statuses = new Set<string>();
    const stop = new AbortController();

    /** Repeats each event until it is acknowledged, as an SDK does. */
    async function client(): Promise<void> {
      while (!stop.signal.aborted) {
        const uuid = randomUUID();
        for (let status = 0; status !== 200 && !stop.signal.aborted;) {
          const answer = await post(`${crashing.url}/e/`, { api_key: apiToken, event: 'e', distinct_id: 'd', uuid });
          ({ status } = answer);
          statuses.add(String(status));
          if (status === 503) assert.ok(Number(answer.headers.get('retry-after')) > 0);
          if (status === 200) acknowledged.push(uuid);
          else await sleep(20);
        }
      }
    }

    try {
      const clients = Array.from({ length: 20 }, client);
      await until('events to be stored', () => acknowledged.length > clients.length);
      const before = acknowledged.length;
      await postgres.stop('immediate');
      await until('refusals', () => statuses.has('503'));
      await sleep(1_000);
      postgres = await startEmbeddedPostgres({ ...options, port: postgres.port });
      const atRestart = acknowledged.length;
      await until('as many again', () => acknowledged.length >= atRestart + before);
      stop.abort();
      await Promise.all(clients);

      const stored = await storedUuids(crashing);
      assert.equal(new Set(stored).size, stored.length, 'doubled');
      const found = new Set(stored);
      assert.equal(acknowledged.filter((uuid) => !found.has(uuid)).length, 0, 'lost');
      assert.ok(before > 0);
      assert.deepEqual([...statuses].sort(), ['200', '503']);
    } finally {
      stop.abort();
      await crashing.stop();
      await postgres.stop('immediate');
      await rm(directory, { recursive: true, force: true });
    }
  });
});
