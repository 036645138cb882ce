/** Routes of single tiles of a dashboard: `/dashboards/:id/move_tile/` and its like. */
import { InvalidInput } from '../../../platform/errors.ts';
import { orEnvelope } from '../../../platform/http/error-body.ts';
import {
  entityTag,
  expectedVersion,
  prefersRepresentation,
  REPRESENTATION_APPLIED,
} from '../../../platform/http/parameters/preconditions.ts';
import { json, noBody, route } from '../../../platform/http/route.ts';
import { stringEnum, Type } from '../../../platform/schema.ts';
import { representation, type DashboardManagementApi } from '../dashboards.routes.ts';
import { DashboardBody, DashboardParams } from '../schema.ts';
import { LAYOUT_STYLES } from './layout.ts';
import { ChangedTextTileBody, MAX_TILES, NewTextTileBody, TileBody, TileId } from './schema.ts';
import type { TileManagement } from './tile-management.ts';

export type TileManagementApi = DashboardManagementApi & { dashboardTiles: TileManagement };

const access = { scope: 'dashboard:write', object: { resource: 'dashboard', param: 'id' } } as const;
const params = DashboardParams;

const MoveBody = Type.Object(
  {
    tile: Type.Object({ id: TileId }, { description: 'The whole tile may be sent.' }),
    to_dashboard: Type.Optional(TileId),
    toDashboard: Type.Optional(Type.Integer({ ...TileId, description: 'The same, as older clients spell it.' })),
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
    'It keeps its size and columns, and goes down to where it lies on no other tile. `Prefer: return=representation` answers with ' +
    'the dashboard that it left.',
  async handle({ project, caller, rights, params, body, headers }, api: TileManagementApi) {
    const to = body.to_dashboard ?? body.toDashboard;
    if (to === undefined) throw new InvalidInput('This field is required.', 'to_dashboard', 'required');
    const actor = { project, caller, rights };
    const aim = { id: params.id, ifMatch: expectedVersion(headers) };
    const source = await api.dashboardTiles.move(actor, aim, { tile: body.tile.id, to });
    if (!prefersRepresentation(headers)) return noBody(200, { ETag: entityTag(String(source.version)) });
    return representation(200, actor, source, api.dashboards, {}, REPRESENTATION_APPLIED);
  },
});

const patchTilePlace = route({
  method: 'patch',
  path: '/dashboards/:id/move_tile/',
  errors: [412],
  access,
  params,
  body: MoveBody,
  answers: { 200: null },
  summary: 'Move a tile to another dashboard: like POST',
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
  summary: 'Show an insight or a text of another dashboard on this one as well',
  async handle({ project, caller, rights, params, body, headers }, api: TileManagementApi) {
    const actor = { project, caller, rights };
    const aim = { id: params.id, ifMatch: expectedVersion(headers) };
    const target = await api.dashboardTiles.copy(actor, aim, { tile: body.tileId, from: body.fromDashboardId });
    return representation(200, actor, target, api.dashboards);
  },
});

const DetailBody = Type.Object(
  { detail: Type.String() },
  { title: 'TileOrderError', description: 'Without the usual envelope, as upstream.' },
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
      layout: stringEnum(LAYOUT_STYLES, { default: 'preserve', description: '`preserve`: tiles keep their sizes.' }),
    },
    { title: 'TileOrder' },
  ),
  answers: { 200: DashboardBody, 400: orEnvelope(DetailBody), 404: orEnvelope(DetailBody) },
  summary: 'Lay tiles out in an order',
  description:
    'Tiles that are not named follow in the order that they had. Both grids are laid out, without gaps or overlaps.',
  async handle({ project, caller, rights, params, body, headers }, api: TileManagementApi) {
    const { tile_order: order, layout: style } = body;
    if (new Set(order).size < order.length) return json(400, { detail: 'tile_order must contain unique tile IDs' });
    const actor = { project, caller, rights };
    const aim = { id: params.id, ifMatch: expectedVersion(headers) };
    const done = await api.dashboardTiles.reorder(actor, aim, { order, style });
    if (!('unknown' in done)) return representation(200, actor, done, api.dashboards);
    return json(404, { detail: `Tile IDs not found on this dashboard: [${done.unknown.join(', ')}]` });
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
  summary: 'Add a text',
  async handle({ project, caller, rights, params, body, headers }, { dashboardTiles }: TileManagementApi) {
    const aim = { id: params.id, ifMatch: expectedVersion(headers) };
    return json(201, await dashboardTiles.addText({ project, caller, rights }, aim, body));
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
  summary: 'Change a text, its colour or its place',
  async handle({ project, caller, rights, params, body, headers }, { dashboardTiles }: TileManagementApi) {
    const aim = { id: params.id, ifMatch: expectedVersion(headers) };
    return json(200, await dashboardTiles.changeText({ project, caller, rights }, aim, body));
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
  summary: 'Take a tile off; those below it move up',
  async handle({ project, caller, rights, params, body, headers }, { dashboardTiles }: TileManagementApi) {
    const aim = { id: params.id, ifMatch: expectedVersion(headers) };
    await dashboardTiles.remove({ project, caller, rights }, aim, body.tile_id);
    return noBody(204);
  },
});

export const tileRoutes = [
  moveTile,
  patchTilePlace,
  copyTile,
  reorderTiles,
  createTextTile,
  updateTextTile,
  deleteTile,
];
