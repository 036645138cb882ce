/** Of which events a query is. */
import { filterTreeOf } from './filter-tree.ts';
import { rangeOf } from './moments.ts';
import type { FilterTree, Range } from './parsed.ts';
import type { DateRange } from './schema.ts';

type Scoped = { properties?: unknown; dateRange?: DateRange | null };

/** @throws InvalidInput for filters or dates that are none */
export function scopeOf({ properties, dateRange }: Scoped): { filters: FilterTree; range: Range } {
  return { filters: filterTreeOf(properties, 'properties'), range: rangeOf(dateRange) };
}
