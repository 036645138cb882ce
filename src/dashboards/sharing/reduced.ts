/**
 * What strangers are told of a dashboard or an insight: what is drawn, and nothing of how it came about. No queries and filters
 * (they name customers and properties), no people, no other dashboards.
 */
import type { InsightResult } from '../insights/result.ts';
import type { InsightBody } from '../insights/schema.ts';
import type { FunnelStepResult, TrendResult } from '../queries/result.ts';
import type { DashboardBody } from '../schema.ts';
import type { TileBody } from '../tiles/schema.ts';
import { MAX_COLUMNS, MAX_ROWS } from './charts/table.ts';

export function reducedDashboard(dashboard: DashboardBody): DashboardBody {
  return {
    ...dashboard,
    created_by: null,
    filters: {},
    variables: {},
    persisted_filters: null,
    persisted_variables: null,
    breakdown_colors: [],
    quick_filter_ids: [],
    tiles: dashboard.tiles.map((tile) => reducedTile(tile, dashboard.id)),
  };
}

function reducedTile(tile: TileBody, dashboardId: number): TileBody {
  const { insight, text, button_tile: button, error } = tile;
  return {
    ...tile,
    insight: insight && 'query' in insight ? reducedInsight(insight, [dashboardId]) : insight,
    text: text && { ...text, created_by: null, last_modified_by: null, dashboard_tiles: [] },
    button_tile: button && { ...button, dashboard_tiles: [] },
    filters_overrides: {},
    ...(error && { error: reducedError(error) }),
  };
}

/** @param dashboards on which strangers know it to be */
export function reducedInsight(insight: InsightBody, dashboards: number[]): InsightBody {
  return {
    ...insight,
    query: reducedQuery(insight.query),
    result: reducedResult(insight.query, insight.result),
    columns: insight.columns?.slice(0, MAX_COLUMNS).map(nameOfColumn) ?? null,
    types: insight.types?.slice(0, MAX_COLUMNS) ?? null,
    hasMore:
      insight.hasMore || (Array.isArray(insight.result) && isTable(insight.query) && insight.result.length > MAX_ROWS),
    created_by: null,
    last_modified_by: null,
    dashboards,
    dashboard_tiles: [],
    filters_hash: null,
    query_status: null,
    error: insight.error && reducedError(insight.error),
  };
}

type Node = { kind?: unknown; source?: unknown; trendsFilter?: { display?: unknown } | null };

/** Only what it is drawn as. */
function reducedQuery(query: InsightBody['query']): InsightBody['query'] {
  if (!query) return null;
  const { kind, trendsFilter } = innermost(query);
  const display = trendsFilter?.display;
  const source = { kind, ...(display !== undefined && { trendsFilter: { display } }) };
  return { kind: kind === 'EventsQuery' ? 'DataTableNode' : 'InsightVizNode', source };
}

/** The query that is computed, inside what says how it is shown. */
export function innermost(query: Node): Node {
  return typeof query.source === 'object' && query.source !== null ? query.source : query;
}

/** Columns of events are SQL, perhaps with a name behind two dashes: upstream's way to name them. */
function nameOfColumn(sql: string): string {
  return (/--\s*(.+)$/.exec(sql)?.[1] ?? sql).trim();
}

function isTable(query: InsightBody['query']): boolean {
  return query !== null && innermost(query).kind === 'EventsQuery';
}

/** Names that people gave instead of those of the events that they stand for; of tables what is drawn. */
function reducedResult(query: InsightBody['query'], result: unknown): unknown {
  if (!query || !Array.isArray(result)) return result;
  const { kind } = innermost(query);
  if (kind === 'TrendsQuery') return (result as TrendResult[]).map(({ action: _action, ...others }) => others);
  if (kind === 'FunnelsQuery') return (result as FunnelStepResult[]).map(reducedStep);
  if (!isTable(query)) return result;
  return (result as unknown[][]).slice(0, MAX_ROWS).map((row) => row.slice(0, MAX_COLUMNS));
}

function reducedStep({ custom_name: customName, name, action_id: _action, ...others }: FunnelStepResult) {
  return { ...others, action_id: null, name: customName ?? name, custom_name: null };
}

const ERRORS: Readonly<Record<string, string>> = {
  validation_error: 'The query behind this is not valid any more. Whoever shared the page can mend it.',
  too_large: 'The tiles before this one are as much as one page may hold.',
  timeout: 'This is still being computed. Load the page again in a moment.',
};

/** What is wrong with a query is said in its own words: not here. */
function reducedError<E extends Pick<NonNullable<InsightResult['error']>, 'message'> & { type: string }>(error: E): E {
  return { ...error, message: ERRORS[error.type] ?? 'This could not be computed.' };
}
