/** Renders a schema: its type in a few words, and a list of its fields. */
import { h, type ComponentChild } from 'preact';
import type { Schema } from './document.ts';
import { prose } from './prose.ts';

const REF = '#/components/schemas/';
export const anchorOf = (schemaName: string) => `schema-${schemaName}`;

/** A type in words, with links to named types. */
export function typeWords(schema: Schema): ComponentChild {
  const { $ref, anyOf, allOf, items, type } = schema;
  if ($ref) {
    const name = $ref.slice(REF.length);
    return h('a', { href: `#${anchorOf(name)}` }, name);
  }
  if (anyOf) return joinChildren(anyOf.map(typeWords), ' or ');
  if (allOf) return joinChildren(allOf.map(typeWords), ' and ');
  if (schema.const !== undefined) return code(schema.const);
  if (schema.enum) return joinChildren(schema.enum.map(code), ', ');
  if (type === 'array') return ['list of ', items ? typeWords(items) : 'anything', limits(schema, 'items')];
  const [value] = Object.values(schema.patternProperties ?? {});
  if (value) return ['object of ', typeWords(value)];
  return [schema.format ?? type ?? 'anything', limits(schema, 'characters')];
}

const code = (value: unknown) => h('code', null, JSON.stringify(value));

function joinChildren(parts: readonly ComponentChild[], between: string): ComponentChild {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [between, part]));
}

function limits({ minimum, maximum, minLength, maxLength, minItems, maxItems }: Schema, unit: string): string {
  const [least, most] = unit === 'items' ? [minItems, maxItems] : [minLength, maxLength];
  const words = [
    ...(minimum !== undefined ? [`from ${minimum}`] : []),
    ...(maximum !== undefined ? [`to ${maximum}`] : []),
    ...(least !== undefined ? [`at least ${least} ${unit}`] : []),
    ...(most !== undefined ? [`at most ${most} ${unit}`] : []),
  ];
  return words.length > 0 ? ` (${words.join(', ')})` : '';
}

/** Lists the fields of an object, or of the objects in a list or a choice. */
export function Fields({ schema }: { schema: Schema }): ComponentChild {
  const nested = [
    schema.items,
    ...(schema.anyOf ?? []),
    ...(schema.allOf ?? []),
    ...Object.values(schema.patternProperties ?? {}),
  ];
  const { properties = {}, required = [] } = schema;
  const names = Object.keys(properties);
  return [
    names.length > 0 &&
      h(
        'ul',
        { class: 'fields' },
        names.map((name) => field(name, properties[name]!, required.includes(name))),
      ),
    ...nested.map((inner) => inner && h(Fields, { schema: inner })),
  ];
}

export function field(name: string, schema: Schema, isRequired: boolean, location = ''): ComponentChild {
  return h('li', null, [
    h('b', null, h('code', null, name)),
    location && ` in ${location}`,
    isRequired && h('span', { class: 'required' }, ' required'),
    ' ',
    h('span', { class: 'type' }, typeWords(schema)),
    schema.default !== undefined && [' = ', code(schema.default)],
    schema.description && [' ', prose(schema.description)],
    h(Fields, { schema }),
  ]);
}
