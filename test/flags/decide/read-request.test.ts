import assert from 'node:assert/strict';
import { decideBodyOf } from '../../../src/flags/decide/read-request.ts';
import { JsonFloat } from '../../../src/flags/evaluation/json-values.ts';

const bodyOf = (padding: number) => Buffer.from(`{"a":1.0,"padding":"${'x'.repeat(padding)}"}`);

describe('the body of a request for flags', () => {
  it('tells 1.0 from 1, unless it is so large that others would wait for it', () => {
    assert.ok(decideBodyOf(bodyOf(1_000))['a'] instanceof JsonFloat);
    assert.equal(decideBodyOf(bodyOf(200_000))['a'], 1);
  });
});
