/** An export's content: fixed in the plan of each run, made from the export's row. Names are those of the wire, in our spelling. */

/** `sessions` are derived from events. */
export type Model = 'events' | 'persons' | 'sessions';

/** One condition on a row; each row of an export meets all of its filters. */
export type PropertyFilter = {
  key: string;
  operator: string;
  /** Place of `key`: the row's own properties, its person's, or none (`hogql`: `key` is an expression). */
  type: 'event' | 'person' | 'hogql';
  value?: unknown;
};

/**
 * A change of a value before delivery: dropped, or its text replaced by HMAC-SHA256 (hex) with the export's key. A value
 * that is missing or null stays so.
 */
export type Transformation = {
  /** `column`, or `column.property.path` into a column of JSON; dots divide it. */
  path: string;
  action: 'drop' | 'hash';
};

export type Content = {
  /** The model named by the client; with `query` the relation is the query's FROM. */
  model: Model;
  /** Names of events, exactly; empty: all. An event that is named by both is left out. */
  includeEvents: readonly string[];
  excludeEvents: readonly string[];
  filters: readonly PropertyFilter[];
  /** A SELECT that decides columns and rows; null: the model's own. */
  query: string | null;
  /** null: all default columns of the destination. */
  includeColumns: readonly string[] | null;
  excludeColumns: readonly string[];
  transformations: readonly Transformation[];
};

/** Content settings of an export's own row; model and names of events stand elsewhere in the row. */
export type ContentSettings = Omit<Content, 'model' | 'includeEvents' | 'excludeEvents'>;

/** A model's rows as they are. */
export const NO_SETTINGS: ContentSettings = {
  filters: [],
  query: null,
  includeColumns: null,
  excludeColumns: [],
  transformations: [],
};

/** All rows of a model as they are. */
export function everythingOf(model: Model): Content {
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
