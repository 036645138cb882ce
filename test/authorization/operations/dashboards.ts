/** Operations on dashboards, insights, their tiles and their links. */
import { buildMember } from '../../support/api/members.ts';
import { CANARY, cheapHash, type Operation, type Workplace } from './workplace.ts';

const QUERY = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode' }] };
const ONLY_COLLABORATORS = 37;

type Tiled = { id: string; tile: number };

/** A dashboard with one text on it. */
async function createTiledDashboard({ send }: Workplace): Promise<Tiled> {
  const made = await send('POST', '/dashboards/', { name: 'Tiled', tiles: [{ text: { body: 'text' } }] });
  const [tile] = made['tiles'] as { id: number }[];
  return { id: String(made['id']), tile: tile!.id };
}

async function restricted({ db, put }: Workplace): Promise<string> {
  const id = await put('dashboard');
  await db('dashboards').where({ id }).update({ restriction_level: ONLY_COLLABORATORS });
  return id;
}

const collaborator = ({ uuid }: { uuid: string }) => ({ user_uuid: uuid, level: ONLY_COLLABORATORS });

/** Members may by themselves; collaborators are those whom a rule keeps from being admins of the project. */
async function plainMember({ db, ours, send }: Workplace) {
  const member = await buildMember(db, ours);
  await send('PUT', '/access_controls/', { access_level: 'member', organization_member: member.membershipId });
  return member;
}

const onTile =
  (change: (tile: Tiled, at: Workplace) => Promise<{ body: unknown }>): Operation =>
  async (at) => {
    const one = await createTiledDashboard(at);
    return { params: { id: one.id }, ...(await change(one, at)), tells: ['Dashboard updated'] };
  };

const moved = onTile(async ({ tile }, { put }) => ({
  body: { tile: { id: tile }, to_dashboard: Number(await put('dashboard')) },
}));
const changed: Operation = async ({ put }) => ({
  params: { id: await put('dashboard') },
  body: { name: 'Renamed', tiles: [{ text: { body: 'x' } }] },
  refused: { name: 'Lost', tiles: [{ insight: 999_999_999 }] },
  tells: ['Dashboard updated'],
});

function sharing(kind: 'dashboard' | 'insight'): Readonly<Record<string, Operation>> {
  const [scope, param, path] = [kind === 'dashboard' ? 'Dashboard' : 'Insight', `${kind}_id`, `/${kind}s/:${kind}_id/sharing/`]; // prettier-ignore
  const shared = async ({ put, send }: Workplace) => {
    const id = await put(kind);
    await send('PATCH', `/${kind}s/${id}/sharing/`, { enabled: true, password_required: true });
    return id;
  };
  return {
    [`PATCH ${path}`]: async ({ put }) => ({
      params: { [param]: await put(kind) },
      body: { enabled: true },
      refused: { enabled: true, expires_at: '2001-01-01T00:00:00Z' },
      tells: [`${scope} sharing enabled`],
    }),
    [`POST ${path}refresh/`]: async (at) => ({
      params: { [param]: await shared(at) },
      tells: [`${scope} access token refreshed`],
    }),
    [`POST ${path}passwords/`]: async (at) => ({
      params: { [param]: await shared(at) },
      body: { raw_password: CANARY, note: 'for the board' },
      refused: { raw_password: 'short' },
      tells: [`${scope} updated`],
    }),
    [`DELETE ${path}passwords/:password_id/`]: async (at) => {
      const id = await shared(at);
      const shares = at
        .db('sharing_configurations')
        .where({ [param]: id })
        .select('id') as unknown as number;
      const row = { sharing_configuration_id: shares, password_hash: cheapHash() };
      const [made] = await at
        .db('share_passwords')
        .insert(row as never)
        .returning<{ id: number }[]>('id');
      return { params: { [param]: id, password_id: String(made!.id) }, tells: [`${scope} updated`] };
    },
  };
}

export const dashboardOperations: Readonly<Record<string, Operation>> = {
  'POST /dashboards/': () => ({
    // The insight that comes along is an object of its own.
    body: { name: 'New', tiles: [{ insight: { name: 'Views', query: QUERY } }] },
    refused: { name: 'New', tiles: [{ insight: { name: 'Views', query: QUERY } }, { insight: 999_999_999 }] },
    tells: ['Insight created', 'Dashboard created'],
  }),
  'POST /dashboards/create_from_template_json/': () => ({
    body: { template: { template_name: 'Mine', tiles: [{ type: 'TEXT', body: 'x' }] } },
    refused: { template: { template_name: 'Mine', tiles: [{ type: 'INSIGHT' }] } },
    tells: ['Dashboard created'],
  }),
  'POST /dashboards/create_unlisted_dashboard/': () => ({
    body: { tag: 'ours' },
    refused: { tag: '' },
    tells: ['Dashboard created'],
  }),
  'PUT /dashboards/:id/': changed,
  'PATCH /dashboards/:id/': changed,
  'PUT /dashboards/:id/access_controls/': async ({ put, colleague }) => ({
    params: { id: await put('dashboard') },
    body: { access_level: 'viewer', organization_member: colleague.membershipId },
    refused: { access_level: 'king' },
    tells: ['Dashboard updated'],
  }),
  'POST /dashboards/:dashboard_id/collaborators/': async (at) => ({
    params: { dashboard_id: await restricted(at) },
    body: collaborator(await plainMember(at)),
    refused: collaborator({ uuid: '0198f3a0-0000-7000-8000-00000000dead' }),
    tells: ['Dashboard updated'],
  }),
  'DELETE /dashboards/:dashboard_id/collaborators/:user__uuid/': async (at) => {
    const [id, member] = [await restricted(at), await plainMember(at)];
    await at.send('POST', `/dashboards/${id}/collaborators/`, collaborator(member));
    return { params: { dashboard_id: id, user__uuid: member.uuid }, tells: ['Dashboard updated'] };
  },
  // Both dashboards change.
  'POST /dashboards/:id/move_tile/': async (at) => ({ ...(await moved(at)), tells: ['Dashboard updated', 'Dashboard updated'] }), // prettier-ignore
  'PATCH /dashboards/:id/move_tile/': async (at) => ({ ...(await moved(at)), tells: ['Dashboard updated', 'Dashboard updated'] }), // prettier-ignore
  'POST /dashboards/:id/copy_tile/': async (at) => {
    const from = await createTiledDashboard(at);
    return {
      params: { id: await at.put('dashboard') },
      body: { fromDashboardId: Number(from.id), tileId: from.tile },
      tells: ['Dashboard updated'],
    };
  },
  'POST /dashboards/:id/reorder_tiles/': async (at) => {
    const { id, tile } = await createTiledDashboard(at);
    const more = await at.send('POST', `/dashboards/${id}/create_text_tile/`, { body: 'more' });
    return {
      params: { id },
      body: { tile_order: [more['id'], tile] },
      refused: { tile_order: [tile, tile] },
      tells: ['Dashboard updated'],
    };
  },
  'POST /dashboards/:id/create_text_tile/': async ({ put }) => ({
    params: { id: await put('dashboard') },
    body: { body: 'Hello' },
    refused: { body: ' ' },
    tells: ['Dashboard updated'],
  }),
  'POST /dashboards/:id/update_text_tile/': onTile(async ({ tile }) => ({ body: { tile_id: tile, body: 'Changed' } })),
  'POST /dashboards/:id/delete_tile/': onTile(async ({ tile }) => ({ body: { tile_id: tile } })),
  'POST /insights/': () => ({
    body: { name: 'Views', query: QUERY },
    refused: { name: 'Views', query: { kind: 'Nothing' } },
    tells: ['Insight created'],
  }),
  'PATCH /insights/:id/': async ({ put }) => ({
    params: { id: await put('insight') },
    body: { name: 'Renamed' },
    refused: { name: 'Lost', dashboards: [999_999_999] },
    tells: ['Insight updated'],
  }),
  'PUT /insights/:id/access_controls/': async ({ put, colleague }) => ({
    params: { id: await put('insight') },
    body: { access_level: 'viewer', organization_member: colleague.membershipId },
    refused: { access_level: 'king' },
    tells: ['Insight updated'],
  }),
  ...sharing('dashboard'),
  ...sharing('insight'),
};
