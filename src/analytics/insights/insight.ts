/** An insight, as it is stored. */

/** Fields of an insight that users set. */
export type InsightFields = {
  name: string | null;
  /** A client's description of the query, shown for an insight without a name. */
  derived_name: string | null;
  description: string;
  /** The query as it was given: checked when stored, and parsed again on each run. */
  query: Record<string, unknown> | null;
  tags: string[];
  favorited: boolean;
  saved: boolean;
};

/** Instants are ISO texts. */
export type Insight = InsightFields & {
  id: number;
  /** Eight characters, in addresses. */
  short_id: string;
  project_id: number;
  is_sample: boolean;
  deleted: boolean;
  /** Counts its changes. */
  version: number;
  created_by: number | null;
  created_at: string;
  last_modified_by: number | null;
  last_modified_at: string;
  updated_at: string;
};
