/** Queries in the form that is computed: checked, with defaults filled in. */
import type { parseFilters } from '../../../conditions/sql/filters.ts';
import type { FormulaFunction } from './formula.ts';
import type { Interval, MathName } from './schema.ts';

/** A filter from `parseFilters`. */
export type Filter = ReturnType<typeof parseFilters>[number];

/** Filters and how they are joined; no parts: `every` is true, `some` is false. */
export type FilterTree = { every: FilterTree[] } | { some: FilterTree[] } | { filter: Filter };

/** A side of a range as it was written. */
export type Moment =
  /** Reading of the clock in the project's time zone, as milliseconds of UTC. */
  | { kind: 'wall'; wall: number; hasTime: boolean }
  /** ISO. */
  | { kind: 'instant'; instant: string }
  | { kind: 'relative'; amount: number; unit: Unit; edge: 'start' | 'end' | null };
export type Unit = 'h' | 'd' | 'w' | 'm' | 'q' | 'y';

export type Range = {
  /** null: seven days ago; `all`: when the first event happened. */
  from: Moment | 'all' | null;
  /** null: now. */
  to: Moment | null;
  /** Neither side is widened to its day or interval. */
  isExact: boolean;
};

/** Events, and how they are counted. */
export type Series = {
  /** null: any. */
  event: string | null;
  name: string | null;
  customName: string | null;
  filters: FilterTree;
  math: MathName;
  /** The property whose numbers are aggregated; null: events or persons are counted. */
  property: { name: string; of: PropertyOwner } | null;
};

/** The owner of a property: the event, or its person as stored with the event. */
export type PropertyOwner = 'event' | 'person';

export type Breakdown = { type: PropertyOwner; property: string; limit: number; hidesOther: boolean };

/** Shown instead of the series that it is made of. */
export type Formula = { text: string; name: string | null; compute: FormulaFunction };

/** `ago`: how long before the range the other begins; null: the range directly before. */
export type Comparison = { ago: { amount: number; unit: Unit } | null };

export type ParsedTrends = {
  kind: 'TrendsQuery';
  series: readonly Series[];
  interval: Interval;
  shape: 'intervals' | 'cumulative' | 'total';
  breakdown: Breakdown | null;
  /** Width of the moving average that replaces each value. */
  smoothing: number;
  /** Empty: the series themselves are shown. */
  formulas: readonly Formula[];
  comparison: Comparison | null;
  filters: FilterTree;
  range: Range;
};

export type ParsedFunnels = {
  kind: 'FunnelsQuery';
  steps: readonly Series[];
  window: { count: number; unit: string };
  filters: FilterTree;
  range: Range;
};

export type Entity = Pick<Series, 'event' | 'filters'>;

export type ParsedRetention = {
  kind: 'RetentionQuery';
  target: Entity;
  returning: Entity;
  /** Only a person's very first target event counts. */
  isFirstTime: boolean;
  period: Interval;
  totalIntervals: number;
  filters: FilterTree;
  range: Range;
};

/** Source of a value in a row. */
export type ColumnSource = { type: string; sql: string; readsPerson?: boolean };
export type Column = ColumnSource & { name: string };

export type ParsedEvents = {
  kind: 'EventsQuery';
  columns: readonly Column[];
  /** Columns to sort by; rows that are equal in them follow with the newest first. */
  order: readonly (Pick<ColumnSource, 'sql' | 'readsPerson'> & { isDescending: boolean })[];
  event: string | null;
  personId: string | null;
  filters: FilterTree;
  limit: number;
  offset: number;
  range: Range;
};

export type ParsedQuery = ParsedTrends | ParsedFunnels | ParsedRetention | ParsedEvents;
