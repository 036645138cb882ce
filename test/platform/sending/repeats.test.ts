import assert from 'node:assert/strict';
import { createLineNamer } from '../../../src/platform/sending/repeats.ts';

const MINUTE = 60_000;

/** Names the lines of one file; a line is [text, minute]. */
function namesOf(file: readonly (readonly [string, number | undefined])[]): string[] {
  const uuidOf = createLineNamer();
  return file.map(([text, minute]) => uuidOf(Buffer.from(text), minute === undefined ? undefined : minute * MINUTE));
}

const distinct = (names: readonly string[]) => new Set(names).size;

describe('the uuids of lines', () => {
  it('are the same each time a file is sent, and all different within it, even those of equal lines', () => {
    const file = [
      ['a', 0],
      ['b', 0],
      ['a', 0],
      ['a', 0],
      ['b', 0],
    ] as const;
    assert.deepEqual(namesOf(file), namesOf(file));
    assert.equal(distinct(namesOf(file)), 5);
  });

  it('of a repeated line differ from those of lines whose text looks like the number of a repeat', () => {
    assert.equal(
      distinct(
        namesOf([
          ['a', 0],
          ['a', 0],
          ['a#1', 0],
          ['0.1', 0],
        ]),
      ),
      4,
    );
  });

  it('of equal lines differ even if lines of other minutes, earlier or later, are between them', () => {
    assert.equal(
      distinct(
        namesOf([
          ['a', 5],
          ['x', 9],
          ['y', 3],
          ['a', 5],
        ]),
      ),
      4,
    );
  });

  it('recur if an equal line follows after ten other minutes of log time', () => {
    const others = Array.from({ length: 10 }, (_, minute) => [`x${minute}`, minute + 1] as const);
    const names = namesOf([['a', 0], ...others, ['a', 0]]);
    assert.equal(names.at(-1), names[0]);
  });

  it('of equal lines differ even if a line from the far future is between them', () => {
    assert.equal(
      distinct(
        namesOf([
          ['a', 0],
          ['clock', 1e6],
          ['a', 0],
        ]),
      ),
      3,
    );
  });

  it('stay distinct if one minute, or the lines without a time, have more lines than are counted together', () => {
    for (const minute of [0, undefined]) {
      const many = Array.from({ length: 25_000 }, (_, index) => [`x${index}`, minute] as const);
      const file = [['a', minute] as const, ...many, ['a', minute] as const];
      assert.equal(distinct(namesOf(file)), file.length);
      assert.deepEqual(namesOf(file), namesOf(file));
    }
  });
});
