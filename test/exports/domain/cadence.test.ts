import assert from 'node:assert/strict';
import { instantOf } from '../../../console/src/exports/export/local-dates.ts';
import { isoSeconds, millisOf as at } from '../../../src/exports/domain/instants.ts';
import {
  boundaryAfter,
  boundaryAtOrBefore,
  cadenceWith,
  isNearClockChange,
  isSameCadence,
  localDateToInstant,
  type Cadence,
  type CadenceChange,
} from '../../../src/exports/domain/cadence.ts';

/** The boundaries after an instant, as minutes: `2026-03-28T23:00`. */
function boundariesAfter(cadence: Cadence, after: string, count: number): string[] {
  let last = at(after);
  return Array.from({ length: count }, () => {
    last = boundaryAfter(cadence, last);
    assert.equal(boundaryAtOrBefore(cadence, last), last);
    return new Date(last).toISOString().slice(0, 16);
  });
}

const daysInBerlin = (offsetHour: number) => cadenceWith({ interval: 'day', timezone: 'Europe/Berlin', offsetHour });

describe('a cadence', () => {
  const cases: { what: string; of: CadenceChange; after: string; boundaries: string[] }[] = [
    {
      what: 'a day of 23 hours when Berlin’s clocks go forward',
      of: { interval: 'day', timezone: 'Europe/Berlin' },
      after: '2026-03-28T00:00:00Z',
      boundaries: ['2026-03-28T23:00', '2026-03-29T22:00', '2026-03-30T22:00'],
    },
    {
      what: 'a day of 25 hours when Berlin’s clocks go back',
      of: { interval: 'day', timezone: 'Europe/Berlin' },
      after: '2026-10-24T12:00:00Z',
      boundaries: ['2026-10-24T22:00', '2026-10-25T23:00', '2026-10-26T23:00'],
    },
    {
      what: 'an hour that the clock jumps over, moved forward by the jump',
      of: { interval: 'day', timezone: 'Europe/Berlin', offsetHour: 2 },
      after: '2026-03-27T12:00:00Z',
      boundaries: ['2026-03-28T01:00', '2026-03-29T01:00', '2026-03-30T00:00'],
    },
    {
      what: 'an hour that the clock shows twice, when it shows it first',
      of: { interval: 'day', timezone: 'America/New_York', offsetHour: 1 },
      after: '2026-10-31T12:00:00Z',
      boundaries: ['2026-11-01T05:00', '2026-11-02T06:00', '2026-11-03T06:00'],
    },
    {
      what: 'a midnight that does not exist',
      of: { interval: 'day', timezone: 'America/Havana' },
      after: '2026-03-07T12:00:00Z',
      boundaries: ['2026-03-08T05:00', '2026-03-09T04:00'],
    },
    {
      what: 'a change of half an hour',
      of: { interval: 'day', timezone: 'Australia/Lord_Howe', offsetHour: 2 },
      after: '2026-10-02T12:00:00Z',
      boundaries: ['2026-10-02T15:30', '2026-10-03T15:30', '2026-10-04T15:00'],
    },
    {
      what: 'a day that a zone never had',
      of: { interval: 'day', timezone: 'Pacific/Apia' },
      after: '2011-12-28T12:00:00Z',
      boundaries: ['2011-12-29T10:00', '2011-12-30T10:00', '2011-12-31T10:00'],
    },
    {
      what: 'a change between two whole minutes',
      of: { interval: 'day', timezone: 'Africa/Monrovia' },
      after: '1972-01-05T12:00:00Z',
      boundaries: ['1972-01-06T00:44', '1972-01-07T00:44', '1972-01-08T00:00'],
    },
    {
      what: 'days in a year that has two digits',
      of: { interval: 'day', timezone: 'Etc/GMT-2' },
      after: '0099-12-30T12:00:00Z',
      boundaries: ['0099-12-30T22:00', '0099-12-31T22:00', '0100-01-01T22:00'],
    },
    {
      what: 'weeks from a Monday morning',
      of: { interval: 'week', timezone: 'America/New_York', offsetDay: 1, offsetHour: 6 },
      after: '2026-03-01T00:00:00Z',
      boundaries: ['2026-03-02T11:00', '2026-03-09T10:00', '2026-03-16T10:00'],
    },
    {
      what: 'months in a zone of half an hour',
      of: { interval: 'month', timezone: 'Asia/Kolkata' },
      after: '2027-12-15T00:00:00Z',
      boundaries: ['2027-12-31T18:30', '2028-01-31T18:30', '2028-02-29T18:30'],
    },
    {
      what: 'hours that are those of UTC, in a zone of half an hour too',
      of: { interval: 'hour', timezone: 'Asia/Kolkata' },
      after: '2026-03-08T00:00:00Z',
      boundaries: ['2026-03-08T01:00', '2026-03-08T02:00'],
    },
  ];
  for (const { what, of, after, boundaries } of cases) {
    it(`has ${what}`, () => assert.deepEqual(boundariesAfter(cadenceWith(of), after, boundaries.length), boundaries));
  }

  for (const interval of [
    '',
    'hours',
    'months',
    'every 0 minutes',
    'every 1441 minutes',
    'every 5 hours',
    'every -1 minutes',
  ])
    it(`refuses the interval "${interval}"`, () => {
      assert.throws(() => cadenceWith({ interval }), {
        name: 'InvalidInput',
        code: 'invalid_choice',
        attr: 'interval',
      });
    });

  for (const name of ['europe/berlin', '+01:00', 'Europe/Nowhere', '', 'Factory', 'PST']) {
    it(`refuses the zone "${name}"`, () => {
      assert.throws(() => cadenceWith({ timezone: name }), { code: 'invalid_choice', attr: 'timezone' });
    });
  }

  it('knows zones by all their names', () => {
    for (const name of [
      'UTC',
      'Europe/Kyiv',
      'Europe/Kiev',
      'Asia/Kolkata',
      'Asia/Calcutta',
      'US/Pacific',
      'EST5EDT',
    ]) {
      assert.ok(boundaryAfter(cadenceWith({ interval: 'day', timezone: name }), 0) > 0, name);
    }
  });

  const weekly = cadenceWith({ interval: 'week', timezone: 'Europe/Berlin', offsetDay: 3, offsetHour: 5 });
  const changes: { what: string; change: CadenceChange; expected: Partial<Cadence> }[] = [
    { what: 'keeps what a change leaves out', change: {}, expected: {} },
    {
      what: 'goes back to what is null',
      change: { timezone: null, offsetDay: null },
      expected: { timezone: 'UTC', offsetDay: 0 },
    },
    {
      what: 'keeps the hour when weeks become days',
      change: { interval: 'day' },
      expected: { interval: 'day', offsetDay: 0 },
    },
    {
      what: 'keeps only the zone when weeks become hours',
      change: { interval: 'hour' },
      expected: { interval: 'hour', offsetDay: 0, offsetHour: 0 },
    },
    {
      what: 'takes null where nothing applies',
      change: { interval: 'hour', offsetHour: null },
      expected: { interval: 'hour', offsetDay: 0, offsetHour: 0 },
    },
  ];
  for (const { what, change, expected } of changes) {
    it(what, () => assert.deepEqual(cadenceWith(change, weekly), { ...weekly, ...expected }));
  }

  it('refuses offsets that mean nothing', () => {
    assert.throws(() => cadenceWith({ interval: 'day', offsetDay: 0 }), {
      attr: 'offset_day',
      message: 'offset_day is not applicable for non-weekly intervals',
    });
    assert.throws(() => cadenceWith({ interval: 'hour', offsetHour: 0 }), {
      attr: 'offset_hour',
      message: 'offset_hour is not applicable for non-daily/weekly intervals',
    });
  });

  it('is the same in another zone only when its boundaries are', () => {
    const [hours, days] = [cadenceWith({ interval: 'hour' }), cadenceWith({ interval: 'day' })];
    assert.ok(isSameCadence(hours, { ...hours, timezone: 'Europe/Berlin' }));
    assert.ok(!isSameCadence(days, { ...days, timezone: 'Europe/Berlin' }));
  });

  it('knows the boundaries that are too close to a change of the clocks', () => {
    const near = [0, 1, 2, 4, 5].map((hour) => {
      const boundary = boundaryAtOrBefore(daysInBerlin(hour), at('2026-03-29T12:00:00Z'));
      return isNearClockChange(daysInBerlin(hour), boundary);
    });
    assert.deepEqual(near, [true, true, true, true, false]);
    assert.ok(!isNearClockChange(daysInBerlin(2), at('2026-03-28T01:00:00Z')));
  });

  it('turns a plain date into the beginning of its day', () => {
    const daily = cadenceWith({ interval: 'day', timezone: 'America/New_York', offsetHour: 6 });
    assert.equal(isoSeconds(localDateToInstant(daily, '2026-03-08')), '2026-03-08T10:00:00Z');
  });

  // Local dates at which the zone changes its clocks, most of them at midnight or before 04:00.
  const clockChanges = {
    'Europe/Berlin': ['2026-03-29', '2026-10-25'],
    'America/New_York': ['2026-03-08', '2026-11-01'],
    'America/Santiago': ['2026-04-04', '2026-09-06'],
    'America/Havana': ['2026-03-08', '2026-11-01'],
    'America/Sao_Paulo': ['2018-02-17', '2018-11-04'],
    'Africa/Cairo': ['2026-04-24', '2026-10-29'],
    'Australia/Lord_Howe': ['2026-04-05', '2026-10-04'],
    'Pacific/Auckland': ['2026-04-05', '2026-09-27'],
    'Pacific/Apia': ['2011-12-30'],
    'Africa/Monrovia': ['1972-01-07'],
    'Asia/Kolkata': ['2026-03-29'],
    UTC: ['2026-03-29'],
  };
  for (const [timezone, dates] of Object.entries(clockChanges))
    it(`begins days in ${timezone} when the console thinks so, also while the clocks change`, () => {
      for (const date of dates)
        for (const days of [-1, 0, 1])
          for (const offsetHour of [0, 1, 2, 3, 23]) {
            const day = new Date(at(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
            const server = localDateToInstant(cadenceWith({ interval: 'day', timezone, offsetHour }), day);
            const there = instantOf(date, { interval: 'day', timezone, offset_hour: offsetHour }, days);
            assert.equal(isoSeconds(there), isoSeconds(server), `${day}, hour ${offsetHour}`);
          }
    });
});
