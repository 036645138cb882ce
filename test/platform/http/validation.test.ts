import assert from 'node:assert/strict';
import { invalidInput } from '../../../src/platform/http/validation.ts';
import { compile, nullable, stringEnum, Type } from '../../../src/platform/schema.ts';

const Thing = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 5 }),
  size: Type.Integer({ minimum: 1, maximum: 9, default: 3 }),
  color: nullable(stringEnum(['red', 'blue']), { default: 'red' }),
  level: Type.Optional(Type.Unsafe<21 | 37>({ enum: [21, 37] })),
  id: Type.Optional(Type.String({ format: 'uuid' })),
  word: Type.Optional(Type.String({ minLength: 2, pattern: '^[a-z]+$' })),
  inner: Type.Optional(Type.Object({ deep: Type.Boolean(), list: Type.Optional(Type.Array(Type.String())) })),
  some: Type.Optional(Type.Array(Type.Number(), { minItems: 1, maxItems: 2 })),
});
const valid = compile(Thing);

describe('the refusal of a schema', () => {
  const refusals: [body: unknown, code: string, attr: string | null, detail: string][] = [
    [{}, 'required', 'name', 'This field is required.'],
    [{ name: null }, 'null', 'name', 'This field may not be null.'],
    [{ name: '' }, 'blank', 'name', 'This field may not be blank.'],
    [{ name: 1 }, 'invalid_input', 'name', 'Not a valid string.'],
    [{ name: 'abcdef' }, 'max_length', 'name', 'Ensure this field has no more than 5 characters.'],
    [{ name: 'a', size: 10 }, 'max_value', 'size', 'Ensure this value is less than or equal to 9.'],
    [{ name: 'a', size: 'x' }, 'invalid_input', 'size', 'A valid integer is required.'],
    [{ color: 'green', size: 0, name: 'a' }, 'min_value', 'size', 'Ensure this value is greater than or equal to 1.'],
    [{ name: 'a', color: 'green' }, 'invalid_choice', 'color', '"green" is not a valid choice.'],
    [{ name: 'a', level: null }, 'null', 'level', 'This field may not be null.'],
    [{ name: 'a', inner: {} }, 'required', 'inner__deep', 'This field is required.'],
    [{ name: 'a', inner: { deep: 1 } }, 'invalid_input', 'inner__deep', 'Must be a valid boolean.'],
    [{ name: 'a', inner: { deep: true, list: [1] } }, 'invalid_input', 'inner__list__0', 'Not a valid string.'],
    [
      { name: 'a', inner: 'x' },
      'invalid_input',
      'inner__non_field_errors',
      'Invalid data. Expected a dictionary, but got str.',
    ],
    [{ name: 'a', id: 'x' }, 'invalid_input', 'id', 'Must be a valid UUID.'],
    [{ name: 'a', word: 'x' }, 'min_length', 'word', 'Ensure this field has at least 2 characters.'],
    [{ name: 'a', word: 'XX' }, 'invalid_input', 'word', 'This value does not match the required pattern.'],
    [{ name: 'a', some: 1 }, 'not_a_list', 'some', 'Expected a list of items but got type "int".'],
    [{ name: 'a', some: [] }, 'min_length', 'some', 'Ensure this field has at least 1 elements.'],
    [{ name: 'a', some: [1, 2, 3] }, 'max_length', 'some', 'Ensure this field has no more than 2 elements.'],
    [{ name: 'a', some: ['x'] }, 'invalid_input', 'some__0', 'A valid number is required.'],
    [[], 'invalid_input', null, 'Invalid data. Expected a dictionary, but got list.'],
  ];
  for (const [body, code, attr, detail] of refusals) {
    it(`is ${code} for ${JSON.stringify(body)}`, () => {
      assert.equal(valid(body), false);
      const { message, code: given, attr: field } = invalidInput(valid.errors ?? [], Thing);
      assert.deepEqual({ code: given, attr: field, detail: message }, { code, attr, detail });
    });
  }

  it('is first what the schema lists first', () => {
    assert.equal(valid({ some: [], inner: {}, size: 0 }), false);
    assert.equal(invalidInput(valid.errors ?? [], Thing).attr, 'name');
  });
});
