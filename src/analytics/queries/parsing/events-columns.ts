/** The columns of a table of events: fixed ones, and properties by name. */
import { escapeLiteral } from 'pg';
import type { FilterBudget } from '../../../conditions/sql/filters.ts';
import { filterTreeOf } from './filter-tree.ts';
import { momentOf, rangeOf } from './moments.ts';
import type { Column, ColumnSource, ParsedEvents, Range } from './parsed.ts';
import { refusal } from './refusal.ts';
import type { EventsQuery } from './schema.ts';

const TEXT = 'String';
const JSON_TYPE = 'JSON';

/** The event's current person: see `selecting.ts`. */
const PERSON_ID = 'coalesce(known.person_id, event.person_id)';

/** SQL over `event`, a row of events, and `known`, its distinct id's row in `person_distinct_ids`. */
const COLUMNS: Readonly<Record<string, ColumnSource>> = {
  uuid: { type: 'UUID', sql: 'event.uuid' },
  event: { type: TEXT, sql: 'event.event' },
  timestamp: { type: 'DateTime64', sql: 'event."timestamp"' },
  created_at: { type: 'DateTime64', sql: 'event.created_at' },
  distinct_id: { type: TEXT, sql: 'event.distinct_id' },
  person_id: { type: 'UUID', sql: PERSON_ID },
  elements_chain: { type: TEXT, sql: 'event.elements_chain' },
  properties: { type: JSON_TYPE, sql: 'event.properties' },
  'person.properties': { type: JSON_TYPE, sql: 'event.person_properties', readsPerson: true },
  '*': {
    type: JSON_TYPE,
    sql: `jsonb_build_object('uuid', event.uuid, 'event', event.event, 'properties', event.properties,
      'timestamp', to_char(event."timestamp" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
      'team_id', event.project_id, 'distinct_id', event.distinct_id, 'elements_chain', event.elements_chain,
      'created_at', to_char(event.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))`,
  },
  person: {
    type: JSON_TYPE,
    readsPerson: true,
    sql: `jsonb_strip_nulls(jsonb_build_object('uuid', ${PERSON_ID}, 'distinct_id', event.distinct_id, 'properties',
      jsonb_build_object('email', event.person_properties -> 'email', 'name', event.person_properties -> 'name')))`,
  },
};
/** Columns that cannot be sorted by: whole objects, and the person, which is looked up for the rows shown only. */
const UNSORTED = ['*', 'person', 'person_id', 'properties', 'person.properties'];

/** `properties.$browser`, `person.properties.email`; a name with other characters is quoted by backticks. */
const PROPERTY = /^(person\.)?properties\.(?:([\w$ :@/-]{1,400})|`([^`]{1,400})`)$/;
const DIRECTION = /\s(?:asc|desc)$/i;
const DEFAULT_LIMIT = 100;

/** @param budget shared by all filters of the query @throws InvalidInput naming the invalid column, filter or date */
export function parseEvents(node: EventsQuery, budget: FilterBudget): ParsedEvents {
  return {
    kind: 'EventsQuery',
    columns: columnsOf(node.select),
    order: (node.orderBy ?? []).map((item, index) => orderOf(item, `orderBy[${index}]`)),
    event: node.event ?? null,
    personId: node.personId ?? null,
    filters: {
      every: [
        filterTreeOf(node.properties, 'properties', budget),
        filterTreeOf(node.fixedProperties, 'fixedProperties', budget),
        filterTreeOf(
          node.where?.map((key) => ({ type: 'hogql', key })),
          'where',
          budget,
        ),
      ],
    },
    limit: node.limit ?? DEFAULT_LIMIT,
    offset: node.offset ?? 0,
    range: node.dateRange ? rangeOf(node.dateRange) : boundsOf(node),
  };
}

/** Lower bound before every event. The first event is not looked up, because no column depends on its time. */
const SINCE_ALWAYS = '1970-01-02T00:00:00Z';

function boundsOf({ after, before }: EventsQuery): Range {
  return {
    from: momentOf(after === 'all' ? SINCE_ALWAYS : (after ?? '-24h'), 'after'),
    to: before === null || before === undefined ? null : momentOf(before, 'before'),
    isExact: true,
  };
}

/** Drops repeated columns, so a row is at most a few times as large as its event. */
function columnsOf(select: readonly string[]): Column[] {
  const columns = select.map((item, index) => columnOf(item, `select[${index}]`));
  const repeatedIndex = columns.findIndex(({ sql }, index) => columns.findIndex((other) => other.sql === sql) < index);
  if (repeatedIndex >= 0)
    throw refusal(`select[${repeatedIndex}]`, `"${select[repeatedIndex]!.slice(0, 100)}" is a column already.`);
  return columns;
}

/** Reads a column; as upstream, the text after ` -- ` is its title. */
function columnOf(text: string, path: string): Column {
  const name = text.split(' -- ')[0]!.trim();
  return { name: text, ...locateColumn(name, path) };
}

function locateColumn(name: string, path: string): ColumnSource {
  const knownColumn = Object.hasOwn(COLUMNS, name) ? COLUMNS[name] : undefined;
  if (knownColumn) return knownColumn;
  const [, ofPerson, plain, quoted] = PROPERTY.exec(name) ?? [];
  const property = plain ?? quoted;
  if (property === undefined) {
    const choices = [...Object.keys(COLUMNS), 'properties.<name>', 'person.properties.<name>'].join(', ');
    throw refusal(path, `"${name.slice(0, 100)}" is no column. Columns are: ${choices}.`, 'not_supported');
  }
  const object = ofPerson ? 'event.person_properties' : 'event.properties';
  return {
    type: JSON_TYPE,
    sql: `${object} -> ${escapeLiteral(property)}`,
    readsPerson: ofPerson !== undefined,
  };
}

function orderOf(text: string, path: string): ParsedEvents['order'][number] {
  const order = text.trim();
  const direction = DIRECTION.exec(order)?.[0] ?? '';
  const name = order.slice(0, order.length - direction.length).trimEnd();
  if (UNSORTED.includes(name)) throw refusal(path, `Rows are not sorted by "${name}": name a property of it.`);
  return { ...locateColumn(name, path), isDescending: direction.trim().toLowerCase() === 'desc' };
}
