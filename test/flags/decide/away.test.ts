import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedPostgres } from '../../../src/platform/db/embedded-postgres.ts';
import { migrate } from '../../../src/platform/db/migrate.ts';
import { createDecide } from '../../../src/flags/decide/decide.ts';
import { startHttpServer } from '../../../src/platform/http/server.ts';
import { createLogger } from '../../../src/platform/telemetry/logger.ts';
import { postDecide, buildFlagFor } from '../../support/flags/decide.ts';
import { buildTenant } from '../../support/api/identity.ts';
import { startSluice } from '../../support/servers/sluice.ts';
import { watchStalls } from '../../support/durations.ts';
import { until } from '../../support/until.ts';

const CLIENTS = 12;

function nobody(): never {
  throw new Error('Nobody is asked.');
}

type Seen = { askedAt: number; answeredAt: number; status: number; failed: string[]; errors: unknown; plain: unknown };
const hasFailed = ({ failed }: Seen) => failed.length > 0;
const isWell = (one: Seen) => !hasFailed(one);
type Details = Record<string, { enabled: boolean; failed?: true }>;

describe('flags while Postgres is away', () => {
  it('are decided by what is known, say what is not, and are all right again when it is back', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'sluice-decide-away-'));
    // Durable, because others lose the last commits when they are stopped at once.
    const options = { directory, port: 0, durable: true };
    let postgres = await startEmbeddedPostgres(options);
    await migrate(postgres.url);
    const sluice = await startSluice({ database: { url: postgres.url, drop: async () => {} } });
    const { apiToken: token, projectId } = await buildTenant(sluice.db);
    await buildFlagFor(sluice.db, projectId, 'plain');
    await buildFlagFor(sluice.db, projectId, 'pro', { plan: 'pro' });
    const stored = { api_key: token, event: 'e', distinct_id: 'ada', properties: { $set: { plan: 'pro' } } };
    await postDecide(`${sluice.url}/capture/`, stored);
    // Definitions that were asked for before are all that is known while Postgres is away.
    const known = await postDecide(`${sluice.url}/flags/?v=2`, { token, distinct_id: 'ada' });
    assert.deepEqual(Object.keys(known.body['flags'] as Details).toSorted(), ['plain', 'pro']);
    const longestStall = watchStalls();
    const stop = new AbortController();

    /** Half of them say what the flags depend on. */
    async function client(says: boolean, seen: Seen[]): Promise<void> {
      const body = { token, distinct_id: 'ada', ...(says && { person_properties: { plan: 'pro' } }) };
      while (!stop.signal.aborted) {
        const askedAt = performance.now();
        const { status, body: answer } = await postDecide(`${sluice.url}/flags/?v=2`, body);
        const flags = (answer['flags'] ?? {}) as Details;
        const failed = Object.keys(flags).filter((key) => flags[key]!.failed);
        const errors = answer['errorsWhileComputingFlags'];
        seen.push({ askedAt, answeredAt: performance.now(), status, failed, errors, plain: flags['plain']?.enabled });
        await sleep(5);
      }
    }

    const [saying, asking]: [Seen[], Seen[]] = [[], []];
    const clients = Array.from({ length: CLIENTS }, (_, n) => client(n % 2 === 0, n % 2 === 0 ? saying : asking));
    try {
      await until('answers', () => saying.length > CLIENTS && asking.length > CLIENTS);
      const goneAt = performance.now();
      await postgres.stop('immediate');
      await until('100 answers without it', () => asking.filter(hasFailed).length > 100);
      const unknown = await postDecide(`${sluice.url}/flags/?v=2`, { token: 'phc_never_seen', distinct_id: 'ada' });
      postgres = await startEmbeddedPostgres({ ...options, port: postgres.port });
      const backAt = performance.now();
      const since = (instant: number) => asking.filter(({ askedAt }) => askedAt > instant);
      await until('all to be well', () => since(backAt).slice(-CLIENTS).filter(isWell).length === CLIENTS);
      const settled = performance.now();
      await until('more answers', () => since(settled).length > CLIENTS);
      stop.abort();
      await Promise.all(clients);

      assert.deepEqual(
        [unknown.status, unknown.body['flags'], unknown.body['errorsWhileComputingFlags']],
        [200, {}, true],
      );
      for (const { status, plain } of [...saying, ...asking]) assert.deepEqual([status, plain], [200, true]);
      for (const { failed, errors } of saying) assert.deepEqual([failed, errors], [[], false]);
      for (const { failed, errors } of asking) assert.equal(errors, failed.length > 0);
      assert.ok(!asking.some((one) => hasFailed(one) && (one.answeredAt < goneAt || one.askedAt > settled)));
      const took = asking.map(({ askedAt, answeredAt }) => answeredAt - askedAt);
      const limit = 2_500 + 2 * longestStall();
      assert.ok(Math.max(...took) < limit, `${Math.max(...took)} ms, and not ${limit}`);
      const without = asking.filter(hasFailed).map(({ askedAt, answeredAt }) => answeredAt - askedAt);
      assert.ok(without.toSorted((a, b) => a - b)[Math.floor(without.length / 2)]! < 400, 'most wait for nothing');
    } finally {
      stop.abort();
      await sluice.stop();
      await postgres.stop('immediate');
      await rm(directory, { recursive: true, force: true });
    }
  });

  it('are answered before SDKs give up, of a project that Postgres is silent about', async () => {
    const lane = createDecide({
      definitions: { find: () => new Promise(() => {}) },
      decider: { decide: nobody },
      visitors: { identifyVisitor: nobody },
      clientAddress: nobody,
      metering: { count: nobody, isOverQuota: nobody },
      requestsPerSecond: 1,
      log: createLogger({ LOG_LEVEL: 'error' }, 'test'),
    });
    const server = await startHttpServer({ listener: async () => {}, lane }, { host: '127.0.0.1', port: 0 });
    try {
      const longestStall = watchStalls();
      const askedAt = performance.now();
      const url = `${server.url}/flags/?v=2`;
      const { status, body } = await postDecide(url, { token: 'phc_silent', distinct_id: 'ada' });
      assert.deepEqual([status, body['flags'], body['errorsWhileComputingFlags']], [200, {}, true]);
      assert.ok(performance.now() - askedAt < 2_900 + 2 * longestStall());
    } finally {
      await server.stop(0);
    }
  });
});
