import assert from 'node:assert/strict';
import { readTimezone } from '../../../src/platform/http/parameters/time-zone.ts';
import { findTimeZoneName } from '../../../src/platform/time/time-zones.ts';

describe('names of time zones', () => {
  const known = [
    ['UTC', 'UTC'],
    ['Europe/Kyiv', 'Europe/Kyiv'],
    ['Europe/Kiev', 'Europe/Kiev'],
    ['europe/berlin', 'Europe/Berlin'],
    ['EST5EDT', 'EST5EDT'],
    ['etc/gmt+5', 'Etc/GMT+5'],
  ] as const;
  for (const [text, name] of known) {
    it(`are found in any case: ${text}`, () => {
      assert.equal(findTimeZoneName(text), name);
      assert.equal(readTimezone(text, 'timezone'), name);
      assert.ok(new Intl.DateTimeFormat('en', { timeZone: name }));
    });
  }

  it('are all that the runtime knows', () => {
    for (const name of Intl.supportedValuesOf('timeZone')) assert.equal(findTimeZoneName(name), name);
  });

  for (const text of ['', '+01:00', '-5', 'PST', 'Europe/Nowhere', 'Factory', ' UTC']) {
    it(`are no offsets, and nothing else: "${text}"`, () => {
      assert.equal(findTimeZoneName(text), undefined);
      assert.throws(() => readTimezone(text, 'tz'), { name: 'InvalidInput', attr: 'tz' });
    });
  }
});
