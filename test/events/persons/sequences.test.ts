import assert from 'node:assert/strict';
import fc from 'fast-check';
import { personMemory, type PersonEvent } from '../../support/person-memory.ts';
import { sequentialPersons } from '../../support/sequential-persons.ts';

const distinctId = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'null', ' guest ');
const value = fc.constantFrom<unknown[]>(1, 2, 'x', null, true, [1, { b: 1, a: 2 }], [1, { a: 2, b: 1 }], {});
const name = fc.constantFrom(
  'x',
  'y',
  '$browser',
  '$initial_browser',
  'utm_source',
  '__proto__',
  'constructor',
  'toJSON',
);
/** Defines, so that `__proto__` is a name like any other. */
const properties = fc.array(fc.tuple(name, value), { maxLength: 3 }).map((entries) => Object.fromEntries(entries));
const mostly = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 2, nil: undefined });

const event: fc.Arbitrary<PersonEvent> = fc
  .record({
    event: fc.constantFrom(
      'paid',
      '$pageview',
      '$set',
      '$identify',
      '$identify',
      '$create_alias',
      '$merge_dangerously',
      '$exception',
    ),
    distinctId,
    timestamp: fc.bigInt({ min: 0n, max: 50n }),
    other: fc.oneof({ weight: 5, arbitrary: mostly(distinctId) }, { weight: 1, arbitrary: fc.constantFrom(0, 7) }),
    set: mostly(properties),
    setOnce: mostly(properties),
    unset: mostly(fc.array(name, { maxLength: 2 })),
    copied: mostly(
      fc.dictionary(fc.constantFrom('$browser', '$current_url', '$geoip_city_name', 'utm_source', '_kx'), value),
    ),
    personless: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
  })
  .map(({ other, set, setOnce, unset, copied, personless, ...rest }) => ({
    ...rest,
    properties: {
      ...copied,
      ...(other !== undefined && { alias: other, $anon_distinct_id: other }),
      ...(set && { $set: set }),
      ...(setOnce && { $set_once: setOnce }),
      ...(unset && { $unset: unset }),
      ...(personless && { $process_person_profile: false }),
    },
  }));

/** The events of a project, in groups. */
const groups = fc.array(fc.array(event, { maxLength: 6 }), { maxLength: 8 });

describe('any sequence of events', () => {
  it('in any groups comes to the same persons as one event after the other', () => {
    fc.assert(
      fc.property(groups, (given) => {
        const memory = personMemory();
        const played = given.map((events) => memory.play(events));
        const model = sequentialPersons();
        const expected = given.flat().map((one) => model.apply(one));

        assert.deepEqual(memory.state(), model.state());
        assert.deepEqual(
          played.flatMap(({ seen }) => seen),
          expected,
        );
        assert.deepEqual(
          played.flatMap(({ warnings }) => warnings),
          model.warnings,
        );
      }),
      { numRuns: 3000 },
    );
  });
});
