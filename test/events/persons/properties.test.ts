import assert from 'node:assert/strict';
import { readPersonEffects, type Properties } from '../../../src/events/persons/effects.ts';
import { createPersonWork } from '../../../src/events/persons/person-work.ts';
import { StoredProperties } from '../../../src/events/persons/stored-properties.ts';
import { personIdOf } from '../../../src/events/persons/person-id.ts';
import { eventOf, identify, set, type Line } from '../../support/events/person-lines.ts';
import { personMemory, PROJECT } from '../../support/events/person-memory.ts';

type Case = { title: string; lines: Line[]; properties: Properties };

/** All of the person `a`. */
const CASES: Case[] = [
  {
    title: '$set overwrites, $set_once does not',
    lines: [
      ['x', 'a', { $set: { x: 1, y: 1 }, $set_once: { z: 1 } }],
      ['x', 'a', { $set: { x: 2 }, $set_once: { y: 2, z: 2, w: 2 } }],
    ],
    properties: { x: 2, y: 1, z: 1, w: 2 },
  },
  {
    title: '$set wins over $set_once in one event, for a new person and for one that is there',
    lines: [
      ['x', 'a', { $set: { x: 'set' }, $set_once: { x: 'once' } }],
      ['x', 'a', { $set: { y: 'set' }, $set_once: { y: 'once' } }],
    ],
    properties: { x: 'set', y: 'set' },
  },
  {
    title: 'null is a value: $set_once leaves it',
    lines: [set('a', { x: null }), ['x', 'a', { $set_once: { x: 1 } }]],
    properties: { x: null },
  },
  {
    title: '$unset removes, by a list or by the names of an object',
    lines: [
      set('a', { x: 1, y: 1, z: 1 }),
      ['x', 'a', { $unset: ['x', 'none', 7] }],
      ['x', 'a', { $unset: { y: true } }],
    ],
    properties: { z: 1 },
  },
  {
    title: 'what is no object sets nothing',
    lines: [['x', 'a', { $set: ['x'], $set_once: 'x', $unset: 'x' }], set('a', { x: 1 }), ['x', 'a', { $set: null }]],
    properties: { x: 1 },
  },
  {
    title: '$exception and $$heatmap change no properties',
    lines: [
      ['$exception', 'a', { $set: { x: 1 }, $browser: 'Chrome' }],
      ['$$heatmap', 'a', { $set_once: { x: 1 }, utm_source: 'x' }],
    ],
    properties: {},
  },
  {
    title: 'what a browser says is kept, the first of it under $initial_ names',
    lines: [
      ['$pageview', 'a', { $browser: 'Chrome', utm_source: 'mail', _kx: 'k', $screen_depth: 8, title: 'Home' }],
      ['paid', 'a', { $browser: 'Firefox', utm_source: 'ads' }],
    ],
    properties: {
      $browser: 'Firefox',
      $initial_browser: 'Chrome',
      utm_source: 'ads',
      $initial_utm_source: 'mail',
      _kx: 'k',
      $initial__kx: 'k',
    },
  },
  {
    title: 'the event’s own $set and $set_once win over what is copied',
    lines: [
      ['x', 'a', { $browser: 'Chrome', $os: 'Linux', $set: { $browser: 'mine' }, $set_once: { $initial_os: 'first' } }],
    ],
    properties: { $browser: 'mine', $initial_browser: 'Chrome', $os: 'Linux', $initial_os: 'first' },
  },
  {
    title: 'the place is kept too',
    lines: [['x', 'a', { $geoip_city_name: 'Berlin', $geoip_subdivision_2_code: 'BE', $ip: '192.0.2.1' }]],
    properties: {
      $geoip_city_name: 'Berlin',
      $initial_geoip_city_name: 'Berlin',
      $geoip_subdivision_2_code: 'BE',
      $initial_geoip_subdivision_2_code: 'BE',
    },
  },
  {
    title: 'the system of a server is not its users’',
    lines: [['x', 'a', { $os: 'Linux', $os_version: '12', $browser: 'Chrome', $is_server: true }]],
    properties: { $browser: 'Chrome', $initial_browser: 'Chrome' },
  },
  {
    title: 'a survey that was shown is remembered',
    lines: [['survey shown', 'a', {}]],
    properties: { $survey_last_seen_date: '2000-01-01T00:00:00.000Z' },
  },
  {
    title: 'when a survey was shown is what the event says, where it does',
    lines: [['survey shown', 'a', { $set: { $survey_last_seen_date: 'today' } }]],
    properties: { $survey_last_seen_date: 'today' },
  },
  {
    title: 'an event without a person profile changes nothing',
    lines: [set('a', { x: 1 }), ['x', 'a', { $process_person_profile: false, $set: { x: 2 }, utm_source: 'mail' }]],
    properties: { x: 1 },
  },
  {
    title: 'events about persons change even what is volatile',
    lines: [
      ['x', 'a', { $browser: 'Chrome', $os: 'Linux' }],
      ['$set', 'a', { $browser: 'Firefox' }],
      ['$identify', 'a', { $os: 'Windows' }],
    ],
    properties: { $browser: 'Firefox', $initial_browser: 'Chrome', $os: 'Windows', $initial_os: 'Linux' },
  },
];

const VOLATILE =
  `$current_url $pathname $referrer $referring_domain $screen_height $screen_width $viewport_height $viewport_width
  $browser $browser_version $device_type $os $os_version $raw_user_agent
  $geoip_postal_code $geoip_latitude $geoip_longitude $geoip_accuracy_radius $geoip_time_zone
  $geoip_subdivision_1_code $geoip_subdivision_1_name`.split(/\s+/);
const LASTING = `utm_source utm_medium utm_campaign utm_content utm_term gclid fbclid _kx $app_version
  $geoip_city_name $geoip_country_name`.split(/\s+/);

const personless = (distinctId: string): Line => ['x', distinctId, { $process_person_profile: false }];

describe('properties of persons', () => {
  for (const { title, lines, properties } of CASES) {
    it(title, () => {
      const [single, whole] = [personMemory(), personMemory()];
      for (const line of lines) single.play([eventOf(line)]);
      whole.play(lines.map((line) => eventOf(line)));
      assert.deepEqual(single.state()['a']?.properties, properties);
      assert.deepEqual(whole.state(), single.state());
    });
  }

  it('are not written when only what is volatile has another value', () => {
    for (const name of VOLATILE) {
      const memory = personMemory();
      memory.play([eventOf(['x', 'a', { [name]: 1 }])]);
      assert.deepEqual(memory.play([eventOf(['x', 'a', { [name]: 2 }])]).changes.persons, [], name);
      assert.equal(memory.state()['a']?.properties[name], 1, name);
    }
  });

  it('are written when anything else changes, and then all of it', () => {
    for (const name of LASTING) {
      const memory = personMemory();
      memory.play([eventOf(['x', 'a', { [name]: 1, $browser: 'Chrome' }])]);
      memory.play([eventOf(['x', 'a', { [name]: 2, $browser: 'Firefox' }])]);
      const { [name]: changed, $browser: browser } = memory.state()['a']!.properties;
      assert.deepEqual({ changed, browser }, { changed: 2, browser: 'Firefox' }, name);
    }
  });

  it('are written when the person did not have what is volatile', () => {
    const memory = personMemory();
    memory.play([eventOf(['x', 'a'])]);
    memory.play([eventOf(['x', 'a', { $browser: 'Chrome' }])]);
    assert.deepEqual(memory.state()['a']?.properties, { $browser: 'Chrome', $initial_browser: 'Chrome' });
  });

  it('set by the caller are never volatile', () => {
    const memory = personMemory();
    memory.play([eventOf(set('a', { $browser: 'mine' }))]);
    memory.play([eventOf(set('a', { $browser: 'other' }))]);
    assert.deepEqual(memory.state()['a']?.properties, { $browser: 'other' });
  });

  it('are those that each event of a group saw', () => {
    const { seen } = personMemory().play(
      [set('a', { x: 1 }), ['x', 'a'] as Line, identify('b', 'a', { $set: { x: 2 } }), ['x', 'a'] as Line].map((line) =>
        eventOf(line),
      ),
    );
    assert.deepEqual(
      seen.map(({ properties }) => properties),
      [{ x: 1 }, { x: 1 }, { x: 2 }, { x: 2 }],
    );
  });

  it('of events without a profile are those of the person that is there, or none', () => {
    const memory = personMemory();
    memory.play([eventOf(set('a', { x: 1 })), eventOf(identify('a', 'b'))]);
    const { seen, changes } = memory.play([personless('b'), personless('nobody')].map((line) => eventOf(line)));
    assert.deepEqual(seen, [
      { id: personIdOf(PROJECT, 'a'), properties: { x: 1 } },
      { id: personIdOf(PROJECT, 'nobody'), properties: {} },
    ]);
    assert.deepEqual(changes, { persons: [], mapped: [], merges: [] });
  });

  it('may have any names', () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'toJSON', 'length', '0', ''];
    const all = (value: unknown) => Object.fromEntries(names.map((name) => [name, value]));
    const memory = personMemory();
    memory.play([eventOf(['x', 'a', { $set_once: all({ first: 1 }) }])]);
    assert.deepEqual(memory.state()['a']?.properties, all({ first: 1 }));
    memory.play([eventOf(set('a', all(2))), eventOf(['x', 'b'])]);
    memory.play([eventOf(['$merge_dangerously', 'b', { alias: 'a' }])]);
    assert.deepEqual(memory.state()['a,b']?.properties, all(2));
    memory.play([eventOf(['x', 'a', { $unset: names }])]);
    assert.deepEqual(memory.state()['a,b']?.properties, {});
    assert.equal(({} as Record<string, unknown>)['first'], undefined);
  });

  it('are equal as JSON: names in any order, null for numbers beyond the range of doubles', () => {
    const memory = personMemory();
    memory.play([eventOf(set('a', { x: { p: 1, q: [{ r: 2, s: 3 }] }, big: Infinity }))]);
    const { changes } = memory.play([eventOf(set('a', { big: -Infinity, x: { q: [{ s: 3, r: 2 }], p: 1 } }))]);
    assert.deepEqual(changes.persons, []);
  });
});

/** For `{"x":"…"}` of so many bytes; each letter has two. */
const textOf = (bytes: number) => 'ä'.repeat((bytes - 8) / 2);

const wide = (length: number) => Array.from({ length }, () => 'a text');

describe('a person that grows too large', () => {
  const TOO_LARGE = 'person_properties_size_violation';
  const MIB = 1024 * 1024;
  it('keeps what it had, event by event', () => {
    const memory = personMemory();
    const { warnings, seen } = memory.play([
      eventOf(set('a', { y: 1 })),
      eventOf(set('a', { x: textOf(MIB), z: 1 })),
      eventOf(set('a', { z: 2 })),
    ]);
    assert.deepEqual(warnings, [TOO_LARGE]);
    assert.deepEqual(seen[1]?.properties, { y: 1 });
    assert.deepEqual(memory.state()['a']?.properties, { y: 1, z: 2 });
  });

  it('may have 1 MiB of JSON exactly', () => {
    assert.deepEqual(personMemory().play([eventOf(set('a', { x: textOf(MIB) }))]).warnings, []);
    assert.deepEqual(personMemory().play([eventOf(set('a', { x: `${textOf(MIB)}!` }))]).warnings, [TOO_LARGE]);
  });

  it('is weighed with all digits of its numbers', () => {
    assert.deepEqual(personMemory().play([eventOf(set('a', { x: Array(3_000).fill(1e300) }))]).warnings, []);
    assert.deepEqual(personMemory().play([eventOf(set('a', { x: Array(4_000).fill(1e300) }))]).warnings, [TOO_LARGE]);
  });

  it('may have 25,000 values, and no more', () => {
    const memory = personMemory();
    const TAKEN = 24_000;
    assert.deepEqual(memory.play([eventOf(set('a', { x: wide(TAKEN), y: 1 }))]).warnings, []);
    assert.deepEqual(memory.play([eventOf(set('a', { z: wide(2_000) }))]).warnings, [TOO_LARGE]);
    assert.deepEqual(memory.play([eventOf(set('a', { y: 2, z: wide(100) }))]).warnings, []);
  });

  it('may lose what it has, where it had more before there was a limit', () => {
    const before = {
      id: 'a',
      properties: new StoredProperties(JSON.stringify({ x: 1, list: wide(30_000) })),
    };
    const known = new Map([['a', { ...before, isIdentified: false, createdAt: 0n }]]);
    const work = createPersonWork(1, known);
    work.apply('a', 0n, readPersonEffects('$set', 'a', { $set: { y: 1 } }));
    const { properties } = work.apply('a', 0n, readPersonEffects('$set', 'a', { $unset: ['x'] }));
    assert.deepEqual(
      work.warnings().map(({ code }) => code),
      [TOO_LARGE],
    );
    assert.deepEqual(Object.keys(properties.value), ['list']);
  });

  it('is still merged, and keeps the properties of the survivor', () => {
    const memory = personMemory();
    memory.play([eventOf(set('a', { x: textOf(MIB) })), eventOf(set('b', { y: 1 }))]);
    assert.deepEqual(memory.play([eventOf(identify('b', 'a', { $set: { z: 1 } }))]).warnings, [TOO_LARGE]);
    assert.deepEqual(memory.state()['a,b']?.properties, { y: 1, z: 1 });
  });
});
