/** Restricted dashboards restrict the insights on them: whose they may be, by every way in. */
import assert from 'node:assert/strict';
import type { Body, Dashboard, DashboardsApi, Person } from '../../support/api/dashboards-api.ts';
import { countOf, startInsightsApi, type Insight, type InsightsApi } from '../../support/api/insights-api.ts';

const RESTRICTED = { restriction_level: 37 };

const tileOf = ({ tiles }: Dashboard) => tiles[0]!['id'] as number;

describe('a restricted dashboard', () => {
  let api: InsightsApi;
  let dashboards: DashboardsApi;
  let person: Person;
  let admin: Person;
  let insight: Insight;
  /** Ours, not restricted, with the insight. */
  let source: Dashboard;

  before(async () => {
    api = await startInsightsApi();
    dashboards = api.dashboards;
    [person, admin] = [await dashboards.join(), await dashboards.join('admin')];
    insight = await api.create({ name: 'Ours', query: countOf('x') });
    source = await dashboards.create({ tiles: [{ insight: insight.id }] });
    await mayOnly('viewer');
  });
  after(() => api.stop());

  const mayOnly = (access_level: string) => {
    const rule = { access_level, organization_member: person.membershipId };
    return api.done('PUT', `${insight.id}/access_controls/`, rule, admin);
  };
  const create = (board: Body = {}) => dashboards.create(board, { key: person.key });
  const shown = () => ({ tiles: [{ insight: insight.id }] });

  type Asked = [method: string, path: string, body: Body];
  const ways: [what: string, ask: () => Promise<Asked>][] = [
    ['is made with it', async () => ['POST', '', { ...RESTRICTED, ...shown() }]],
    ['is a copy of one with it', async () => ['POST', '', { ...RESTRICTED, use_dashboard: source.id }]],
    ['gets a tile with it', async () => ['PATCH', `${(await create(RESTRICTED)).id}/`, shown()]],
    [
      'gets back a tile with it',
      async () => {
        const board = await create(shown());
        const tile = { id: tileOf(board) };
        const change = { ...RESTRICTED, tiles: [{ ...tile, deleted: true }] };
        await dashboards.expectSuccess('PATCH', `${board.id}/`, change, person);
        return ['PATCH', `${board.id}/`, { tiles: [{ ...tile, deleted: false }] }];
      },
    ],
    [
      'has it copied to itself',
      async () => {
        const { id } = await create(RESTRICTED);
        return ['POST', `${id}/copy_tile/`, { fromDashboardId: source.id, tileId: tileOf(source) }];
      },
    ],
    [
      'has it moved to itself',
      async () => {
        const { id: to_dashboard } = await create(RESTRICTED);
        return ['POST', `${source.id}/move_tile/`, { tile: { id: tileOf(source) }, to_dashboard }];
      },
    ],
    ['was not restricted before', async () => ['PATCH', `${(await create(shown())).id}/`, RESTRICTED]],
    [
      'was deleted before',
      async () => {
        const { id } = await create(shown());
        await dashboards.expectSuccess('PATCH', `${id}/`, { deleted: true }, person);
        return ['PATCH', `${id}/`, { ...RESTRICTED, deleted: false }];
      },
    ],
    [
      'was restricted while the insight was deleted',
      async () => {
        const { id } = await create(shown());
        await api.done('PATCH', `${insight.id}/`, { deleted: true });
        return ['PATCH', `${id}/`, RESTRICTED];
      },
    ],
  ];
  for (const [what, ask] of ways) {
    it(`takes no insight from those who may change it when it ${what}`, async () => {
      const { detail } = await dashboards.expectRefusal(403, ...(await ask()), person);
      assert.match(detail, new RegExp(`^You don't have edit permissions for insight ${insight.id}, which`));
      const mine = await api.done('PATCH', `${insight.id}/`, { description: what, deleted: false });
      assert.equal(mine['effective_restriction_level'], 21);
    });
  }

  it('takes none by the insight either', async () => {
    const { id } = await create(RESTRICTED);
    const { detail } = await api.refused(403, 'PATCH', `${insight.id}/`, { dashboards: [id] }, person);
    assert.equal(detail, 'You do not have editor access to this resource.');
  });

  it('takes no insight that another restricted dashboard keeps from its owner', async () => {
    const kept = await api.create({ dashboards: [(await dashboards.create(RESTRICTED)).id] });
    await dashboards.expectRefusal(403, 'POST', '', { ...RESTRICTED, tiles: [{ insight: kept.id }] }, person);
    assert.equal((await create({ tiles: [{ insight: kept.id }] })).tiles.length, 1, 'one that is not may show it');
  });

  it('takes copies, what it has already, and what its owner may change', async () => {
    const copy = await create({ ...RESTRICTED, use_dashboard: source.id, duplicate_tiles: true });
    assert.equal(copy['effective_privilege_level'], 37);
    await mayOnly('editor');
    const { id } = await create({ ...RESTRICTED, ...shown() });
    await mayOnly('viewer');
    await dashboards.expectSuccess('PATCH', `${id}/`, { tiles: [{ text: { body: 'beside it' } }] }, person);
    assert.equal((await api.done('GET', `${insight.id}/`))['effective_privilege_level'], 21);
  });
});
