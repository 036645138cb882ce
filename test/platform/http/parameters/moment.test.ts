import assert from 'node:assert/strict';
import { InvalidInput } from '../../../../src/platform/errors.ts';
import { readMoment } from '../../../../src/platform/http/parameters/moment.ts';

const DAY = 86_400_000;
const daysAgo = (text: string) => (Date.now() - Date.parse(readMoment(text, 'after'))) / DAY;

describe('a moment in a query', () => {
  const ago: [text: string, least: number, most: number][] = [
    ['-0d', 0, 0],
    ['-24h', 1, 1],
    ['-7d', 7, 7],
    ['-2w', 14, 14],
    ['-1m', 28, 31],
    ['-1y', 365, 366],
  ];
  for (const [text, least, most] of ago) {
    it(`is so long ago: ${text}`, () => {
      const days = daysAgo(text);
      assert.ok(days > least - 0.1 && days < most + 0.1, String(days));
    });
  }

  it('is an instant with microseconds, in UTC', () => {
    assert.equal(readMoment('2015-05-17T10:00:00.123456+02:00', 'after'), '2015-05-17T08:00:00.123456Z');
    assert.match(readMoment('-1h', 'after'), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  });

  for (const text of ['', 'now', '7d', '-7', '-7x', '-7D', '- 7d', '-99999y', '2015-02-30', '-1.5h']) {
    it(`is not ${JSON.stringify(text)}`, () => {
      assert.throws(
        () => readMoment(text, 'after'),
        (error) => error instanceof InvalidInput && error.attr === 'after',
      );
    });
  }
});
