/** Parts by event that are read together. */
import assert from 'node:assert/strict';
import { readingsOf } from '../../../src/exports/domain/plan.ts';

const GIBIBYTE = 1024 ** 3;
const partsOf = (...rows: number[]) => rows.map((count) => ({ rows: count }));

describe('the readings of a plan by event', () => {
  it('are one for small parts, and none without parts', () => {
    assert.deepEqual(
      readingsOf(partsOf(10, 20, 30), [
        { parts: 2, bytes: 300 },
        { parts: 1, bytes: 300 },
      ]),
      [3],
    );
    assert.deepEqual(readingsOf([], []), []);
  });

  it('have a million rows at most, unless a part alone has more', () => {
    const bytes = 1000;
    assert.deepEqual(readingsOf(partsOf(600_000, 400_000, 1), [{ parts: 3, bytes }]), [2, 3]);
    assert.deepEqual(readingsOf(partsOf(1, 2_000_000, 1), [{ parts: 3, bytes }]), [1, 2, 3]);
  });

  it('have a gibibyte at most, by the size of the rows of each event', () => {
    const events = [
      { parts: 1, bytes: 1000 },
      { parts: 4, bytes: 2 * GIBIBYTE },
    ];
    assert.deepEqual(readingsOf(partsOf(900_000, 500, 500, 500, 500), events), [2, 4, 5]);
  });
});
