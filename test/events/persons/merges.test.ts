import assert from 'node:assert/strict';
import { personIdOf } from '../../../src/events/persons/person-id.ts';
import type { Properties } from '../../../src/events/persons/effects.ts';
import { personMemory, PROJECT } from '../../support/events/person-memory.ts';
import { aliasLine, eventOf, identify, mergeDangerously, set, type Line } from '../../support/events/person-lines.ts';

type Case = {
  title: string;
  /** Each in a group of its own. */
  before?: Line[];
  events: Line[];
  /** By its distinct ids: of which its id is made, the instant since when it is known, and its properties. */
  persons: Record<string, { of: string; since: number; identified?: boolean; properties?: Properties }>;
  warnings?: string[];
};

const REFUSED = 'cannot_merge_already_identified';
const ILLEGAL = 'cannot_merge_with_illegal_distinct_id';

const CASES: Case[] = [
  {
    title: 'identify: neither id has a person: one person with both',
    events: [identify('user', 'anon', { $set: { plan: 'pro' } })],
    persons: { 'anon,user': { of: 'user', since: 0, identified: true, properties: { plan: 'pro' } } },
  },
  {
    title: 'identify: only the anonymous id has a person: it gets the other id too',
    before: [set('anon', { a: 1 })],
    events: [identify('user', 'anon')],
    persons: { 'anon,user': { of: 'anon', since: 0, identified: true, properties: { a: 1 } } },
  },
  {
    title: 'identify: only the user has a person: it gets the other id too',
    before: [set('user', { a: 1 })],
    events: [identify('user', 'anon')],
    persons: { 'anon,user': { of: 'user', since: 0, identified: true, properties: { a: 1 } } },
  },
  {
    title: 'identify: both have one: the user’s lives on, with what only the anonymous one had and its age',
    before: [set('anon', { a: 'anon', b: 'anon', c: 'anon' }), set('user', { a: 'user', b: 'user' })],
    events: [identify('user', 'anon', { $set: { a: 'event' }, $set_once: { b: 'event', d: 'event' } })],
    persons: {
      'anon,user': {
        of: 'user',
        since: 0,
        identified: true,
        properties: { a: 'event', b: 'user', c: 'anon', d: 'event' },
      },
    },
  },
  {
    title: 'identify: all ids of the anonymous person move',
    before: [identify('anon', 'older'), ['x', 'user'], mergeDangerously('user', 'older')],
    events: [],
    persons: { 'anon,older,user': { of: 'user', since: 0, identified: true } },
  },
  {
    title: 'identify: an identified person is not merged into another; the event still sets properties of its own',
    before: [identify('first', 'anon'), ['x', 'second']],
    events: [identify('second', 'anon', { $set: { a: 1 } })],
    persons: {
      'anon,first': { of: 'first', since: 0, identified: true },
      second: { of: 'second', since: 1, identified: true, properties: { a: 1 } },
    },
    warnings: [REFUSED],
  },
  {
    title: 'identify: an id without a person joins an identified person',
    before: [identify('first', 'anon')],
    events: [identify('second', 'anon')],
    persons: { 'anon,first,second': { of: 'first', since: 0, identified: true } },
  },
  {
    title: 'identify: the same id changes only properties',
    events: [identify('user', 'user', { $set: { a: 1 } })],
    persons: { user: { of: 'user', since: 0, properties: { a: 1 } } },
  },
  {
    title: 'identify: ids that one person has already change nothing',
    before: [identify('user', 'anon')],
    events: [identify('user', 'anon'), identify('anon', 'user')],
    persons: { 'anon,user': { of: 'user', since: 0, identified: true } },
  },
  {
    title: 'identify without an anonymous id, as servers send it, identifies nobody',
    events: [
      ['$identify', 'user', { $set: { a: 1 } }],
      ['$identify', 'user', { $anon_distinct_id: null }],
    ],
    persons: { user: { of: 'user', since: 0, properties: { a: 1 } } },
  },
  {
    title: 'alias: the alias joins the person of the distinct id',
    before: [set('user', { a: 'user' }), set('other', { a: 'other', b: 'other' })],
    events: [aliasLine('user', 'other')],
    persons: {
      'other,user': { of: 'user', since: 0, identified: true, properties: { a: 'user', b: 'other' } },
    },
  },
  {
    title: 'alias as posthog-python sends it: the new id joins the person of the previous one',
    before: [set('previous', { a: 'previous' }), set('new', { a: 'new' })],
    events: [['$create_alias', 'previous', { distinct_id: 'previous', alias: 'new' }]],
    persons: { 'new,previous': { of: 'previous', since: 0, identified: true, properties: { a: 'previous' } } },
  },
  {
    title: 'alias as posthog-python sends it: refused when the new id is identified already',
    before: [identify('new', 'browser'), ['x', 'previous']],
    events: [['$create_alias', 'previous', { distinct_id: 'previous', alias: 'new' }]],
    persons: {
      'browser,new': { of: 'new', since: 0, identified: true },
      previous: { of: 'previous', since: 1, identified: true },
    },
    warnings: [REFUSED],
  },
  {
    title: 'alias: a number is an id',
    events: [aliasLine('user', 42)],
    persons: { '42,user': { of: 'user', since: 0, identified: true } },
  },
  {
    title: 'alias: an object is none',
    events: [aliasLine('user', { id: 1 }), aliasLine('user', ['x'])],
    persons: { user: { of: 'user', since: 0 } },
    warnings: [ILLEGAL, ILLEGAL],
  },
  {
    title: 'alias: ids are cut as those of events are, with a warning',
    before: [['x', 'y'.repeat(200)]],
    events: [aliasLine('user', 'y'.repeat(300))],
    persons: { [`user,${'y'.repeat(200)}`]: { of: 'y'.repeat(200), since: 0, identified: true } },
    warnings: ['distinct_id_truncated'],
  },
  {
    title: 'alias: without one, nothing',
    events: [['$create_alias', 'user', { distinct_id: 'user' }]],
    persons: { user: { of: 'user', since: 0 } },
  },
  {
    title: 'merge dangerously: even an identified person',
    before: [identify('first', 'anon', { $set: { a: 1 } }), ['x', 'second']],
    events: [mergeDangerously('second', 'first')],
    persons: { 'anon,first,second': { of: 'second', since: 0, identified: true, properties: { a: 1 } } },
  },
  {
    title: 'a chain inside one group ends in one person',
    before: [set('a', { from: 'a' }), set('d', { d: true })],
    events: [identify('b', 'a'), ['x', 'c'], mergeDangerously('c', 'b'), mergeDangerously('d', 'c')],
    persons: { 'a,b,c,d': { of: 'd', since: 0, identified: true, properties: { from: 'a', d: true } } },
  },
  {
    title: 'a person made and merged inside one group leaves nothing but its ids',
    events: [set('anon', { a: 1 }), ['x', 'user'], identify('user', 'anon')],
    persons: { 'anon,user': { of: 'user', since: 0, identified: true, properties: { a: 1 } } },
  },
  {
    title: 'other events merge nothing',
    events: [['paid', 'user', { alias: 'other', $anon_distinct_id: 'anon' }]],
    persons: { user: { of: 'user', since: 0 } },
  },
];

describe('merging persons', () => {
  for (const { title, before = [], events, persons, warnings = [] } of CASES) {
    const [earlier, later] = [before.map(eventOf), events.map((line, index) => eventOf(line, before.length + index))];

    it(`${title} (in one group)`, () => {
      const memory = personMemory();
      for (const event of earlier) memory.play([event]);
      assert.deepEqual(memory.play(later).warnings, warnings);
      assert.deepEqual(memory.state(), stateOf(persons));
    });

    it(`${title} (each event in a group of its own, and all in one)`, () => {
      const [single, whole] = [personMemory(), personMemory()];
      assert.deepEqual(
        [...earlier, ...later].flatMap((event) => single.play([event]).warnings),
        warnings,
      );
      assert.deepEqual(whole.play([...earlier, ...later]).warnings, warnings);
      assert.deepEqual(single.state(), stateOf(persons));
      assert.deepEqual(whole.state(), stateOf(persons));
    });
  }

  const words = ['anonymous', 'guest', 'distinctid', 'distinct_id', 'id', 'not_authenticated', 'email', 'undefined'];
  const mistakes = [
    ...[...words, 'true', 'false'].flatMap((word) => [word, word.toUpperCase()]),
    '[object Object]',
    'NaN',
    'None',
    'none',
    'null',
    '0',
    `'null'`,
    '"undefined"',
    `'Guest'`,
    '',
    '  ',
    ' null ',
    0,
    true,
    false,
  ];
  for (const mistake of mistakes) {
    it(`never merges by ${JSON.stringify(mistake)}`, () => {
      const memory = personMemory();
      assert.deepEqual(memory.play([eventOf(identify('user', mistake), 0)]).warnings, [ILLEGAL]);
      assert.deepEqual(memory.play([eventOf(aliasLine('user', mistake), 1)]).warnings, [ILLEGAL]);
      const text = String(mistake);
      assert.deepEqual(memory.play([eventOf(mergeDangerously(text, 'other'), 2)]).warnings, [ILLEGAL]);
      assert.deepEqual(memory.state(), stateOf({ user: { of: 'user', since: 0 }, [text]: { of: text, since: 2 } }));
    });
  }

  for (const legal of ['nan', 'NULL', 'nil', 'anonymous1', '00', 'undefined?']) {
    it(`merges by ${legal}`, () => {
      assert.deepEqual(personMemory().play([eventOf(identify('user', legal), 0)]).warnings, []);
    });
  }

  it('says in a warning which ids it is about, and nothing else', () => {
    const memory = personMemory();
    memory.play([eventOf(identify('first', 'anon'), 0), eventOf(['x', 'second'], 1)]);
    const { details } = memory.play([
      eventOf(identify('second', 'anon', { $set: { email: 'secret' } }), 2),
      eventOf(aliasLine('second', 'null'), 3),
      eventOf(aliasLine('null', 'second'), 3),
    ]);
    assert.deepEqual(details, [
      '"anon" was not merged into "second": it belongs to a person that is identified.',
      '"null" was not merged into "second" by $create_alias: the former cannot be the id of one person.',
      '"second" was not merged into "null" by $create_alias: the latter cannot be the id of one person.',
    ]);
  });
});

function stateOf(persons: Case['persons']) {
  return Object.fromEntries(
    Object.entries(persons).map(([ids, { of, since, identified = false, properties = {} }]) => [
      ids,
      { id: personIdOf(PROJECT, of), properties, isIdentified: identified, createdAt: BigInt(since) },
    ]),
  );
}
