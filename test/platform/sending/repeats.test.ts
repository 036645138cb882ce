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
  it('are the same whenever a file is sent, and all different, repeats included', () => {
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

  it('do not take a repeat for a line whose text looks like one', () => {
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

  it('count right across lines that are out of order by minutes', () => {
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

  it('forget a line after ten other minutes of log time', () => {
    const others = Array.from({ length: 10 }, (_, minute) => [`x${minute}`, minute + 1] as const);
    const names = namesOf([['a', 0], ...others, ['a', 0]]);
    assert.equal(names.at(-1), names[0]);
  });

  it('are not disturbed by one line from the far future', () => {
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

  it('stay distinct when a minute, or lines without a time, hold more lines than are counted together', () => {
    for (const minute of [0, undefined]) {
      const many = Array.from({ length: 25_000 }, (_, index) => [`x${index}`, minute] as const);
      const file = [['a', minute] as const, ...many, ['a', minute] as const];
      assert.equal(distinct(namesOf(file)), file.length);
      assert.deepEqual(namesOf(file), namesOf(file));
    }
  });
});
