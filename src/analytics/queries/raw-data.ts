/**
 * Finds the kinds of raw data, of events and of persons, that a query shows or that its result depends on. Checks whether a caller may
 * send or store the query, or lay filters over it.
 */
import { InvalidInput } from '../../platform/errors.ts';
import { ensureRaw, rawAccess, rawAccessByLevel, type RawData } from '../../people/access/raw-data.ts';
import type { Caller, Rights } from '../../platform/http/access.ts';
import { withDashboardFilters } from './parsing/dashboard-filters.ts';
import { parseQuery } from './parsing/parse.ts';
import type { FilterTree, ParsedQuery, Series } from './parsing/parsed.ts';

/** Maths whose result is the value of single events; sums and means combine all events. */
const SINGLE_VALUES: readonly string[] = ['min', 'max', 'median', 'p75', 'p90', 'p95', 'p99'];

/** @returns the kinds whose rows, columns or values of properties are in the result */
export function dataShownBy(query: ParsedQuery): RawData[] {
  switch (query.kind) {
    case 'EventsQuery':
      return kindsOf('event', [...query.columns, ...query.order].some(({ readsPerson }) => readsPerson) && 'person');
    case 'TrendsQuery':
      return kindsOf(query.breakdown?.type, ...query.series.map((entry) => isSingle(entry) && entry.property?.of));
    // Steps and cohorts are counts of persons.
    case 'FunnelsQuery':
    case 'RetentionQuery':
      return [];
  }
}

/** @returns the kinds that the result depends on by values of properties, shown or not */
export function dataReadBy(query: ParsedQuery): RawData[] {
  return kindsOf(...dataShownBy(query), ...readByFilters(query.filters), ...readByParts(query));
}

function readByParts(query: ParsedQuery): (RawData | undefined)[] {
  switch (query.kind) {
    case 'EventsQuery':
      return [];
    case 'TrendsQuery':
      return query.series.flatMap(readBySeries);
    case 'FunnelsQuery':
      return query.steps.flatMap(readBySeries);
    case 'RetentionQuery':
      return [query.target, query.returning].flatMap(({ filters }) => readByFilters(filters));
  }
}

function readBySeries({ filters, property }: Series): (RawData | undefined)[] {
  return [...readByFilters(filters), property?.of];
}

function isSingle({ math }: Series): boolean {
  return SINGLE_VALUES.includes(math);
}

function readByFilters(tree: FilterTree): RawData[] {
  // An expression may name anything.
  if ('filter' in tree) return tree.filter.type === 'hogql' ? ['event', 'person'] : [tree.filter.type];
  return ('every' in tree ? tree.every : tree.some).flatMap(readByFilters);
}

function kindsOf(...kinds: (RawData | false | undefined)[]): RawData[] {
  return (['event', 'person'] as const).filter((kind) => kinds.includes(kind));
}

type Actor = { caller: Pick<Caller, 'scopes'>; rights: Pick<Rights, 'levelOf'> };

/**
 * Checks a query that the caller wrote, because its filters could reveal values one by one even if none is shown.
 * @throws PermissionDenied
 */
export function ensureMayAsk(actor: Actor, query: ParsedQuery): void {
  ensureRaw(rawAccess(actor), dataShownBy(query));
  // tooth: raw-filters
  ensureRaw(rawAccessByLevel(actor.rights), dataReadBy(query));
}

/** Checks a query that the caller stores. @param query one that `parseQuery` accepts @throws PermissionDenied */
export function ensureMayStore({ rights }: Pick<Actor, 'rights'>, query: unknown): void {
  if (query !== null && query !== undefined) ensureRaw(rawAccessByLevel(rights), dataReadBy(parseQuery(query)));
}

/** Checks filters of a dashboard, a tile or one view, which the caller lays over queries. @throws PermissionDenied */
export function ensureMayFilter(
  { rights }: Pick<Actor, 'rights'>,
  filters: Readonly<Record<string, unknown>> | null | undefined,
): void {
  const { properties, breakdown_filter } = filters ?? {};
  ensureRaw(rawAccessByLevel(rights), dataReadByFilters({ properties }));
  // tooth: raw-breakdowns
  ensureRaw(rawAccessByLevel(rights), dataReadByFilters({ breakdown_filter }));
}

const COUNT = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode' }] };

/** @returns the kinds that a count of all events depends on with these filters laid over it */
function dataReadByFilters(filters: Readonly<Record<string, unknown>>): RawData[] {
  return kindsUnlessInvalid(() => dataReadBy(withDashboardFilters(COUNT, filters)));
}

/** Returns no kinds for an invalid query, because the parser refuses it and no result is computed. */
function kindsUnlessInvalid(kinds: () => RawData[]): RawData[] {
  try {
    return kinds();
  } catch (error) {
    if (error instanceof InvalidInput) return [];
    throw error;
  }
}

/** @returns the kinds that an insight shows with filters over its query; none where it cannot be computed */
export function rawDataInInsight(
  query: unknown,
  { filters }: { filters: Readonly<Record<string, unknown>> },
): RawData[] {
  if (query === null) return [];
  return kindsUnlessInvalid(() => dataShownBy(withDashboardFilters(query, filters)));
}
