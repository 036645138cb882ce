/** Parses the fields that select a query's events. */
import type { FilterBudget } from '../../../conditions/sql/filters.ts';
import { filterTreeOf } from './filter-tree.ts';
import { rangeOf } from './moments.ts';
import type { FilterTree, Range } from './parsed.ts';
import type { DateRange } from './schema.ts';

type ScopedQuery = { properties?: unknown; dateRange?: DateRange | null };

/** @param budget shared by all filters of the query @throws InvalidInput for invalid filters or dates */
export function scopeOf(
  { properties, dateRange }: ScopedQuery,
  budget: FilterBudget,
): { filters: FilterTree; range: Range } {
  return { filters: filterTreeOf(properties, 'properties', budget), range: rangeOf(dateRange) };
}
