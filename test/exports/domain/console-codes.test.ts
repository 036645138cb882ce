/** States of data intervals, as the API and the console have them. */
import assert from 'node:assert/strict';
import { CODES } from '../../../console/src/exports/states/codes.ts';
import { INTERVAL_CODES } from '../../../src/exports/domain/interval-codes.ts';

describe('the console', () => {
  it('orders the states of intervals as the API does: where several are drawn as one, both show the same', () => {
    assert.deepEqual(CODES, INTERVAL_CODES);
  });
});
