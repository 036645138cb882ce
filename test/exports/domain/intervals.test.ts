import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isoSeconds, millisOf } from '../../../src/exports/domain/instants.ts';
import { runWorkflowId } from '../../../src/exports/domain/ids.ts';
import { boundaryAfter, cadenceWith } from '../../../src/exports/domain/cadence.ts';
import {
  endOfIntervalAt,
  intervalEndingAt,
  intervalsWithin,
  isStartedByPresentSchedule,
  withSpec,
  type Spec,
  type Tiling,
} from '../../../src/exports/domain/intervals.ts';

const cadence = (interval: string) => cadenceWith({ interval });
const first = (interval: string): Spec[] => [{ ...cadence(interval), validFrom: -Infinity }];
const at = millisOf;
const words = (interval: { start: number; end: number } | undefined) =>
  interval && `${isoSeconds(interval.start)}/${isoSeconds(interval.end)}`;

const days = (timezone: string, offsetHour = 0) => cadenceWith({ interval: 'day', timezone, offsetHour });

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

  it('lists only intervals that lie wholly inside the range', () => {
    const listed = [...intervalsWithin(first('hour'), at('2015-05-17T10:30:00Z'), at('2015-05-17T13:30:00Z'))];
    assert.deepEqual(listed.map(words), [
      '2015-05-17T11:00:00Z/2015-05-17T12:00:00Z',
      '2015-05-17T12:00:00Z/2015-05-17T13:00:00Z',
    ]);
  });

  it('hands over from hours to days with one shorter interval', () => {
    const tiling = withSpec(first('hour'), cadence('day'), at('2015-05-17T10:20:00Z'));
    assert.deepEqual([...intervalsWithin(tiling, at('2015-05-17T09:00:00Z'), at('2015-05-19T00:00:00Z'))].map(words), [
      '2015-05-17T09:00:00Z/2015-05-17T10:00:00Z',
      '2015-05-17T10:00:00Z/2015-05-17T11:00:00Z',
      '2015-05-17T11:00:00Z/2015-05-18T00:00:00Z',
      '2015-05-18T00:00:00Z/2015-05-19T00:00:00Z',
    ]);
    assert.equal(isStartedByPresentSchedule(tiling, at('2015-05-17T11:00:00Z')), false);
    assert.equal(isStartedByPresentSchedule(tiling, at('2015-05-18T00:00:00Z')), true);
  });

  it('replaces a change that has not taken over yet', () => {
    const once = withSpec(first('hour'), cadence('day'), at('2015-05-17T10:20:00Z'));
    assert.deepEqual(withSpec(once, cadence('hour'), at('2015-05-17T10:40:00Z')), first('hour'));
  });

  it('hands over from one zone to another, and keeps the zone of what was before', () => {
    const berlin: Tiling = [{ ...days('Europe/Berlin'), validFrom: -Infinity }];
    const tiling = withSpec(berlin, days('America/New_York', 6), at('2026-03-28T12:00:00Z'));
    assert.deepEqual([...intervalsWithin(tiling, at('2026-03-27T00:00:00Z'), at('2026-03-31T00:00:00Z'))].map(words), [
      '2026-03-27T23:00:00Z/2026-03-28T23:00:00Z',
      '2026-03-28T23:00:00Z/2026-03-29T10:00:00Z',
      '2026-03-29T10:00:00Z/2026-03-30T10:00:00Z',
    ]);
  });

  it('need no new spec when hours get another zone', () => {
    const tiling = withSpec(
      first('hour'),
      cadenceWith({ interval: 'hour', timezone: 'Asia/Kolkata' }),
      at('2026-03-28'),
    );
    assert.deepEqual(tiling, first('hour'));
  });

  it('tiles time without gap or overlap after any sequence of changes', () => {
    const anyCadence = fc
      .record({
        interval: fc.constantFrom(
          'hour',
          'day',
          'week',
          'month',
          'every 5 minutes',
          'every 7 minutes',
          'every 1440 minutes',
        ),
        timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata'),
        day: fc.integer({ min: 0, max: 6 }),
        hour: fc.integer({ min: 0, max: 23 }),
      })
      .map(({ interval, timezone, day, hour }) =>
        cadenceWith({
          interval,
          timezone,
          offsetDay: interval === 'week' ? day : null,
          offsetHour: ['day', 'week', 'month'].includes(interval) ? hour : null,
        }),
      );
    const changes = fc.array(fc.record({ to: anyCadence, afterMinutes: fc.integer({ min: 1, max: 20_000 }) }), {
      maxLength: 5,
    });
    fc.assert(
      fc.property(anyCadence, changes, fc.integer({ min: 0, max: 365 }), (start, sequence, dayOfYear) => {
        let now = at('2026-01-01T10:20:00Z') + dayOfYear * 86_400_000;
        let tiling: Tiling = [{ ...start, validFrom: -Infinity }];
        const from = boundaryAfter(start, now);
        for (const change of sequence) {
          now += change.afterMinutes * 60_000;
          tiling = withSpec(tiling, change.to, now);
        }
        let expectedStart = from;
        for (const one of intervalsWithin(tiling, from, now + 15 * 86_400_000)) {
          assert.equal(one.start, expectedStart);
          assert.ok(one.end > one.start);
          assert.equal(endOfIntervalAt(tiling, one.start), one.end);
          assert.deepEqual(intervalEndingAt(tiling, one.end), one);
          expectedStart = one.end;
        }
      }),
    );
  });

  it('names a run as Temporal names a scheduled execution', () => {
    assert.equal(runWorkflowId('e', at('2015-05-17T11:00:00Z')), 'e-2015-05-17T11:00:00Z');
  });
});
