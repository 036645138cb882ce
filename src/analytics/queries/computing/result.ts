/** Answers of queries, in upstream's shapes. */

/** One line or one value of a chart. */
export type TrendResult = {
  label: string;
  /** Sum over all intervals; for a cumulative line, its last value. */
  count: number;
  data: number[];
  /** Where intervals start, by the clock of the project's time zone: `2024-06-01`, for hours `2024-06-01 08:00:00`. */
  days: string[];
  labels: string[];
  /** Only for single-value displays; `data` is then empty. */
  aggregated_value?: number;
  breakdown_value?: string;
  /** Which of the compared ranges this is, if two are compared. */
  compare?: true;
  compare_label?: 'current' | 'previous';
  /** null when the series is a formula. */
  action: {
    id: string | null;
    type: 'events';
    order: number;
    name: string;
    custom_name: string | null;
    math: string;
    math_property: string | null;
  } | null;
};

export type FunnelStepResult = {
  action_id: string | null;
  type: 'events';
  order: number;
  name: string;
  custom_name: string | null;
  /** Persons who came at least this far. */
  count: number;
  /** Seconds since the previous step; null for the first step, and if no person reached this one. */
  average_conversion_time: number | null;
  median_conversion_time: number | null;
};

export type RetentionResult = {
  /** `Day 3` */
  label: string;
  /** When the interval starts. ISO. */
  date: string;
  /** Entry n: how many of the interval's persons returned n intervals later; entry 0 counts all of them. */
  values: { count: number; label: string }[];
};

export type QueryResult = {
  results: TrendResult[] | FunnelStepResult[] | RetentionResult[] | unknown[][];
  /** Only for tables. */
  columns?: string[];
  types?: string[];
  hasMore?: boolean;
  limit?: number;
  offset?: number;
  timezone: string;
  /** ISO, UTC; both belong to the range. */
  resolved_date_range: { date_from: string; date_to: string };
  resolved_compare_date_range?: { date_from: string; date_to: string };
};
