import assert from 'node:assert/strict';
import fc from 'fast-check';
import { cadenceWith } from '../../../src/exports/domain/cadence.ts';
import { millisOf } from '../../../src/exports/domain/instants.ts';
import {
  intervalsEnding,
  intervalsWithin,
  withSpec,
  type Spec,
  type Tiling,
} from '../../../src/exports/domain/intervals.ts';
import { piecesEnding, piecesWithin, type Pieces } from '../../../src/exports/domain/pieces.ts';

const first = (interval: string, timezone = 'UTC'): Spec[] => [
  { ...cadenceWith({ interval, timezone }), validFrom: -Infinity },
];
const at = millisOf;
const HOUR = 3_600_000;

const intervalsOf = ({ total, interval }: Pieces) => Array.from({ length: total }, (_, number) => interval(number));

/** A tiling of some specs, each from an instant on that is no boundary. */
const tilings = fc
  .array(
    fc.record({
      interval: fc.constantFrom(
        'hour',
        'day',
        'week',
        'month',
        'every 5 minutes',
        'every 7 minutes',
        'every 1440 minutes',
      ),
      timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/Santiago', 'Asia/Kathmandu'),
      from: fc.integer({ min: at('2015-01-01T00:00:00Z') / 1000, max: at('2015-12-31T00:00:00Z') / 1000 }),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((specs): Tiling => {
    const ordered = specs.toSorted((one, other) => one.from - other.from);
    return ordered.reduce<Tiling>(
      (tiling, { interval, timezone, from }) => withSpec(tiling, cadenceWith({ interval, timezone }), from * 1000),
      first('hour'),
    );
  });
const ranges = fc
  .tuple(
    fc.integer({ min: at('2015-01-01T00:00:00Z') / 60_000, max: at('2016-01-31T00:00:00Z') / 60_000 }),
    fc.integer({ min: 0, max: 90 * 24 * 60 }),
  )
  .map(([from, minutes]) => ({ from: from * 60_000, to: (from + minutes) * 60_000 }));

describe('pieces of a tiling', () => {
  it('are the intervals of a range, in any tiling, and number them', () => {
    fc.assert(
      fc.property(tilings, ranges, (tiling, { from, to }) => {
        const expected = [...intervalsWithin(tiling, from, to)];
        const pieces = piecesWithin(tiling, from, to);
        assert.deepEqual(intervalsOf(pieces), expected);
        const ending = piecesEnding(tiling, from, to);
        assert.deepEqual(intervalsOf(ending), [...intervalsEnding(tiling, from, to)]);
        for (const instant of [
          from,
          from + 1,
          to,
          ...expected.slice(0, 20).flatMap(({ end }) => [end - 1, end, end + 1]),
        ]) {
          assert.equal(pieces.countUntil(instant), expected.filter(({ end }) => end <= instant).length);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('are one for a century of minutes, and found at once', () => {
    const pieces = piecesWithin(first('every 1 minutes'), 0, at('2070-01-01T00:00:00Z'));
    assert.deepEqual(pieces.pieces, [{ start: 0, step: 60_000, count: pieces.total }]);
    assert.equal(pieces.total, at('2070-01-01T00:00:00Z') / 60_000);
  });

  it('vary with the clocks: a day of 23 hours, and one of 25', () => {
    const { pieces } = piecesWithin(
      first('day', 'Europe/Berlin'),
      at('2015-03-20T23:00:00Z'),
      at('2015-11-01T23:00:00Z'),
    );
    assert.deepEqual(
      pieces.map(({ step, count }) => [step / HOUR, count]),
      [[24, 8], [23, 1], [24, 209], [25, 1], [24, 7]], // prettier-ignore
    );
  });

  it('know none before the first and all after the last', () => {
    const pieces = piecesWithin(first('hour'), at('2015-05-17T00:00:00Z'), at('2015-05-18T00:00:00Z'));
    assert.deepEqual([-Infinity, 0, Infinity].map(pieces.countUntil), [0, 0, 24]);
    const none = piecesWithin(first('hour'), at('2015-05-17T00:10:00Z'), at('2015-05-17T00:50:00Z'));
    assert.deepEqual([none.total, none.countUntil(Infinity)], [0, 0]);
  });
});
