/** Fields of forms that hold JSON: bounded as a body is. */
import assert from 'node:assert/strict';
import { InvalidInput, TooLarge } from '../../../src/platform/errors.ts';
import { fieldValues } from '../../../src/platform/http/form.ts';
import { nullable, Type } from '../../../src/platform/schema.ts';

const Body = Type.Object({
  name: Type.String(),
  filters: nullable(Type.Unknown()),
  groups: Type.Array(Type.Unknown()),
});

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const list = (count: number) => `[${Array.from({ length: count }, () => '1').join()}]`;

describe('a field of a form', () => {
  it('is JSON where its schema says so', () => {
    assert.deepEqual(fieldValues(Body, { name: '[1]', filters: '{"a":[1]}', groups: '[{}]' }), {
      name: '[1]',
      filters: { a: [1] },
      groups: [{}],
    });
    assert.deepEqual(fieldValues(Body, { groups: '[' }), { groups: '[' });
  });

  it('is nested no deeper than a body', () => {
    assert.doesNotThrow(() => fieldValues(Body, { groups: nested(60) }));
    for (const depth of [70, 20_000, 40_000]) {
      assert.throws(() => fieldValues(Body, { groups: nested(depth) }), TooLarge, `${depth}`);
    }
  });

  it('holds no more values than a body, all fields together', () => {
    assert.doesNotThrow(() => fieldValues(Body, { groups: list(49_000), name: '"' }));
    assert.throws(() => fieldValues(Body, { groups: list(51_000) }), TooLarge);
    assert.throws(() => fieldValues(Body, { name: '"', groups: list(30_000), filters: list(30_000) }), TooLarge);
  });

  it('holds no text that cannot be stored', () => {
    const refusals = [
      [{ groups: String.raw`["\u0000"]` }, 'groups__0'],
      [{ filters: String.raw`{"a":{"b":"\u0000"}}` }, 'filters__a__b'],
    ] as const;
    for (const [fields, attr] of refusals)
      assert.throws(
        () => fieldValues(Body, fields),
        (error) => error instanceof InvalidInput && error.attr === attr,
      );
  });
});
