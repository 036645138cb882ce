import assert from 'node:assert/strict';
import { timezoneOf } from '../../../src/platform/http/parameters/time-zone.ts';
import { timeZoneNamed } from '../../../src/platform/time/time-zones.ts';

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
      assert.equal(timeZoneNamed(text), name);
      assert.equal(timezoneOf(text, 'timezone'), name);
      assert.ok(new Intl.DateTimeFormat('en', { timeZone: name }));
    });
  }

  it('are all that the runtime knows', () => {
    for (const name of Intl.supportedValuesOf('timeZone')) assert.equal(timeZoneNamed(name), name);
  });

  for (const text of ['', '+01:00', '-5', 'PST', 'Europe/Nowhere', 'Factory', ' UTC']) {
    it(`are no offsets, and nothing else: "${text}"`, () => {
      assert.equal(timeZoneNamed(text), undefined);
      assert.throws(() => timezoneOf(text, 'tz'), { name: 'InvalidInput', attr: 'tz' });
    });
  }
});
