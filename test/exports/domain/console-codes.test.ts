/** States of data intervals, as the API and the console have them. */
import assert from 'node:assert/strict';
import { newlyVerified } from '../../../console/src/exports/export/newly-verified.ts';
import { CODES, countGroups, sumUp } from '../../../console/src/exports/states/codes.ts';
import { INTERVAL_CODES } from '../../../src/exports/domain/interval-codes.ts';

describe('the console', () => {
  it('orders the states of intervals as the API does: where several are drawn as one, both show the same', () => {
    assert.deepEqual(CODES, INTERVAL_CODES);
  });

  it('counts every state in its legend, with the words for one', () => {
    for (const code of CODES) assert.equal(countGroups([[code, 1]]).length, 1, code);
    assert.equal(
      sumUp(['--', 'hi', 'ny', 'hi', 'ny', 'ht']),
      '2 need you, 1 retrying, 2 delivered, 1 outside of the schedule',
    );
    assert.equal(sumUp(['hy']), '1 needs you');
  });

  it('finds deliveries that were verified between two maps', () => {
    const before = { starts: Float64Array.of(2, 3, 4, 5, 6), codes: ['nr', 'hi', 'hw', 'hr', 'ny'] as const };
    const now = {
      starts: Float64Array.of(1, 2, 3, 4, 5, 6, 7),
      codes: ['hi', 'hi', 'hi', 'hi', 'hi', 'nt', 'hi'] as const,
    };
    assert.deepEqual(newlyVerified(before, now), [1, 4]);
  });
});
