import assert from 'node:assert/strict';
import { personIdOf } from '../../../src/events/persons/person-id.ts';
import type { PersonChanges } from '../../../src/events/persons/person-work.ts';
import { eventOf, identify, mergeDangerously, set, type Line } from '../../support/events/person-lines.ts';
import { personMemory, PROJECT } from '../../support/events/person-memory.ts';

/** Of one group, after others of one event each. */
function changesOf(before: Line[], events: Line[]): PersonChanges {
  const memory = personMemory();
  for (const [index, line] of before.entries()) memory.play([eventOf(line, index)]);
  return memory.play(events.map((line, index) => eventOf(line, before.length + index))).changes;
}

describe('the write of a group', () => {
  const NOTHING = { persons: [], mapped: [], merges: [] };

  it('is nothing for a person that ends as it began', () => {
    assert.deepEqual(changesOf([set('a', { x: 1, y: [{ z: 1 }] })], [set('a', { x: 2 }), set('a', { x: 1 })]), NOTHING);
    assert.deepEqual(changesOf([set('a', { x: 1 })], [set('a', { x: 1 }), ['$pageview', 'a']]), NOTHING);
    assert.deepEqual(changesOf([identify('a', 'b')], [identify('a', 'b'), identify('b', 'a')]), NOTHING);
  });

  it('is only the mapping when an id joins a person that stays as it is', () => {
    const { persons, mapped, merges } = changesOf([identify('user', 'anon')], [identify('user', 'another')]);
    assert.deepEqual([persons, merges], [[], []]);
    assert.deepEqual(mapped, [{ distinctId: 'another', personId: personIdOf(PROJECT, 'user') }]);
  });

  it('names the survivor for every person of before that ended', () => {
    const { merges } = changesOf(
      [
        ['x', 'a'],
        ['x', 'b'],
        ['x', 'c'],
      ],
      [identify('b', 'a'), ['x', 'new'], mergeDangerously('c', 'b'), mergeDangerously('c', 'new')],
    );
    const into = personIdOf(PROJECT, 'c');
    const ended = [personIdOf(PROJECT, 'a'), personIdOf(PROJECT, 'b')];
    assert.deepEqual(
      new Map(merges.map((merge) => [merge.from, merge.into])),
      new Map(ended.map((from) => [from, into])),
    );
  });

  it('makes one person of events that name it by different ids', () => {
    const { persons, mapped } = changesOf([], [identify('user', 'anon'), set('anon', { a: 1 }), set('user', { b: 2 })]);
    assert.deepEqual(
      persons.map(({ id, properties }) => ({ id, properties: properties.text })),
      [{ id: personIdOf(PROJECT, 'user'), properties: '{"a":1,"b":2}' }],
    );
    assert.deepEqual(mapped.map(({ distinctId }) => distinctId).sort(), ['anon', 'user']);
  });
});
