/** Tiles on the wire. */
import { LEVELS } from '../../../platform/http/access.ts';
import { UserBody } from '../../../people/accounts/users.ts';
import { nullable, stringEnum, Type, type Static } from '../../../platform/schema.ts';
import { InsightBody } from '../../insights/schema.ts';
import { BUTTON_STYLES, PLACEMENTS } from './buttons.store.ts';

const MAX_ID = 2 ** 31 - 1;
export const MAX_TILES = 500;
export const TileId = Type.Integer({ minimum: 1, maximum: MAX_ID });

/** Any object, stored unchanged. */
const Json = Type.Record(Type.String(), Type.Unknown());
const TileReferences = Type.Array(
  Type.Object({ id: Type.Integer(), dashboard_id: Type.Integer(), deleted: Type.Boolean() }),
);

const TextBody = Type.Object({
  id: Type.Integer(),
  body: nullable(Type.String(), { description: 'The text in Markdown.' }),
  created_by: nullable(UserBody),
  last_modified_by: nullable(UserBody),
  last_modified_at: Type.String({ format: 'date-time' }),
  team: Type.Integer({ description: 'The ID of the project.' }),
  dashboard_tiles: TileReferences,
});

const ButtonBody = Type.Object({
  id: Type.String({ format: 'uuid' }),
  url: Type.String(),
  text: Type.String(),
  placement: stringEnum(PLACEMENTS),
  style: stringEnum(BUTTON_STYLES),
  team: Type.Integer({ description: 'The ID of the project.' }),
  dashboard_tiles: TileReferences,
});

const UnseenInsightBody = Type.Object(
  { id: Type.Integer(), short_id: Type.String(), user_access_level: stringEnum(LEVELS) },
  { title: 'UnseenInsight', description: 'An insight that the caller may not view: only these fields are visible.' },
);

export const TileBody = Type.Object(
  {
    id: Type.Integer(),
    insight: nullable(Type.Union([InsightBody, UnseenInsightBody])),
    text: nullable(TextBody),
    button_tile: nullable(ButtonBody),
    widget: Type.Null(),
    layouts: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'The positions of the tile in the grids `sm` (12 columns) and `xs` (one column), as `{x, y, w, h}` in ' +
        'cells, with any further fields that clients set.',
    }),
    color: nullable(Type.String()),
    filters_overrides: Type.Record(Type.String(), Type.Unknown(), {
      description: 'Filters that replace those of the dashboard for this tile.',
    }),
    show_description: nullable(Type.Boolean()),
    transparent_background: nullable(Type.Boolean()),
    order: Type.Integer({ description: 'The position of the tile, counted row by row from the left.' }),
    last_refresh: nullable(Type.String({ format: 'date-time' })),
    is_cached: Type.Boolean(),
    error: Type.Optional(
      Type.Object(
        { type: Type.String(), message: Type.String() },
        { description: 'Why the query of the insight failed; absent if it did not.' },
      ),
    ),
  },
  { title: 'DashboardTile' },
);
export type TileBody = Static<typeof TileBody>;

const OptionalId = Type.Optional(nullable(TileId));
const display = {
  layouts: Type.Optional(nullable(Json)),
  color: Type.Optional(nullable(Type.String({ maxLength: 400 }))),
};

const GivenTextBody = Type.Object({
  id: OptionalId,
  body: Type.Optional(nullable(Type.String())),
  created_by: Type.Optional(nullable(Type.Object({ id: OptionalId }))),
});
export type GivenText = Static<typeof GivenTextBody>;

const GivenButtonBody = Type.Object({
  id: Type.Optional(nullable(Type.String({ format: 'uuid' }))),
  url: Type.Optional(Type.String()),
  text: Type.Optional(Type.String()),
  placement: Type.Optional(stringEnum(PLACEMENTS)),
  style: Type.Optional(stringEnum(BUTTON_STYLES)),
});
export type GivenButton = Static<typeof GivenButtonBody>;

/** A tile to create or change; clients also send back whole tiles as they received them. */
export const GivenTileBody = Type.Object(
  {
    id: Type.Optional(
      nullable(TileId, { description: 'The ID of a tile on this dashboard. Omit it to add a new tile.' }),
    ),
    text: Type.Optional(nullable(GivenTextBody)),
    button_tile: Type.Optional(nullable(GivenButtonBody)),
    insight: Type.Optional(
      Type.Unknown({
        description: 'The insight of a new tile: the ID of an existing insight, or a new insight with its `query`.',
      }),
    ),
    ...display,
    filters_overrides: Type.Optional(nullable(Json)),
    show_description: Type.Optional(nullable(Type.Boolean())),
    transparent_background: Type.Optional(nullable(Type.Boolean())),
    deleted: Type.Optional(nullable(Type.Boolean())),
  },
  { title: 'GivenTile' },
);
export type GivenTile = Static<typeof GivenTileBody>;

/** The `tiles` of a dashboard's POST and PATCH. */
export const GivenTilesBody = Type.Array(GivenTileBody, { maxItems: MAX_TILES });

/** The `duplicate_tiles` of a dashboard's PATCH. */
export const TilesToDuplicateBody = Type.Array(
  Type.Object({ id: TileId, layouts: Type.Optional(nullable(Json)) }, { title: 'DuplicatedTile' }),
  { maxItems: MAX_TILES },
);
export type TileToDuplicate = Static<typeof TilesToDuplicateBody>[number];

const TextOfTile = Type.String({ description: 'The text in Markdown, at most 4,000 characters.' });

export const NewTextTileBody = Type.Object({ body: TextOfTile, ...display });
export const ChangedTextTileBody = Type.Object({ tile_id: TileId, body: Type.Optional(TextOfTile), ...display });
export type NewTextTile = Static<typeof NewTextTileBody>;
export type ChangedTextTile = Static<typeof ChangedTextTileBody>;
