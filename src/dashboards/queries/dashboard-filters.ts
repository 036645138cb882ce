/** What the filters of a dashboard or a tile make of a query. */
import { fieldsOf, parseQuery, sourceOf } from './parse.ts';
import type { ParsedQuery } from './parsed.ts';

/**
 * As upstream's `apply_dashboard_filters`: dates replace those of the query, properties must hold beside its own, a breakdown replaces
 * its own where there can be one.
 * @param query as an insight holds it
 * @param filters other members are not known here
 * @throws InvalidInput as `parseQuery`: filters of a dashboard are stored unchecked
 */
export function withDashboardFilters(query: unknown, filters: Readonly<Record<string, unknown>>): ParsedQuery {
  const source = { ...sourceOf(query) };
  const { date_from = null, date_to = null, explicitDate = null, properties, breakdown_filter: breakdown } = filters;
  if (date_from !== null || date_to !== null) {
    source['dateRange'] = {
      ...fieldsOf(source['dateRange']),
      ...(date_from !== null && { date_from, date_to: null }),
      ...(date_to !== null && { date_to }),
      explicitDate,
    };
  }
  if (isGiven(properties)) source['properties'] = both(source['properties'], properties);
  if (isGiven(breakdown) && source['kind'] === 'TrendsQuery') source['breakdownFilter'] = breakdown;
  return parseQuery(source);
}

function both(own: unknown, laid: unknown): unknown {
  return isGiven(own) ? { type: 'AND', values: [grouped(own), grouped(laid)] } : laid;
}

function grouped(properties: unknown): unknown {
  return Array.isArray(properties) ? { type: 'AND', values: properties } : properties;
}

function isGiven(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== null && value !== undefined;
}
