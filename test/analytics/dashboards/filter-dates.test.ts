/** Dates of a dashboard that would fail every insight on it. */
import assert from 'node:assert/strict';
import { givenFields } from '../../../src/analytics/dashboards/fields.ts';
import { InvalidInput } from '../../../src/platform/errors.ts';

const REFUSED: [object, RegExp][] = [
  [{ date_from: 'yesterdayish' }, /^date_from: "yesterdayish" is not a date/],
  [{ date_from: '-7d', date_to: '2025-02-30' }, /^date_to: "2025-02-30" is not a date/],
  [{ date_from: 7 }, /^date_from: A date must be a string/],
  [{ date_from: '2025-06-03', date_to: '2025-06-02' }, /^date_to: .*end before they begin/],
  [{ date_from: '2025-06-03T08:00:00Z', date_to: '2025-06-01T08:00:00Z' }, /^date_to: .*end before they begin/],
];

const STORED = [
  {},
  { date_from: null, date_to: null },
  { date_from: '', date_to: '' },
  { date_from: 'all', date_to: '-1d' },
  { date_from: 'mStart', date_to: '2025-06-02' },
  { date_from: '2025-06-02', date_to: '2025-06-02' },
  { date_from: '2025-06-02T23:00:00', date_to: '2025-06-02T01:00:00' },
  { whatever: [1], properties: 'x' },
];

describe('the filters of a dashboard', () => {
  for (const [filters, message] of REFUSED) {
    it(`are refused: ${JSON.stringify(filters)}`, () => {
      assert.throws(
        () => givenFields({ filters }),
        (error) => error instanceof InvalidInput && error.attr === 'filters' && message.test(error.message),
      );
    });
  }

  for (const filters of STORED) {
    it(`are stored as they are: ${JSON.stringify(filters)}`, () => {
      assert.deepEqual(givenFields({ filters }).filters, filters);
    });
  }
});
