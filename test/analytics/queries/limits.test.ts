import assert from 'node:assert/strict';
import { createAnswerQuery } from '../../../src/analytics/queries/answering.ts';
import { QUERY_OPTIONS } from '../../../src/analytics/queries/query-connection.ts';
import { parseQuery } from '../../../src/analytics/queries/parsing/parse.ts';
import { runQuery } from '../../../src/analytics/queries/computing/run.ts';
import { createKnex, createPool, type Knex, type Pool } from '../../../src/platform/db/connection.ts';
import { InvalidInput, NotFound, Unavailable } from '../../../src/platform/errors.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildTenant } from '../../support/api/identity.ts';
import { until } from '../../support/until.ts';

const step = { kind: 'EventsNode' };
const query = parseQuery({ kind: 'TrendsQuery', series: [step] });

describe('a query ends', () => {
  let database: TestDatabase;
  let db: Knex;
  let pool: Pool;
  let projectId: number;

  before(async () => {
    database = await createTestDatabase();
    db = createKnex({ url: database.url, applicationName: 'test' });
    // Beyond all patience: what ends earlier was ended.
    pool = createPool({ url: database.url, ...QUERY_OPTIONS, statementTimeoutMs: 120_000 });
    ({ projectId } = await buildTenant(db));
  });
  after(async () => {
    await Promise.all([db.destroy(), pool.end()]);
    await database.drop();
  });

  /** Holds a lock that all readers of events wait for. */
  const whileNobodyReads = (work: () => Promise<void>) =>
    db.transaction(async (transaction) => {
      await transaction.raw('lock table events in access exclusive mode');
      await work();
    });

  async function underWay(): Promise<number> {
    const { rows } = await db.raw<{ rows: { count: number }[] }>(
      `select count(*)::int as count from pg_stat_activity
       where datname = current_database() and application_name = ? and state = 'active'`,
      [QUERY_OPTIONS.applicationName],
    );
    return rows[0]!.count;
  }

  it('when it takes too long, with advice', async () => {
    const hasty = createPool({ url: database.url, ...QUERY_OPTIONS, statementTimeoutMs: 2_000 });
    await whileNobodyReads(async () => {
      await assert.rejects(runQuery(hasty, { id: projectId }, query, { now: Date.now() }), (error) => {
        assert(error instanceof Unavailable);
        assert.match(error.message, /took longer than 15 seconds.*a shorter date range/);
        assert.doesNotMatch(error.message, /select|events|statement/);
        return true;
      });
    });
    assert.equal((await runQuery(hasty, { id: projectId }, query, { now: Date.now() })).results.length, 1);
    await hasty.end();
  });

  it('when no client waits for it any more, in Postgres too', async () => {
    await whileNobodyReads(async () => {
      const waiting = new AbortController();
      const running = runQuery(pool, { id: projectId }, query, { now: Date.now(), signal: waiting.signal });
      running.catch(() => {});
      await until('the query', async () => (await underWay()) > 0);
      waiting.abort(new Error('nobody waits'));
      await assert.rejects(running, /nobody waits/);
      await until('its end', async () => (await underWay()) === 0);
    });
    const gone = AbortSignal.abort(new Error('nobody came'));
    await assert.rejects(runQuery(pool, { id: projectId }, query, { now: Date.now(), signal: gone }), /nobody came/);
    assert.equal(pool.waitingCount, 0);
  });

  it('before it begins, when too many of its project wait', async () => {
    const answer = createAnswerQuery(pool);
    const ask = () => answer({ id: projectId }, query, { now: Date.now() });
    let waitingAnswers: ReturnType<typeof ask>[] = [];
    await whileNobodyReads(async () => {
      waitingAnswers = Array.from({ length: 51 }, ask);
      await assert.rejects(ask(), Unavailable);
    });
    assert.equal((await Promise.all(waitingAnswers)).length, 51);
  });

  it('before it begins, when its answer would be too large', async () => {
    const large = parseQuery({
      kind: 'TrendsQuery',
      series: Array.from({ length: 20 }, () => step),
      breakdownFilter: { breakdown: 'x', breakdown_limit: 100 },
      dateRange: { date_from: '-100d' },
    });
    await assert.rejects(runQuery(pool, { id: projectId }, large, { now: Date.now() }), (error) => {
      return error instanceof InvalidInput && /100000 values together, these have 204020/.test(error.message);
    });
  });

  it('before it begins, when it reads unreasonably much of each event', () => {
    const filter = { key: 'x', type: 'event', operator: 'icontains', value: 'y' };
    const group = { type: 'OR', values: Array.from({ length: 100 }, () => filter) };
    const properties = { type: 'AND', values: Array.from({ length: 6 }, () => group) };
    const trends = { kind: 'TrendsQuery', series: [step], properties };
    assert.throws(() => parseQuery(trends), /at most 500 filters in total/);
    const where = [`properties${'.a'.repeat(51)} > 1`];
    assert.throws(() => parseQuery({ kind: 'EventsQuery', select: ['event'], where }), /at most 50 steps/);
  });

  it('at once in a project that is not there', async () => {
    await assert.rejects(runQuery(pool, { id: 2 ** 31 - 1 }, query, { now: Date.now() }), NotFound);
  });
});
