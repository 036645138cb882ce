import assert from 'node:assert/strict';
import fc from 'fast-check';
import { estimateBackfill, type Past, type PastBackfill } from '../../../src/exports/backfills/backfill-estimate.ts';
import type { PastRun } from '../../../src/exports/runs/run-lists.store.ts';

const run = (rows: number, seconds: number, day = 1): PastRun => ({
  rows,
  seconds,
  createdAt: `2015-05-${String(day).padStart(2, '0')}T00:00:00.000000Z`,
});
const runs = (count: number, rows: number, seconds: number) => Array.from({ length: count }, () => run(rows, seconds));
const past = (ofRuns: PastRun[], backfills: PastBackfill[] = []): Past => ({ runs: ofRuns, backfills });

describe('the estimate of a backfill', () => {
  it('says nothing of its time where no run has completed', () => {
    const work = { runs: 12, maxConcurrent: 10, rows: null };
    assert.deepEqual(estimateBackfill(work, past([])), { rows: null, seconds: null, basis: null });
    assert.deepEqual(estimateBackfill({ ...work, rows: 70 }, past([])), { rows: 70, seconds: null, basis: null });
  });

  it('lies between runs side by side and runs one after the other, where no backfill has ended', () => {
    const known = past([...runs(10, 100, 4), ...runs(10, 100, 8)]);
    const { seconds, basis } = estimateBackfill({ runs: 25, maxConcurrent: 10, rows: 2_500 }, known);
    assert.deepEqual([seconds, basis?.runs, basis?.backfills], [{ low: 12, high: 200 }, 20, 0]);
  });

  it('follows the pace of past backfills, but not of one that was held up', () => {
    const backfills = [
      { runs: 10, seconds: 20 },
      { runs: 100, seconds: 90 },
      { runs: 50, seconds: 360_000 },
    ];
    const known = past(runs(20, 100, 15), backfills);
    const { seconds, basis } = estimateBackfill({ runs: 100, maxConcurrent: 10, rows: 10_000 }, known);
    assert.deepEqual([seconds, basis?.backfills], [{ low: 90, high: 200 }, 3]);
  });

  it('is of the runs that are nearest in size, and says since when they were', () => {
    const large = Array.from({ length: 20 }, (_, n) => run(50_000, 60, 20 - n));
    const { seconds, basis } = estimateBackfill(
      { runs: 2, maxConcurrent: 10, rows: 90_000 },
      past([...runs(30, 10, 1), ...large]),
    );
    assert.deepEqual(seconds, { low: 60, high: 120 });
    assert.deepEqual(basis, { runs: 20, backfills: 0, since: '2015-05-01T00:00:00.000000Z' });
  });

  it('grows with rows beyond those of every past run, and doubts a few runs', () => {
    const one = { runs: 1, maxConcurrent: 10 };
    assert.deepEqual(estimateBackfill({ ...one, rows: 1_000 }, past(runs(10, 100, 6))).seconds, { low: 6, high: 60 });
    assert.deepEqual(estimateBackfill({ ...one, rows: 100 }, past([run(100, 6)])).seconds, { low: 3, high: 12 });
  });

  it('takes rows from past runs where they cannot be counted beforehand', () => {
    assert.equal(estimateBackfill({ runs: 4, maxConcurrent: 10, rows: null }, past([run(10, 1), run(20, 1)])).rows, 60);
  });

  it('has ordered bounds, and only numbers', () => {
    const seconds = fc.double({ min: 0, max: 1e6, noNaN: true });
    const known = fc.record({
      runs: fc.array(fc.record({ rows: fc.nat(1e9), seconds }).map((one) => run(one.rows, one.seconds))),
      backfills: fc.array(fc.record({ runs: fc.integer({ min: 2, max: 210_240 }), seconds })),
    });
    const works = fc.record({
      runs: fc.nat(210_240),
      maxConcurrent: fc.integer({ min: 1, max: 100 }),
      rows: fc.option(fc.nat(1e12)),
    });
    fc.assert(
      fc.property(works, known, (work, before) => {
        const estimate = estimateBackfill(work, before);
        assert.ok(estimate.rows === null || Number.isSafeInteger(estimate.rows));
        assert.equal(estimate.seconds === null, before.runs.length === 0);
        assert.equal(estimate.basis === null, before.runs.length === 0);
        const { low, high } = estimate.seconds ?? { low: 0, high: 0 };
        assert.ok(Number.isFinite(high) && low >= 0 && low <= high, JSON.stringify(estimate));
      }),
    );
  });
});
