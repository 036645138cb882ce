/** Routes of single tiles of a dashboard: `/dashboards/:id/move_tile/` and similar ones. */
import { InvalidInput } from '../../../platform/errors.ts';
import { orEnvelope } from '../../../platform/http/error-body.ts';
import { entityTag, expectedVersion, preferRepresentation } from '../../../platform/http/parameters/preconditions.ts';
import { json, noBody, route } from '../../../platform/http/route.ts';
import { stringEnum, Type } from '../../../platform/schema.ts';
import { dashboardAnswer, type DashboardManagementApi } from '../dashboards.routes.ts';
import { DashboardBody, DashboardParams } from '../schema.ts';
import { LAYOUT_STYLES } from './layout.ts';
import { ChangedTextTileBody, MAX_TILES, NewTextTileBody, TileBody, TileId } from './schema.ts';
import type { TileManagement } from './tile-management.ts';

export type TileManagementApi = DashboardManagementApi & { dashboardTiles: TileManagement };

const access = { scope: 'dashboard:write', object: { resource: 'dashboard', param: 'id' } } as const;
const params = DashboardParams;

const MoveBody = Type.Object(
  {
    tile: Type.Object(
      { id: TileId },
      { description: 'The tile to move; only its ID is used, but a complete tile is accepted.' },
    ),
    to_dashboard: Type.Optional(TileId),
    toDashboard: Type.Optional(
      Type.Integer({ ...TileId, description: 'The same as `to_dashboard`, for older clients.' }),
    ),
  },
  { title: 'MovedTile' },
);

const moveTile = route({
  method: 'post',
  path: '/dashboards/:id/move_tile/',
  errors: [412],
  access,
  params,
  body: MoveBody,
  answers: { 200: null },
  summary: 'Move a tile to another dashboard',
  description:
    'The tile keeps its size and columns and moves down to the first free position. `Prefer: ' +
    'return=representation` returns the dashboard that the tile was moved from.',
  async handle({ project, caller, rights, params, body, headers }, api: TileManagementApi) {
    const to = body.to_dashboard ?? body.toDashboard;
    if (to === undefined) throw new InvalidInput('This field is required.', 'to_dashboard', 'required');
    const actor = { project, caller, rights };
    const dashboardVersion = { id: params.id, ifMatch: expectedVersion(headers) };
    const source = await api.dashboardTiles.move(actor, dashboardVersion, { tile: body.tile.id, to });
    const answer = noBody(200, { ETag: entityTag(source.version) });
    return preferRepresentation(headers, answer, () => dashboardAnswer(200, actor, source, api.dashboards));
  },
});

const moveTileByPatch = route({
  method: 'patch',
  path: '/dashboards/:id/move_tile/',
  errors: [412],
  access,
  params,
  body: MoveBody,
  answers: { 200: null },
  summary: 'Move a tile to another dashboard (same as POST)',
  handle: moveTile.handle,
});

const copyTile = route({
  method: 'post',
  path: '/dashboards/:id/copy_tile/',
  errors: [412],
  access,
  params,
  body: Type.Object({ fromDashboardId: TileId, tileId: TileId }, { title: 'CopiedTile' }),
  answers: { 200: DashboardBody },
  summary: 'Add an insight or text from another dashboard to this one',
  async handle({ project, caller, rights, params, body, headers }, api: TileManagementApi) {
    const actor = { project, caller, rights };
    const dashboardVersion = { id: params.id, ifMatch: expectedVersion(headers) };
    const target = await api.dashboardTiles.copy(actor, dashboardVersion, {
      tile: body.tileId,
      from: body.fromDashboardId,
    });
    return dashboardAnswer(200, actor, target, api.dashboards);
  },
});

const DetailBody = Type.Object(
  { detail: Type.String() },
  { title: 'TileOrderError', description: 'An error without the usual envelope.' },
);

const reorderTiles = route({
  method: 'post',
  path: '/dashboards/:id/reorder_tiles/',
  errors: [412],
  access,
  params,
  body: Type.Object(
    {
      tile_order: Type.Array(TileId, { minItems: 1, maxItems: MAX_TILES }),
      layout: stringEnum(LAYOUT_STYLES, {
        default: 'preserve',
        description: 'The layout of the tiles; `preserve` keeps their sizes.',
      }),
    },
    { title: 'TileOrder' },
  ),
  answers: { 200: DashboardBody, 400: orEnvelope(DetailBody), 404: orEnvelope(DetailBody) },
  summary: 'Arrange the tiles of a dashboard in a given order',
  description:
    'Tiles that are not listed follow in their previous order. The layouts for wide and for narrow screens are both filled without gaps or overlaps.',
  async handle({ project, caller, rights, params, body, headers }, api: TileManagementApi) {
    const { tile_order: order, layout: style } = body;
    if (new Set(order).size < order.length) return json(400, { detail: 'tile_order must contain unique tile IDs' });
    const actor = { project, caller, rights };
    const dashboardVersion = { id: params.id, ifMatch: expectedVersion(headers) };
    const result = await api.dashboardTiles.reorder(actor, dashboardVersion, { order, style });
    if (!('unknown' in result)) return dashboardAnswer(200, actor, result, api.dashboards);
    return json(404, { detail: `Tile IDs not found on this dashboard: [${result.unknown.join(', ')}]` });
  },
});

const createTextTile = route({
  method: 'post',
  path: '/dashboards/:id/create_text_tile/',
  errors: [412],
  access,
  params,
  body: NewTextTileBody,
  answers: { 201: TileBody },
  summary: 'Add a text tile to a dashboard',
  async handle({ project, caller, rights, params, body, headers }, { dashboardTiles }: TileManagementApi) {
    const dashboardVersion = { id: params.id, ifMatch: expectedVersion(headers) };
    return json(201, await dashboardTiles.addText({ project, caller, rights }, dashboardVersion, body));
  },
});

const updateTextTile = route({
  method: 'post',
  path: '/dashboards/:id/update_text_tile/',
  errors: [412],
  access,
  params,
  body: ChangedTextTileBody,
  answers: { 200: TileBody },
  summary: 'Update the text, color or position of a text tile',
  async handle({ project, caller, rights, params, body, headers }, { dashboardTiles }: TileManagementApi) {
    const dashboardVersion = { id: params.id, ifMatch: expectedVersion(headers) };
    return json(200, await dashboardTiles.changeText({ project, caller, rights }, dashboardVersion, body));
  },
});

const deleteTile = route({
  method: 'post',
  path: '/dashboards/:id/delete_tile/',
  errors: [412],
  access,
  params,
  body: Type.Object({ tile_id: TileId }, { title: 'DeletedTile' }),
  answers: { 204: null },
  summary: 'Remove a tile from a dashboard and move up the tiles below it',
  async handle({ project, caller, rights, params, body, headers }, { dashboardTiles }: TileManagementApi) {
    const dashboardVersion = { id: params.id, ifMatch: expectedVersion(headers) };
    await dashboardTiles.remove({ project, caller, rights }, dashboardVersion, body.tile_id);
    return noBody(204);
  },
});

export const tileRoutes = [
  moveTile,
  moveTileByPatch,
  copyTile,
  reorderTiles,
  createTextTile,
  updateTextTile,
  deleteTile,
];
