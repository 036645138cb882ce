import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isoSeconds, millisOf } from '../../../src/exports/domain/instants.ts';
import { runWorkflowId } from '../../../src/exports/domain/ids.ts';
import {
  boundaryAfter,
  endOfIntervalAt,
  intervalEndingAt,
  intervalsWithin,
  isProducedByPresentSpec,
  periodOf,
  withSpec,
  type Spec,
  type Tiling,
} from '../../../src/exports/domain/intervals.ts';

const first = (interval: string): Spec[] => [{ interval, validFrom: -Infinity }];
const at = millisOf;
const words = (interval: { start: number; end: number } | undefined) =>
  interval && `${isoSeconds(interval.start)}/${isoSeconds(interval.end)}`;

describe('data intervals', () => {
  const cases: [interval: string, end: string, expected: string | undefined][] = [
    ['hour', '2015-05-17T11:00:00Z', '2015-05-17T10:00:00Z/2015-05-17T11:00:00Z'],
    ['hour', '2015-05-17T11:30:00Z', undefined],
    ['day', '2015-05-18T00:00:00Z', '2015-05-17T00:00:00Z/2015-05-18T00:00:00Z'],
    ['week', '2015-05-17T00:00:00Z', '2015-05-10T00:00:00Z/2015-05-17T00:00:00Z'], // a Sunday
    ['week', '2015-05-18T00:00:00Z', undefined],
    ['every 5 minutes', '2015-05-17T10:05:00Z', '2015-05-17T10:00:00Z/2015-05-17T10:05:00Z'],
    ['every 7 minutes', '1970-01-01T00:14:00Z', '1970-01-01T00:07:00Z/1970-01-01T00:14:00Z'],
  ];
  for (const [interval, end, expected] of cases) {
    it(`${interval} ending at ${end} is ${expected ?? 'none'}`, () => {
      assert.equal(words(intervalEndingAt(first(interval), at(end))), expected);
    });
  }

  for (const interval of [
    '',
    'hours',
    'every 0 minutes',
    'every 1441 minutes',
    'every 5 hours',
    'every -1 minutes',
    'month',
  ])
    it(`refuses the interval "${interval}"`, () => {
      assert.throws(() => periodOf(interval), { name: 'InvalidInput', code: 'invalid_choice' });
    });

  it('lists only intervals that lie wholly inside the range', () => {
    const listed = [...intervalsWithin(first('hour'), at('2015-05-17T10:30:00Z'), at('2015-05-17T13:30:00Z'))];
    assert.deepEqual(listed.map(words), [
      '2015-05-17T11:00:00Z/2015-05-17T12:00:00Z',
      '2015-05-17T12:00:00Z/2015-05-17T13:00:00Z',
    ]);
  });

  it('hands over from hours to days with one shorter interval', () => {
    const tiling = withSpec(first('hour'), 'day', at('2015-05-17T10:20:00Z'));
    assert.deepEqual([...intervalsWithin(tiling, at('2015-05-17T09:00:00Z'), at('2015-05-19T00:00:00Z'))].map(words), [
      '2015-05-17T09:00:00Z/2015-05-17T10:00:00Z',
      '2015-05-17T10:00:00Z/2015-05-17T11:00:00Z',
      '2015-05-17T11:00:00Z/2015-05-18T00:00:00Z',
      '2015-05-18T00:00:00Z/2015-05-19T00:00:00Z',
    ]);
    assert.equal(isProducedByPresentSpec(tiling, at('2015-05-17T11:00:00Z')), false);
    assert.equal(isProducedByPresentSpec(tiling, at('2015-05-18T00:00:00Z')), true);
  });

  it('replaces a change that has not taken over yet', () => {
    const once = withSpec(first('hour'), 'day', at('2015-05-17T10:20:00Z'));
    assert.deepEqual(withSpec(once, 'hour', at('2015-05-17T10:40:00Z')), first('hour'));
  });

  it('tiles time without gap or overlap after any sequence of changes', () => {
    const interval = fc.constantFrom('hour', 'day', 'week', 'every 5 minutes', 'every 7 minutes', 'every 1440 minutes');
    const changes = fc.array(fc.record({ interval, afterMinutes: fc.integer({ min: 1, max: 20_000 }) }), {
      maxLength: 5,
    });
    fc.assert(
      fc.property(interval, changes, (start, sequence) => {
        let now = at('2015-05-17T10:20:00Z');
        let tiling: Tiling = first(start);
        const from = boundaryAfter(start, now);
        for (const change of sequence) {
          now += change.afterMinutes * 60_000;
          tiling = withSpec(tiling, change.interval, now);
        }
        const listed = [...intervalsWithin(tiling, from, now + 15 * 86_400_000)];
        let expectedStart = from;
        for (const one of listed) {
          assert.equal(one.start, expectedStart);
          assert.ok(one.end > one.start);
          assert.equal(endOfIntervalAt(tiling, one.start), one.end);
          expectedStart = one.end;
        }
      }),
    );
  });

  it('names a run as Temporal names a scheduled execution', () => {
    assert.equal(runWorkflowId('e', at('2015-05-17T11:00:00Z')), 'e-2015-05-17T11:00:00Z');
  });
});
