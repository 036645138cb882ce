/** The content fields of a batch export: on the wire, and converted to its settings and back. */
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { InvalidInput } from '../../platform/errors.ts';
import { nullable, stringEnum, Type, type Static } from '../../platform/schema.ts';
import { queryColumns } from '../../conditions/custom-queries/columns.ts';
import { FILTER_OPERATORS, FILTER_TYPES, filterTypesOf } from '../../conditions/sql/filters.ts';
import { selectionOf } from '../../events/reading/selection.ts';
import type { ContentPatch } from './content.ts';
import { unfilteredContent, type ContentSettings } from '../../conditions/rows/content.ts';

export const MODELS = ['events', 'persons', 'sessions'] as const;

const ColumnNames = Type.Array(Type.String(), { maxItems: 200 });

const Transformation = Type.Object(
  {
    path: Type.String({
      minLength: 1,
      maxLength: 1000,
      description: 'The name of a column, or a path to a property inside a JSON column, separated by dots.',
      examples: ['distinct_id', 'properties.$ip', 'person_properties.address.street'],
    }),
    action: stringEnum(['drop', 'hash'], {
      description:
        '`drop` removes the value; `hash` replaces its text with a hex-encoded HMAC-SHA256. Missing and null ' +
        'values are unchanged.',
    }),
  },
  { title: 'Transformation', additionalProperties: false },
);
const Transformations = Type.Array(Transformation, { maxItems: 100 });

const FILTERS =
  'Conditions on properties that every row must meet: a list of `{key, operator, type, value}`. ' +
  `\`type\` is one of ${quoteNames(FILTER_TYPES)}; with \`hogql\`, the key is an expression and the other fields are omitted. ` +
  `\`operator\` is one of ${quoteNames(FILTER_OPERATORS)}; \`exact\` by default.`;

function quoteNames(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

const Filters = nullable(Type.Array(Type.Record(Type.String(), Type.Unknown())), { description: FILTERS });
const Query = nullable(Type.String({ maxLength: 50_000 }), {
  description: 'A SELECT statement that defines the columns and rows of the export.',
});

/** Content fields of a request; null resets a field to its default. */
export const contentIn = {
  filters: Type.Optional(Type.Unknown({ description: FILTERS })),
  hogql_query: Type.Optional(Query),
  include_columns: Type.Optional(
    nullable(ColumnNames, {
      description: 'The only columns to export, which may include columns that are not exported by default.',
    }),
  ),
  exclude_columns: Type.Optional(nullable(ColumnNames)),
  transformations: Type.Optional(nullable(Transformations)),
  hash_key: Type.Optional(
    Type.String({
      minLength: 16,
      maxLength: 256,
      writeOnly: true,
      description: 'The key for hashing; generated if omitted. The same key gives the same hashes.',
    }),
  ),
};

export const contentOut = {
  filters: Filters,
  hogql_query: Query,
  schema: nullable(
    Type.Object({
      fields: Type.Array(Type.Object({ alias: Type.String(), expression: Type.String(), type: Type.String() })),
      values: Type.Object({}),
      hogql_query: Type.String(),
    }),
    { description: 'The columns of the custom query; null without one.' },
  ),
  include_columns: nullable(ColumnNames),
  exclude_columns: ColumnNames,
  transformations: Transformations,
};

const ContentBody = Type.Object(contentOut);
const ContentIn = Type.Object(contentIn);

/** Reads the content that a request asks for. null resets a field; so does an empty query. */
export function contentPatchOf(body: Static<typeof ContentIn>): ContentPatch {
  const { filters, hogql_query, include_columns, exclude_columns, transformations, hash_key } = body;
  return {
    content: omitUndefined({
      filters: filters === null ? [] : filters,
      query: hogql_query?.trim() === '' ? null : hogql_query,
      includeColumns: include_columns,
      excludeColumns: exclude_columns === null ? [] : exclude_columns,
      transformations: transformations === null ? [] : transformations,
    }),
    ...omitUndefined({ hashKey: hash_key }),
  };
}

/** The fields of a query with their types, in upstream's form; null if the query was saved by an earlier version and no longer compiles. */
function schemaOf(query: string): Static<typeof ContentBody>['schema'] {
  try {
    const fields = queryColumns(query).map(({ name, type, expression }) => ({ alias: name, expression, type }));
    return { fields, values: {}, hogql_query: query };
  } catch (error) {
    if (error instanceof InvalidInput) return null;
    throw error;
  }
}

/** Content fields of an answer; null for a field that is not set. */
export function presentContent(content: ContentSettings): Static<typeof ContentBody> {
  const { filters, query, includeColumns, excludeColumns, transformations } = content;
  return {
    filters: filters.length === 0 ? null : filters.map((filter) => ({ ...filter })),
    hogql_query: query,
    schema: query === null ? null : schemaOf(query),
    include_columns: includeColumns && [...includeColumns],
    exclude_columns: [...excludeColumns],
    transformations: transformations.map(({ path, action }) => ({ path, action })),
  };
}

/** Columns and filters of a model, for forms that edit an export. */
export const ModelBody = Type.Object(
  {
    model: stringEnum(MODELS),
    columns: Type.Array(
      Type.Object({
        name: Type.String(),
        type: Type.String(),
        tables_only: Type.Boolean({ description: 'Whether files have it only if `include_columns` names it.' }),
      }),
      { description: 'The columns that an export without a query may have.' },
    ),
    filter_types: Type.Array(stringEnum(FILTER_TYPES), { description: 'The types that its filters may have.' }),
    filter_operators: Type.Array(stringEnum(FILTER_OPERATORS)),
  },
  { title: 'ExportedModel' },
);

export function presentModels(): Static<typeof ModelBody>[] {
  return MODELS.map((model) => {
    const { columns, tableOnly } = selectionOf(unfilteredContent(model));
    return {
      model,
      columns: columns.map(({ name, type }) => ({ name, type, tables_only: tableOnly.has(name) })),
      filter_types: filterTypesOf(model),
      filter_operators: [...FILTER_OPERATORS],
    };
  });
}
