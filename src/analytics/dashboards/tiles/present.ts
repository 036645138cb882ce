/** Tiles as clients see them. */
import type { Rights } from '../../../platform/http/access.ts';
import { userOf } from '../../../people/accounts/users.ts';
import type { Users } from '../../../people/accounts/users.store.ts';
import type { Insight } from '../../insights/insight.ts';
import { presentInsight, type InsightView } from '../../insights/present.ts';
import type { Button } from './buttons.store.ts';
import type { TileBody } from './schema.ts';
import type { Text } from './texts.store.ts';
import type { Tile, TileLocation } from './tiles.store.ts';

/** An insight, and the parts of it that the viewer may see. */
export type SeenInsight = {
  insight: Insight;
  /** undefined: the viewer may not see the insight. */
  seen: Pick<InsightView, 'result' | 'locations' | 'restriction'> | undefined;
};

export type SeenTile = {
  tile: Tile;
  order: number;
  insight: SeenInsight | undefined;
  text: { text: Text; locations: readonly TileLocation[] } | undefined;
  button: { button: Button; locations: readonly TileLocation[] } | undefined;
};

type PresentOptions = { users: Users; rights: Pick<Rights, 'levelOf'> | null };

export function presentTile({ tile, order, insight, text, button }: SeenTile, options: PresentOptions): TileBody {
  const result = insight?.seen?.result;
  return {
    id: tile.id,
    insight: insight ? insightOf(insight, options) : null,
    text: text ? textOf(text, options) : null,
    button_tile: button ? buttonOf(button) : null,
    widget: null,
    layouts: tile.layouts,
    color: tile.color,
    filters_overrides: tile.filters_overrides,
    show_description: tile.show_description,
    transparent_background: tile.transparent_background,
    order,
    last_refresh: result?.last_refresh ?? null,
    is_cached: result?.is_cached ?? false,
    ...(result?.error && { error: result.error }),
  };
}

function insightOf({ insight, seen }: SeenInsight, { users, rights }: PresentOptions): TileBody['insight'] {
  if (seen) return presentInsight(insight, { users, rights, ...seen });
  return { id: insight.id, short_id: insight.short_id, user_access_level: 'none' };
}

function textOf({ text, locations }: NonNullable<SeenTile['text']>, { users }: PresentOptions): TileBody['text'] {
  return {
    id: text.id,
    body: text.body,
    created_by: userOf(users, text.created_by),
    last_modified_by: userOf(users, text.last_modified_by),
    last_modified_at: text.last_modified_at,
    team: text.project_id,
    dashboard_tiles: locations.map(presentLocation),
  };
}

function buttonOf({ button, locations }: NonNullable<SeenTile['button']>): TileBody['button_tile'] {
  const { id, url, text, placement, style } = button;
  return { id, url, text, placement, style, team: button.project_id, dashboard_tiles: locations.map(presentLocation) };
}

function presentLocation({ id, dashboard_id, deleted }: TileLocation): TileLocation {
  return { id, dashboard_id, deleted };
}
