/** An export's content, taken from the export's row and fixed in the plan of each run. Names are the wire's, in camel case. */

/** `sessions` are derived from events. */
export type Model = 'events' | 'persons' | 'sessions';

/** One condition on a row; rows must meet all filters of an export. */
export type PropertyFilter = {
  key: string;
  operator: string;
  /** Meaning of `key`: a property of the row (`event`), of its person, or an expression (`hogql`). */
  type: 'event' | 'person' | 'hogql';
  value?: unknown;
};

/**
 * Transforms a value before delivery: drops it, or replaces its text by HMAC-SHA256 (hex) with the export's key. Missing and null values
 * stay unchanged.
 */
export type Transformation = {
  /** `column`, or `column.property.path` with dots for a path into a JSON column. */
  path: string;
  action: 'drop' | 'hash';
};

export type Content = {
  /** The model that the client named; a `query` reads the relation of its FROM instead. */
  model: Model;
  /** Exact names of events; empty for all. Events named in both lists are left out. */
  includeEvents: readonly string[];
  excludeEvents: readonly string[];
  filters: readonly PropertyFilter[];
  /** A SELECT that determines columns and rows; null for the model's own. */
  query: string | null;
  /** Null for the destination's default columns. */
  includeColumns: readonly string[] | null;
  excludeColumns: readonly string[];
  transformations: readonly Transformation[];
};

/** Content settings in one column of an export's row; the model and the names of events have their own columns. */
export type ContentSettings = Omit<Content, 'model' | 'includeEvents' | 'excludeEvents'>;

/** Settings that export a model's rows unchanged. */
export const NO_SETTINGS: ContentSettings = {
  filters: [],
  query: null,
  includeColumns: null,
  excludeColumns: [],
  transformations: [],
};

/** Content that exports all rows of a model, unchanged. */
export function unfilteredContent(model: Model): Content {
  return { ...NO_SETTINGS, model, includeEvents: [], excludeEvents: [] };
}

/** Whether every row of the model is delivered, without a filter, a query or a list of events. */
export function keepsAllRows({ filters, query, includeEvents, excludeEvents }: Content): boolean {
  return query === null && [filters, includeEvents, excludeEvents].every(({ length }) => length === 0);
}

/** Whether any value is hashed, which needs a key. */
export function isHashed({ transformations }: Pick<Content, 'transformations'>): boolean {
  return transformations.some(({ action }) => action === 'hash');
}
