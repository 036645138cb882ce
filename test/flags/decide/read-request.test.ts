import assert from 'node:assert/strict';
import { LIMITS } from '../../../src/flags/decide/limits.ts';
import { decideBodyOf } from '../../../src/flags/decide/read-request.ts';
import { JsonFloat } from '../../../src/conditions/operators/json-values.ts';

const bodyOf = (padding: number) => Buffer.from(`{"a":1.0,"padding":"${'x'.repeat(padding)}"}`);

const list = (length: number) => Buffer.from(JSON.stringify({ a: Array.from({ length }, () => 1) }));

describe('the body of a request for flags', () => {
  it('distinguishes 1.0 from 1, unless it is so large that others would wait for it', () => {
    assert.ok(decideBodyOf(bodyOf(1_000))['a'] instanceof JsonFloat);
    assert.equal(decideBodyOf(bodyOf(200_000))['a'], 1);
  });

  it('holds a limited number of values', () => {
    // The body and the list are values as well.
    assert.ok(decideBodyOf(list(LIMITS.values - 1))['a']);
    assert.throws(() => decideBodyOf(list(LIMITS.values)), {
      message: `The body holds more than ${LIMITS.values} values.`,
    });
  });
});
