/** A dashboard that is full, and one that was filled further before there was a limit. */
import assert from 'node:assert/strict';
import { dashboardStores } from '../../../../src/analytics/dashboards/stores.ts';
import { arrange, sortByPosition } from '../../../../src/analytics/dashboards/tiles/layout.ts';
import { tileManagement } from '../../../../src/analytics/dashboards/tiles/tile-management.ts';
import { RIGHTS_OF_PROJECT_KEY } from '../../../../src/people/access/rights.ts';
import {
  startDashboardsApi,
  type Body,
  type Dashboard,
  type DashboardsApi,
} from '../../../support/api/dashboards-api.ts';

const QUERY = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: '$pageview' }] };
const FULL = /^A dashboard can have at most 500 tiles, and this one would have 50\d: remove some/;

const idOf = (tile: Body | undefined) => tile?.['id'] as number;

describe('a dashboard with 500 tiles', () => {
  let api: DashboardsApi;
  let full: Dashboard;
  let other: Dashboard;

  before(async () => {
    api = await startDashboardsApi();
    full = await api.create();
    await fill(full.id, 500);
    other = await api.create({ tiles: [{ insight: { name: 'Views', query: QUERY } }] });
  });
  after(() => api.stop());

  async function fill(dashboardId: number, count: number): Promise<void> {
    await api.sluice.db.raw(
      `with text as (
         insert into dashboard_texts (project_id, body) select ?, 'a' from generate_series(1, ?) returning id)
       insert into dashboard_tiles (dashboard_id, text_id) select ?, id from text`,
      [api.ours.projectId, count, dashboardId],
    );
  }

  const tilesOf = async (id: number) => (await api.expectSuccess('GET', `${id}/`)).tiles;

  it('takes no more, from anywhere', async () => {
    const mine = idOf((await tilesOf(full.id))[0]);
    const theirs = idOf(other.tiles[0]);
    const insight = (other.tiles[0]!['insight'] as { id: number }).id;
    const insights = `/api/projects/${api.ours.projectId}/insights/${insight}/`;
    const attempts: [string, string, Body][] = [
      ['PATCH', `${full.id}/`, { tiles: [{ text: { body: 'b' } }] }],
      ['PATCH', `${full.id}/`, { duplicate_tiles: [{ id: mine }] }],
      ['POST', `${full.id}/create_text_tile/`, { body: 'b' }],
      ['POST', `${full.id}/copy_tile/`, { fromDashboardId: other.id, tileId: theirs }],
      ['POST', `${other.id}/move_tile/`, { tile: { id: theirs }, to_dashboard: full.id }],
      ['PATCH', insights, { dashboards: [other.id, full.id] }],
    ];
    for (const [method, path, body] of attempts) {
      assert.match((await api.expectRefusal(400, method, path, body)).detail, FULL, path);
    }
    assert.equal((await tilesOf(full.id)).length, 500);
  });

  it('may lose tiles when it has more, and is not copied then', async () => {
    const overfull = await api.create();
    await fill(overfull.id, 502);
    assert.match((await api.expectRefusal(400, 'POST', '', { use_dashboard: overfull.id })).detail, FULL);
    await api.expectSuccess('POST', `${overfull.id}/delete_tile/`, { tile_id: idOf((await tilesOf(overfull.id))[0]) });
    assert.equal((await tilesOf(overfull.id)).length, 501);
  });

  it('takes back what was taken off only when there is room', async () => {
    const board = await api.create({ tiles: [{ text: { body: 'off' } }] });
    const off = idOf(board.tiles[0]);
    await api.expectSuccess('PATCH', `${board.id}/`, { tiles: [{ id: off, deleted: true }] });
    await fill(board.id, 500);
    const back = { tiles: [{ id: off, deleted: false }] };
    assert.match((await api.expectRefusal(400, 'PATCH', `${board.id}/`, back)).detail, FULL);
  });

  it('comes back with what it showed, and what was taken off it last', async () => {
    const board = await api.create();
    await fill(board.id, 3);
    const [older, newer, on] = (await tilesOf(board.id)).map(idOf).toSorted((a, b) => a - b);
    await fill(board.id, 498);
    const takenOff = [older, newer].map((id) => ({ id, deleted: true }));
    await api.expectSuccess('PATCH', `${board.id}/`, { tiles: takenOff });
    await api.expectSuccess('PATCH', `${board.id}/`, { deleted: true });
    const restored = (await api.expectSuccess('PATCH', `${board.id}/`, { deleted: false })).tiles.map(idOf);
    assert.equal(restored.length, 500);
    assert.deepEqual(
      [older, newer, on].map((id) => restored.includes(id!)),
      [false, true, true],
    );
  });

  it('comes back without some of its tiles where it has more', async () => {
    const board = await api.create();
    await fill(board.id, 501);
    const [first] = await tilesOf(board.id);
    await api.expectSuccess('PATCH', `${board.id}/`, { deleted: true });
    assert.match((await api.expectRefusal(400, 'PATCH', `${board.id}/`, { deleted: false })).detail, FULL);
    const without = { deleted: false, tiles: [{ id: idOf(first), deleted: true }] };
    assert.equal((await api.expectSuccess('PATCH', `${board.id}/`, without)).tiles.length, 500);
  });

  it('gives the place of an insight that was deleted to another tile', async () => {
    const board = await api.create({ tiles: [{ insight: { name: 'Views', query: QUERY } }] });
    const insight = `/api/projects/${api.ours.projectId}/insights/${(board.tiles[0]!['insight'] as { id: number }).id}/`;
    await fill(board.id, 498);
    await api.expectSuccess('PATCH', insight, { deleted: true });
    const write = () => api.expectSuccess('POST', `${board.id}/create_text_tile/`, { body: 'b' });
    await write();
    assert.deepEqual((await api.expectSuccess<Body>('PATCH', insight, { deleted: false }))['dashboards'], [board.id]);
    await api.expectSuccess('PATCH', insight, { deleted: true });
    await write();
    assert.deepEqual((await api.expectSuccess<Body>('PATCH', insight, { deleted: false }))['dashboards'], []);
    assert.equal((await tilesOf(board.id)).length, 500);
  });

  it('takes one of two that come at once', async () => {
    const board = await api.create();
    await fill(board.id, 499);
    const write = () => api.request('POST', `${board.id}/create_text_tile/`, { body: 'b' });
    const answers = await Promise.all([write(), write()]);
    const statuses = answers.map(({ status }) => status);
    assert.deepEqual(new Set(statuses), new Set([201, 400]));
  });

  it('is put in order by as many statements as one with two', async () => {
    const { db } = api.sluice;
    const small = await api.create();
    await fill(small.id, 2);
    const stores = dashboardStores(db);
    const project = { id: api.ours.projectId, organizationId: api.ours.organizationId, name: '' };
    const key = { keyId: null, scopes: ['*'], onlyProjects: null, onlyOrganizations: null, session: null };
    const actor = { project, caller: { ...key, userId: null, projectId: project.id }, rights: RIGHTS_OF_PROJECT_KEY };
    const counts: number[] = [];
    let statements = 0;
    const count = () => void (statements += 1);
    db.on('query', count);
    for (const { id } of [small, full]) {
      const before = sortByPosition(await stores.tiles.listLive(id));
      const order = before.map((tile) => tile.id).toReversed();
      statements = 0;
      await tileManagement(stores).reorder(actor, { id, ifMatch: undefined }, { order, style: 'two_column' });
      counts.push(statements);
      assert.deepEqual(sortByPosition(await stores.tiles.listLive(id)), arrange(before.toReversed(), 'two_column'));
    }
    db.off('query', count);
    assert.equal(counts[1], counts[0]);
  });
});
