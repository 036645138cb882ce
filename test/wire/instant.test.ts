import assert from 'node:assert/strict';
import { parseInstant } from '../../src/wire/instant.ts';

/** As Postgres would print it; undefined when it is not an instant. */
function read(value: unknown): string | undefined {
  const instant = parseInstant(value);
  if (instant === undefined) return undefined;
  const microseconds = instant + 946_684_800_000_000n;
  const seconds = microseconds / 1_000_000n - (microseconds % 1_000_000n < 0n ? 1n : 0n);
  const iso = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  return `${iso}.${String(microseconds - seconds * 1_000_000n).padStart(6, '0')}Z`;
}

describe('an instant on the wire', () => {
  const instants: [unknown, string][] = [
    ['2015-05-17T10:05:03Z', '2015-05-17T10:05:03.000000Z'],
    ['2015-05-17T10:05:03.123456Z', '2015-05-17T10:05:03.123456Z'],
    ['2015-05-17T10:05:03.1Z', '2015-05-17T10:05:03.100000Z'],
    ['2015-05-17T10:05:03.123456789Z', '2015-05-17T10:05:03.123456Z'],
    ['2015-05-17t10:05:03z', '2015-05-17T10:05:03.000000Z'],
    ['2015-05-17 10:05:03', '2015-05-17T10:05:03.000000Z'],
    ['2015-05-17T10:05', '2015-05-17T10:05:00.000000Z'],
    ['2015-05-17', '2015-05-17T00:00:00.000000Z'],
    [' 2015-05-17 ', '2015-05-17T00:00:00.000000Z'],
    ['2015-05-17T10:05:03+14:00', '2015-05-16T20:05:03.000000Z'],
    ['2015-05-17T10:05:03-0330', '2015-05-17T13:35:03.000000Z'],
    ['2015-05-17 10:05:03 +03', '2015-05-17T07:05:03.000000Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000000Z'],
    ['0001-01-01T00:00:00.000001Z', '0001-01-01T00:00:00.000001Z'],
    ['0099-06-01', '0099-06-01T00:00:00.000000Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000000Z'],
    [1431857103, '2015-05-17T10:05:03.000000Z'],
    [1431857103123, '2015-05-17T10:05:03.123000Z'],
    [0, '1970-01-01T00:00:00.000000Z'],
    [-1, '1969-12-31T23:59:59.000000Z'],
  ];
  for (const [value, expected] of instants) {
    it(`${JSON.stringify(value)} is ${expected}`, () => assert.equal(read(value), expected));
  }

  const others = [
    '',
    'now',
    'infinity',
    '2024-02-30',
    '2023-02-29',
    '2024-13-01',
    '2024-00-10',
    '2024-01-01T24:00:00Z',
    '2024-01-01T10:60:00Z',
    '2024-01-01T10:00:61Z',
    '2024-01-01T10:00:00+16:00',
    '0000-12-31',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '294277-01-01T00:00:00Z',
    '-0044-03-15',
    '17/May/2015:10:05:03 +0000',
    `${'2015-05-17'.padEnd(100_000)}x`,
    Infinity,
    NaN,
    1e300,
    null,
    true,
    [],
  ];
  for (const value of others) {
    const words = String(value).slice(0, 40);
    it(`${words} is none`, () => assert.equal(parseInstant(value), undefined));
  }
});
