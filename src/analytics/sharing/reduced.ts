/**
 * Dashboards and insights as strangers see them: the data that is drawn, and nothing about how it was computed. Strangers get no queries and
 * filters (they name customers and properties), no people and dates of changes, and no other dashboards. The fields are upstream's; fields
 * that are not drawn have the same value in every answer.
 */
import type { ResultError } from '../insights/results/result.ts';
import type { InsightBody } from '../insights/schema.ts';
import type { DashboardBody } from '../dashboards/schema.ts';
import { gridPositionOf } from '../dashboards/tiles/layout.ts';
import type { TileBody } from '../dashboards/tiles/schema.ts';
import { drawnAs } from './charts/drawn-as.ts';
import { drawnResult } from './charts/drawn-results.ts';
import type { ShareSettings } from './settings.ts';
import {
  HIDDEN_BUTTON_FIELDS,
  HIDDEN_DASHBOARD_FIELDS,
  HIDDEN_INSIGHT_FIELDS,
  HIDDEN_TEXT_FIELDS,
  HIDDEN_TILE_FIELDS,
} from './hidden-fields.ts';

/** Colours that tiles are drawn with; any other colour is drawn as none. */
const COLOURS = ['white', 'black', 'blue', 'green', 'purple', 'red', 'yellow'];

export type SharedDashboard = ReturnType<typeof publicDashboard>;
export type SharedTile = ReturnType<typeof publicTile>;
export type SharedInsight = ReturnType<typeof publicInsight>;

export function publicDashboard({ id, name, description, tiles }: DashboardBody, settings: ShareSettings) {
  return {
    ...HIDDEN_DASHBOARD_FIELDS,
    id,
    name,
    description: settings.noHeader || settings.hideExtraDetails ? '' : description,
    tiles: tiles.map((tile) => publicTile(tile, id, settings)),
  };
}

function publicTile(tile: TileBody, dashboardId: number, settings: ShareSettings) {
  const { id, order, insight, text, button_tile: button, color, error } = tile;
  const { show_description, transparent_background } = tile;
  const view = { dashboards: [dashboardId], showsDescription: show_description !== false, settings };
  return {
    ...HIDDEN_TILE_FIELDS,
    id,
    order,
    layouts: { sm: gridPositionOf(tile.layouts, 'sm'), xs: gridPositionOf(tile.layouts, 'xs') },
    color: color !== null && COLOURS.includes(color) ? color : null,
    show_description,
    transparent_background,
    insight: insight && 'query' in insight ? publicInsight(insight, view) : null,
    text: text && { ...HIDDEN_TEXT_FIELDS, id: text.id, body: text.body },
    button_tile: button && { ...HIDDEN_BUTTON_FIELDS, ...drawnButton(button) },
    ...(error && { error: publicError(error) }),
  };
}

function drawnButton({ id, url, text, placement, style }: NonNullable<TileBody['button_tile']>) {
  return { id, url, text, placement, style };
}

type View = {
  /** The dashboards with the insight that strangers may know of. */
  dashboards: number[];
  /** Whether its description is shown where settings do not hide it. */
  showsDescription: boolean;
  settings: ShareSettings;
};

export function publicInsight(insight: InsightBody, { dashboards, showsDescription, settings }: View) {
  const { id, short_id, name, error } = insight;
  const isPlain = settings.hideExtraDetails === true;
  const query = publicQuery(insight.query);
  const result = { ...insight, ...((error || !query) && { result: null }) };
  return {
    ...HIDDEN_INSIGHT_FIELDS,
    id,
    short_id,
    name,
    // The derived name names events, and is shown only if the insight has no other name.
    derived_name: name ? null : insight.derived_name,
    description: showsDescription && !isPlain ? insight.description : '',
    query,
    ...drawnResult(result, drawnAs(query)),
    last_refresh: isPlain ? null : insight.last_refresh,
    error: error && publicError(error),
    dashboards,
  };
}

/** Reduces a query to its kind and display, which are drawn. */
function publicQuery(query: InsightBody['query']): InsightBody['query'] {
  if (!query) return null;
  const { kind, display } = drawnAs(query);
  const source = { kind, ...(display !== '' && { trendsFilter: { display } }) };
  return { kind: kind === 'EventsQuery' ? 'DataTableNode' : 'InsightVizNode', source };
}

const ERRORS: Readonly<Record<string, string>> = {
  validation_error: 'The query behind this is not valid any more. The person who shared the page can fix it.',
  too_large: 'The tiles before this one are as much as one page may hold.',
  timeout: 'This is still being computed. Load the page again in a moment.',
};

/** Errors of a query quote it, so strangers get another message. */
function publicError<E extends Pick<ResultError, 'message'> & { type: string }>(error: E): E {
  return { ...error, message: ERRORS[error.type] ?? 'This could not be computed.' };
}
