/** How often strangers make something be computed, and how long they wait. */
import assert from 'node:assert/strict';
import { NO_OVERLAY } from '../../../src/analytics/insights/results/overlay.ts';
import type { Refresh } from '../../../src/analytics/insights/results/refresh.ts';
import { NO_RESULT, type InsightResult } from '../../../src/analytics/insights/results/result.ts';
import { createSharedResults } from '../../../src/analytics/sharing/shared-results.ts';

const MINUTE = 60_000;
const accessOf = async () => ({ refusal: () => undefined });
const PROJECT = { id: 1 };
const ASKED = [{ insight: { query: { kind: 'TrendsQuery' } }, overlay: NO_OVERLAY }];

/** One result that is computed by `compute`, at a clock that the test moves. */
function world(compute: (now: number) => Promise<Partial<InsightResult>>, maxWaitMs = 1_000) {
  const clock = { now: Date.parse('2026-01-01T00:00:00Z') };
  let known: InsightResult = { ...NO_RESULT, filters_hash: 'abc' };
  const refreshes: Refresh[] = [];
  const resultsOf = async (_project: unknown, _queries: unknown, refresh: Refresh) => {
    refreshes.push(refresh);
    if (refresh === 'force_cache') return [known];
    const result = { ...NO_RESULT, filters_hash: 'abc', ...(await compute(clock.now)) };
    if (!result.error) known = result;
    return [result];
  };
  const visit = createSharedResults({
    results: { getResults: resultsOf },
    loadAccess: accessOf,
    now: () => clock.now,
    maxWaitMs,
  });
  return {
    clock,
    computed: () => refreshes.filter((refresh) => refresh === 'blocking').length,
    visit: async () => (await visit(PROJECT, ASKED))[0]!,
  };
}

const fresh = async (now: number, result: unknown = 1) => ({
  result,
  last_refresh: new Date(now).toISOString(),
  cache_target_age: new Date(now + MINUTE).toISOString(),
});

describe('results for strangers', () => {
  it('are computed by the first visit, and then not for five minutes, though they count as old after one', async () => {
    const { clock, visit, computed } = world(fresh);
    assert.equal((await visit()).result, 1);
    for (let minute = 1; minute <= 5; minute += 1) {
      clock.now += MINUTE;
      await visit();
    }
    assert.equal(computed(), 1);
    clock.now += 1;
    await visit();
    assert.equal(computed(), 2);
  });

  it('are computed again after a clock that was a day ahead has been set back', async () => {
    const { clock, visit, computed } = world(fresh);
    clock.now += 1_440 * MINUTE;
    await visit();
    clock.now -= 1_440 * MINUTE;
    await visit();
    await visit();
    assert.equal(computed(), 2);
  });

  it('that fail are not tried again for five minutes', async () => {
    const error = { type: 'timeout', message: 'It took too long.' } as const;
    const { clock, visit, computed } = world(async () => ({ error }));
    assert.deepEqual((await visit()).error, error);
    clock.now += 4 * MINUTE;
    assert.deepEqual((await visit()).error, error);
    assert.equal(computed(), 1);
    clock.now += 2 * MINUTE;
    await visit();
    assert.equal(computed(), 2);
  });

  it('that were computed one by one are read together, as one answer holds only so much', async () => {
    const error = { type: 'too_large', message: 'It is too much.' } as const;
    let looks = 0;
    const visit = createSharedResults({
      loadAccess: accessOf,
      results: {
        async getResults(_project, queries, refresh) {
          if (refresh === 'blocking') return [{ ...NO_RESULT, filters_hash: 'abc', result: 'large' }];
          looks += 1;
          if (looks === 1) return queries.map(() => ({ ...NO_RESULT, filters_hash: 'abc' }));
          return [
            { ...NO_RESULT, result: 'large' },
            { ...NO_RESULT, error },
          ];
        },
      },
    });
    const shown = await visit(PROJECT, [...ASKED, ...ASKED]);
    assert.deepEqual(
      shown.map((one) => [one.result, one.error]),
      [
        ['large', null],
        [null, error],
      ],
    );
  });

  it('that take long are shown from the cache, or reported as on their way', async () => {
    let isSlow = true;
    const slow = world((now) => (isSlow ? new Promise(() => {}) : fresh(now)), 20);
    assert.equal((await slow.visit()).error?.type, 'timeout');
    isSlow = false;
    assert.equal((await slow.visit()).result, 1);
    isSlow = true;
    slow.clock.now += 10 * MINUTE;
    const late = await slow.visit();
    assert.deepEqual([late.result, late.last_refresh], [1, '2026-01-01T00:00:00.000Z']);
  });
});
