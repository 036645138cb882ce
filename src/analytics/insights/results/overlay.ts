/** Filters and variables that a dashboard, its tile and its viewer lay over the query of an insight. */
import { isDeepStrictEqual } from 'node:util';
import { InvalidInput } from '../../../platform/errors.ts';
import type { Rights } from '../../../platform/http/access.ts';
import { Type } from '../../../platform/schema.ts';
import { ensureMayFilter } from '../../queries/raw-data.ts';

type Json = Readonly<Record<string, unknown>>;

export type Overlay = { filters: Json; variables: Json };

export const NO_OVERLAY: Overlay = { filters: {}, variables: {} };

/** Filters and variables from the URL, for this view only. */
export type Overrides = { filters?: Json | undefined; variables?: Json | undefined; tileFilters?: Json | undefined };

/** Query parameters of routes that show results. */
export const OverrideParams = {
  filters_override: Type.Optional(
    Type.String({ description: 'A JSON object of filters that override those of the dashboard for this request.' }),
  ),
  variables_override: Type.Optional(
    Type.String({ description: 'A JSON object of variables that override those of the dashboard for this request.' }),
  ),
  tile_filters_override: Type.Optional(
    Type.String({
      description: 'A JSON object of tile filters, which replace those of the dashboard for this request.',
    }),
  ),
};
export type OverrideTexts = { [Name in keyof typeof OverrideParams]?: string | undefined };

/** @throws InvalidInput naming the parameter that is not a JSON object; PermissionDenied for filters by data that the viewer may not see */
export function overridesOf(texts: OverrideTexts, viewer: { rights: Pick<Rights, 'levelOf'> }): Overrides {
  const overrides = {
    filters: overrideOf(texts, 'filters_override'),
    variables: overrideOf(texts, 'variables_override'),
    tileFilters: overrideOf(texts, 'tile_filters_override'),
  };
  // tooth: raw-overrides
  ensureMayFilter(viewer, overrides.filters);
  ensureMayFilter(viewer, overrides.tileFilters);
  return overrides;
}

/** Combines the overlays of a dashboard, its tile and a view. The tile's filters, if any, replace the dashboard's. */
export function overlayOf(
  dashboard: Overlay,
  tile: { filters_overrides: Json | null } | undefined,
  overrides: Overrides = {},
): Overlay {
  const filters = { ...dashboard.filters, ...overrides.filters };
  const tileFilters = { ...tile?.filters_overrides, ...overrides.tileFilters };
  return {
    filters: isDeepStrictEqual(tileFilters, {}) ? filters : tileFilters,
    variables: { ...dashboard.variables, ...overrides.variables },
  };
}

function overrideOf(texts: OverrideTexts, name: keyof OverrideTexts): Json | undefined {
  const text = texts[name];
  if (text === undefined || text === '') return undefined;
  const value = parseJson(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  throw new InvalidInput(`Invalid JSON passed in ${name} parameter`, name);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
