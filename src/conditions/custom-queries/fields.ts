/** Fields that a custom query may read. */
import { invalidQuery, queryError } from './query-errors.ts';
import type { QueryPosition, Step } from './syntax.ts';
import { column, literal, value, type SqlType, type Value } from './values.ts';

export type Relation = 'events' | 'persons';

type Field = { type: SqlType; sql: string };

const EVENTS = {
  uuid: { type: 'uuid', sql: 'uuid' },
  event: { type: 'text', sql: 'event' },
  distinct_id: { type: 'text', sql: 'distinct_id' },
  person_id: { type: 'uuid', sql: 'person_id' },
  properties: { type: 'jsonb', sql: 'properties' },
  person_properties: { type: 'jsonb', sql: 'person_properties' },
  elements_chain: { type: 'text', sql: 'elements_chain' },
  timestamp: { type: 'timestamptz', sql: '"timestamp"' },
  created_at: { type: 'timestamptz', sql: 'created_at' },
  _inserted_at: { type: 'timestamptz', sql: 'inserted_at' },
  inserted_at: { type: 'timestamptz', sql: 'inserted_at' },
  team_id: { type: 'int8', sql: 'project_id::int8' },
} satisfies Record<string, Field>;

const PERSONS = {
  team_id: { type: 'int8', sql: 'project_id::int8' },
  distinct_id: { type: 'text', sql: 'distinct_id' },
  person_id: { type: 'uuid', sql: 'person_id' },
  id: { type: 'uuid', sql: 'person_id' },
  properties: { type: 'jsonb', sql: 'properties' },
  person_distinct_id_version: { type: 'int8', sql: 'version' },
  person_version: { type: 'int8', sql: 'version' },
  version: { type: 'int8', sql: 'version' },
  created_at: { type: 'timestamptz', sql: 'created_at' },
  _inserted_at: { type: 'timestamptz', sql: 'interval_time' },
  inserted_at: { type: 'timestamptz', sql: 'interval_time' },
  is_deleted: { type: 'bool', sql: 'is_deleted' },
  is_identified: { type: 'bool', sql: 'is_identified' },
} satisfies Record<string, Field>;

const FIELDS: Readonly<Record<Relation, ReadonlyMap<string, Field>>> = {
  events: new Map<string, Field>(Object.entries(EVENTS)),
  persons: new Map<string, Field>(Object.entries(PERSONS)),
};

/** Fields of `*`: the fields that an export without a query writes to files. */
const STAR_FIELDS: Readonly<Record<Relation, readonly string[]>> = {
  events: words(
    'uuid event distinct_id person_id properties person_properties elements_chain timestamp ' +
      'created_at _inserted_at',
  ),
  persons: words(
    'team_id distinct_id person_id properties person_distinct_id_version person_version created_at ' +
      '_inserted_at is_deleted',
  ),
};

function words(list: string): readonly string[] {
  return list.split(' ');
}

/** Maximum number of steps in a path, each of which is a level of Postgres' expression. */
const MAX_PATH = 50;

/** Fields that the error message lists, the same as upstream's. */
const SUPPORTED: Readonly<Record<Relation, readonly string[]>> = {
  events: words(
    'created_at distinct_id elements_chain event person_id person_properties properties team_id timestamp uuid',
  ),
  persons: words('_inserted_at created_at distinct_id is_deleted is_identified person_id properties team_id version'),
};

/** Fields of `person` in a query over events, such as `person.properties.email`: the person as stored with the event. */
const PERSON_FIELDS: ReadonlyMap<Step, string> = new Map([
  ['id', 'person_id'],
  ['properties', 'person_properties'],
]);

export type Fields = {
  /** @param steps a field, then the path inside of it */
  read(steps: readonly Step[], position: QueryPosition): Value;
  /** @throws InvalidInput naming all unknown fields that were read */
  throwIfUnknown(): void;
};

/** @param alias of the relation in the query */
export function fieldsOf(relation: Relation, alias: string | null): Fields {
  const unknown = new Set<string>();
  const fields = FIELDS[relation];
  return {
    read(steps, position) {
      const [name, ...path] = withoutPrefix(relation, alias, steps);
      const field = fields.get(String(name));
      if (!field) {
        unknown.add(steps.join('.'));
        return { type: 'null', sql: 'null', at: position };
      }
      const read = column(field.type, field.sql, position);
      if (path.length === 0) return read;
      if (field.type !== 'jsonb') throw invalidQuery(`${String(name)} has no properties`, position);
      if (path.length > MAX_PATH) throw invalidQuery(`a path has at most ${MAX_PATH} steps`, position);
      return property(read, path, position);
    },
    throwIfUnknown() {
      if (unknown.size === 0) return;
      const list = [...unknown].sort().join(', ').slice(0, 500);
      const supported = SUPPORTED[relation].join(', ');
      throw queryError(`Batch exports cannot read these fields: ${list}. Supported fields are: ${supported}.`);
    },
  };
}

function withoutPrefix(relation: Relation, alias: string | null, steps: readonly Step[]): readonly Step[] {
  const [first, second] = steps;
  const isQualified = second !== undefined && (first === relation || first === alias) && !FIELDS[relation].has(first);
  return personField(relation, isQualified ? steps.slice(1) : steps);
}

function personField(relation: Relation, steps: readonly Step[]): readonly Step[] {
  const [first, second, ...rest] = steps;
  if (relation !== 'events' || first !== 'person' || second === undefined) return steps;
  const field = PERSON_FIELDS.get(second);
  return field ? [field, ...rest] : steps;
}

/**
 * The value at a path in JSON: as text, and as JSON where that is needed. A missing value and JSON's null are NULL.
 * @param json of type jsonb
 * @param path not empty
 */
export function property(json: Value, path: readonly Step[], position: QueryPosition): Value {
  const keys = path.map((step) => (typeof step === 'number' ? String(step - 1) : literal(step)));
  const parentSql = [json.sql, ...keys.slice(0, -1)].join(' -> ');
  const last = keys.at(-1)!;
  return { ...value('text', `(${parentSql} ->> ${last})`, position), json: `(${parentSql} -> ${last})` };
}

/** The fields that `*` stands for, in order. */
export function starFields(relation: Relation): readonly string[] {
  return STAR_FIELDS[relation];
}
