import assert from 'node:assert/strict';
import fc from 'fast-check';
import { anyPersonEvent } from '../../support/events/any-person-event.ts';
import { personMemory } from '../../support/events/person-memory.ts';
import { sequentialPersons } from '../../support/events/sequential-persons.ts';

/** The events of a project, in groups. */
const groups = fc.array(
  fc.array(anyPersonEvent(['a', 'b', 'c', 'd', 'e', 'f', 'null', ' guest ', '0']), { maxLength: 6 }),
  { maxLength: 8 },
);

describe('any sequence of events', () => {
  it('in any groups results in the same persons as one event after the other', () => {
    fc.assert(
      fc.property(groups, (given) => {
        const memory = personMemory();
        const played = given.map((events) => memory.play(events));
        const model = sequentialPersons();
        const expected = given.flat().map((event) => model.apply(event));

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
      { numRuns: 2000 },
    );
  });
});
