/** An export's content: fixed in the plan of each run, made from the export's row. Names are those of the wire, in our spelling. */

/** `sessions` are derived from events. */
export type Model = 'events' | 'persons' | 'sessions';

/** One condition on a row; all of an export's hold for each of its rows. */
export type PropertyFilter = {
  key: string;
  operator: string;
  /** Where `key` is looked up: the row's own properties, its person's, or nowhere (`hogql`: `key` is an expression). */
  type: 'event' | 'person' | 'hogql';
  value?: unknown;
};

/**
 * A change of a value before it leaves: it is left out, or its text is replaced by HMAC-SHA256 (hex) with the export's key. A value
 * that is missing or null stays so.
 */
export type Transformation = {
  /** `column`, or `column.property.path` into a column of JSON; dots divide it. */
  path: string;
  action: 'drop' | 'hash';
};

export type Content = {
  /** The model that the wire names; with `query` the relation is the query's FROM. */
  model: Model;
  /** Names of events, exactly; empty: all. An event that is named by both is left out. */
  includeEvents: readonly string[];
  excludeEvents: readonly string[];
  filters: readonly PropertyFilter[];
  /** A SELECT that decides columns and rows; null: the model's own. */
  query: string | null;
  /** null: all columns that the destination gets by itself. */
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

/** Whether every row of the model leaves: no filter, no query and no list of events selects among them. */
export function keepsAllRows({ filters, query, includeEvents, excludeEvents }: Content): boolean {
  return query === null && [filters, includeEvents, excludeEvents].every(({ length }) => length === 0);
}

/** Whether anything leaves hashed, so that a key is needed. */
export function isHashed({ transformations }: Pick<Content, 'transformations'>): boolean {
  return transformations.some(({ action }) => action === 'hash');
}
