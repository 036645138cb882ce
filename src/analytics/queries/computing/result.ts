/** Answers of queries, in upstream's shapes. */

/** One line of a chart, or one value of it. */
export type TrendResult = {
  label: string;
  /** Sum over all intervals; of a cumulative line, its last value. */
  count: number;
  data: number[];
  /** Where intervals start, by the clock of the project's time zone: `2024-06-01`, of hours `2024-06-01 08:00:00`. */
  days: string[];
  labels: string[];
  /** Only of single-value displays; `data` is then empty. */
  aggregated_value?: number;
  breakdown_value?: string;
  /** Where two ranges are compared: of which one it is. */
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
  /** Seconds since the step before; of the first step, and where nobody came, null. */
  average_conversion_time: number | null;
  median_conversion_time: number | null;
};

export type RetentionResult = {
  /** `Day 3` */
  label: string;
  /** When the interval starts. ISO. */
  date: string;
  /** Entry n: how many of the interval's persons came back n intervals later; entry 0 is all of them. */
  values: { count: number; label: string }[];
};

export type QueryResult = {
  results: TrendResult[] | FunnelStepResult[] | RetentionResult[] | unknown[][];
  /** Of a table. */
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
