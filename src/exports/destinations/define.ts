/** Helpers that all destinations share. */
import { nullable, Type, type TSchema } from '../../platform/schema.ts';
import type { Destination } from './contract.ts';

/** Groups of fields, in the order in which a form shows them. */
export const FIELD_GROUPS = ['connection', 'place', 'files', 'events', 'advanced'] as const;
export type FieldGroup = (typeof FIELD_GROUPS)[number];

/** Adds to fields, as `x-group`, the group in which a form shows them. Optional fields without a default are not supported. */
export function addGroup<Fields extends Record<string, TSchema>>(group: FieldGroup, fields: Fields): Fields {
  const entries = Object.entries(fields).map(([name, schema]) => [name, { ...schema, 'x-group': group }]);
  return Object.fromEntries(entries) as Fields;
}

/** Values of other fields, by their names. */
type Condition = Readonly<Record<string, readonly string[]>>;

/** Adds `x-when` to a field: the values of other fields with which it has an effect. A form shows the field only then. */
export const shownWhen = <S extends TSchema>(when: Condition, schema: S): S => ({ ...schema, 'x-when': when });

const EventNames = nullable(Type.Array(Type.String(), { maxItems: 1000 }));

/** Fields of every configuration that choose the exported events. An event in both lists is not exported. */
const EVENT_LISTS = {
  include_events: Type.Optional({
    ...EventNames,
    'x-group': 'events',
    title: 'Included events',
    description: 'The names of the events to export; empty: all.',
  }),
  exclude_events: Type.Optional({
    ...EventNames,
    'x-group': 'events',
    title: 'Excluded events',
    description: 'The names of events that are not exported, even if they are included.',
  }),
};

/** Adds the fields of every configuration. Within the definition, `config` has its precise type; the registry holds plain `Destination`s. */
export function defineDestination<Config>(definition: Destination<Config>): Destination {
  const config = Type.Object({ ...definition.config.properties, ...EVENT_LISTS }, { additionalProperties: false });
  return { ...definition, config };
}
