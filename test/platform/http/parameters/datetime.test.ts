import assert from 'node:assert/strict';
import { parseDatetime } from '../../../../src/platform/http/parameters/datetime.ts';

describe('datetimes', () => {
  for (const [text, instant, zoned] of [
    ['2015-05-17T10:05:03.000001Z', '2015-05-17T10:05:03.000001Z', true],
    ['2015-05-17T10:05:03.1234567Z', '2015-05-17T10:05:03.123456Z', true],
    ['2015-05-17T10:05:03+02:00', '2015-05-17T08:05:03.000000Z', true],
    ['2015-05-17 10:05:03+0530', '2015-05-17T04:35:03.000000Z', true],
    ['2015-05-17T10:05:03.5-08', '2015-05-17T18:05:03.500000Z', true],
    ['2015-05-17T10:05', '2015-05-17T10:05:00.000000Z', false],
    ['2015-05-17', '2015-05-17T00:00:00.000000Z', false],
    ['2016-02-29', '2016-02-29T00:00:00.000000Z', false],
  ] as const) {
    it(`reads ${text}`, () => assert.deepEqual(parseDatetime(text), { instant, zoned }));
  }

  for (const text of [
    '',
    'now',
    '-7d',
    '2015-02-29',
    '2015-13-01',
    '2015-05-17T25:00Z',
    '2015-05-17T10:61Z',
    '2015-05-17T10:05:03+25:00',
    '2015-05-17T',
    '0000-01-01',
    '0001-01-01T00:00:00+12:00',
    '9999-12-31',
    '20150517',
    '1431856800',
    '2015-05-17T10:05:03Z; drop table',
  ]) {
    it(`does not take ${text || 'nothing'} for one`, () => assert.equal(parseDatetime(text), undefined));
  }
});
