import assert from 'node:assert/strict';
import { fieldsOf, queryOf } from '../../../src/platform/wire/fields.ts';

describe('a field', () => {
  const cases: [string, string, string | undefined][] = [
    ['a=1&b=2', 'b', '2'],
    ['a=1&a=2', 'a', '1'],
    ['ba=1&a=2', 'a', '2'],
    ['a=b=c', 'a', 'b=c'],
    ['a=%C3%A9+%2B%26', 'a', 'é +&'],
    ['a=100%&b=%zz%41', 'b', '%zzA'],
    ['a=100%', 'a', '100%'],
    ['a=%ff', 'a', '\ufffd'],
    ['a=&b', 'a', undefined],
    ['a=&b', 'b', undefined],
    ['', 'a', undefined],
    ['__proto__=1', 'constructor', undefined],
  ];
  for (const [text, name, expected] of cases) {
    it(`${name} of ${text || 'nothing'} is ${expected ?? 'not there'}`, () => {
      assert.equal(fieldsOf(text)(name), expected);
      assert.equal(queryOf(`/e/?${text}`)(name), expected);
    });
  }

  it('is not in a path', () => assert.equal(queryOf('/a=1&b=2')('b'), undefined));
});
