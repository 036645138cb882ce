/** Filters of a dashboard or a tile, applied to a query. */
import { nearestName } from '../../../platform/http/nearest-name.ts';
import { unknownFieldError } from '../../../platform/http/unknown-fields.ts';
import { fieldsOf, parseQuery, unwrapQuery } from './parse.ts';
import type { ParsedQuery } from './parsed.ts';
import { isGiven } from './unsupported.ts';

/** Filters that override those of a query. The last has no effect in a project without test accounts. */
const FILTERS = ['date_from', 'date_to', 'explicitDate', 'properties', 'breakdown_filter', 'filterTestAccounts'];

/**
 * Checks filters that a client sends now; stored ones are not checked.
 * @throws InvalidInput for the first unknown field
 */
export function refuseUnknownFilters(filters: Readonly<Record<string, unknown>>): void {
  const other = Object.keys(filters).find((name) => !FILTERS.includes(name) && isGiven(filters[name]));
  if (other !== undefined) throw unknownFieldError(`filters_override__${other}`, nearestName(other, FILTERS));
}

/**
 * Applies the filters to a query as upstream's `apply_dashboard_filters` does. Dates replace the query's dates, and properties are added to
 * the query's properties. A breakdown replaces the query's breakdown if queries of this kind support one.
 * @param query in the form that an insight stores
 * @param filters of a dashboard; unknown fields are ignored
 * @throws InvalidInput as `parseQuery`: filters of a dashboard are stored unchecked
 */
export function withDashboardFilters(query: unknown, filters: Readonly<Record<string, unknown>>): ParsedQuery {
  const source = { ...unwrapQuery(query) };
  const { date_from = null, date_to = null, explicitDate = null, properties, breakdown_filter: breakdown } = filters;
  if (date_from !== null || date_to !== null) {
    source['dateRange'] = {
      ...fieldsOf(source['dateRange']),
      ...(date_from !== null && { date_from, date_to: null }),
      ...(date_to !== null && { date_to }),
      explicitDate,
    };
  }
  if (isGiven(properties)) source['properties'] = combineFilters(source['properties'], properties);
  if (isGiven(breakdown) && source['kind'] === 'TrendsQuery') source['breakdownFilter'] = breakdown;
  return parseQuery(source);
}

function combineFilters(queryFilters: unknown, dashboardFilters: unknown): unknown {
  return isGiven(queryFilters)
    ? { type: 'AND', values: [groupFilters(queryFilters), groupFilters(dashboardFilters)] }
    : dashboardFilters;
}

function groupFilters(properties: unknown): unknown {
  return Array.isArray(properties) ? { type: 'AND', values: properties } : properties;
}
