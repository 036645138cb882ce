import assert from 'node:assert/strict';
import { progressOf } from '../../../src/exports/domain/freshness.ts';
import { isoMicros } from '../../../src/exports/domain/instants.ts';
import type { Tiling } from '../../../src/exports/domain/intervals.ts';

const HOUR = 3_600_000;
const HOURLY: Tiling = [{ interval: 'hour', timezone: 'UTC', offsetDay: 0, offsetHour: 0, validFrom: -Infinity }];

/** Instants are hours since 1970; the export began at 0.5, so that its first interval ends at 1. */
const progress = (
  delivered: number[],
  {
    to = 5.5,
    pauses = [],
    sourceStart = -Infinity,
  }: { to?: number; pauses?: [number, number | null][]; sourceStart?: number } = {},
) => {
  const { completeUntil, dueSince } = progressOf(
    {
      tiling: HOURLY,
      after: 0.5 * HOUR,
      to: to * HOUR,
      sourceStart: sourceStart * HOUR,
      pauses: pauses.map(([from, until]) => ({
        pausedAt: isoMicros(from * HOUR),
        unpausedAt: until === null ? null : isoMicros(until * HOUR),
      })),
    },
    new Set(delivered.map((end) => end * HOUR)),
  );
  return [completeUntil === undefined ? undefined : completeUntil / HOUR, dueSince && dueSince / HOUR];
};

describe('an export is complete until', () => {
  it('the end of what is delivered without a hole, and the hole has been due since its end', () => {
    assert.deepEqual(progress([1, 2, 4, 5]), [2, 3]);
  });

  it('the last interval that ended, when all are delivered: nothing is due', () => {
    assert.deepEqual(progress([1, 2, 3, 4, 5]), [5, undefined]);
  });

  it('no time at all while its first interval is due', () => {
    assert.deepEqual(progress([2, 3]), [undefined, 1]);
  });

  it('no time at all before its first interval ends, without being late', () => {
    assert.deepEqual(progress([], { to: 0.9 }), [undefined, undefined]);
  });

  it('beyond what was not wanted in a pause, once something after it is delivered', () => {
    assert.deepEqual(progress([1, 4, 5], { pauses: [[1.5, 3.5]] }), [5, undefined]);
  });

  it('the beginning of a pause that lasts: nothing is due in it', () => {
    assert.deepEqual(progress([1, 2], { pauses: [[2.5, null]] }), [2, undefined]);
  });

  it('beyond what can no longer be delivered, because it begins before its source', () => {
    assert.deepEqual(progress([4, 5], { sourceStart: 2.5 }), [5, undefined]);
    assert.deepEqual(progress([], { sourceStart: 2.5 }), [undefined, 4]);
  });

  it('a hole before a pause, which stays due in it', () => {
    assert.deepEqual(progress([1], { pauses: [[2.5, null]] }), [1, 2]);
  });
});
