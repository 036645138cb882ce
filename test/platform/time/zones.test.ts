import assert from 'node:assert/strict';
import { instantOfWall, wallAt } from '../../../src/platform/time/zones.ts';

const at = (text: string) => Date.parse(text);

describe('clocks of time zones', () => {
  it('show the same instant differently, also where a zone was minutes and seconds off', () => {
    assert.equal(wallAt(at('2015-05-17T10:05:03.123Z'), 'Europe/Berlin'), at('2015-05-17T12:05:03.123Z'));
    assert.equal(wallAt(at('2015-05-17T10:05:03Z'), 'Asia/Kathmandu'), at('2015-05-17T15:50:03Z'));
    assert.equal(wallAt(at('1880-01-01T00:00:00Z'), 'Europe/Berlin'), at('1880-01-01T00:53:28Z'));
    assert.equal(wallAt(at('0001-01-01T00:00:00Z'), 'UTC'), at('0001-01-01T00:00:00Z'));
  });

  it('show a reading twice in autumn: it is the first of the two instants', () => {
    assert.equal(instantOfWall(at('2024-10-27T02:30:00Z'), 'Europe/Berlin'), at('2024-10-27T00:30:00Z'));
  });

  it('skip a reading in spring: it counts with the offset before', () => {
    assert.equal(instantOfWall(at('2024-03-31T02:30:00Z'), 'Europe/Berlin'), at('2024-03-31T01:30:00Z'));
    // A whole day: the 30th of December 2011 did not come to Samoa.
    assert.equal(instantOfWall(at('2011-12-30T12:00:00Z'), 'Pacific/Apia'), at('2011-12-30T22:00:00Z'));
  });

  it('give back what they showed, all others included', () => {
    for (const zone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Monrovia']) {
      for (let instant = at('1900-01-01T05:00:00Z'); instant < at('2040-01-01T00:00:00Z'); instant += 86_400_000) {
        assert.equal(instantOfWall(wallAt(instant, zone), zone), instant, `${zone} ${instant}`);
      }
    }
  });
});
