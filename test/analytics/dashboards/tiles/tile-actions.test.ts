/** Actions on single tiles: moved, copied, put in order, written, taken off. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  overlap,
  gridPositionOf,
  type Layouts,
  type GridPosition,
} from '../../../../src/analytics/dashboards/tiles/layout.ts';
import {
  startDashboardsApi,
  type Body,
  type Dashboard,
  type DashboardsApi,
} from '../../../support/api/dashboards-api.ts';
import { buildPersonalKey } from '../../../support/api/identity.ts';

const QUERY = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: '$pageview' }] };
const INSIGHT = { name: 'Views', query: QUERY };
const at = (x: number, y: number, w = 6, h = 5) => ({ layouts: { sm: { x, y, w, h } } });
const text = (body = 'a') => ({ text: { body } });
const NOWHERE = 999_999;
const FORM = 'Give a position for each grid: {"layouts": {"sm": {"x", "y", "w", "h"}}}.';
const REPRESENTATION = { headers: { Prefer: 'return=representation' } };

const idOf = (tile: Body | undefined) => tile?.['id'] as number;
const idsOf = ({ tiles }: Dashboard) => tiles.map(idOf);
const insightOf = ({ tiles }: Dashboard) => (tiles[0]!['insight'] as { id: number }).id;
const bodies = ({ tiles }: Dashboard) => tiles.map((tile) => (tile['text'] as Body | null)?.['body']);
const placesOf = ({ tiles }: Dashboard, grid: 'sm' | 'xs' = 'sm') =>
  tiles.map(({ layouts }) => gridPositionOf(layouts as Layouts, grid));

type Bodies = { [action: string]: (tile: number, other: Dashboard) => Body };
const ACTIONS: Bodies = {
  move_tile: (id, other) => ({ tile: { id }, to_dashboard: other.id }),
  copy_tile: (_, other) => ({ fromDashboardId: other.id, tileId: other.tiles[0]?.['id'] }),
  reorder_tiles: (id) => ({ tile_order: [id] }),
  create_text_tile: () => ({ body: 'b' }),
  update_text_tile: (id) => ({ tile_id: id, body: 'b' }),
  delete_tile: (id) => ({ tile_id: id }),
};
const GOOD: Record<string, number> = { create_text_tile: 201, delete_tile: 204 };

describe('a tile', () => {
  let api: DashboardsApi;

  before(async () => {
    api = await startDashboardsApi();
  });
  after(() => api.stop());

  const create = (...tiles: Body[]) => api.create({ tiles });
  const get = (id: number) => api.expectSuccess('GET', `${id}/?refresh=force_cache`);
  const restrict = (id: number) => api.expectSuccess('PATCH', `${id}/`, { restriction_level: 37 });

  describe('is touched only by who may edit its dashboard', () => {
    for (const [action, bodyOf] of Object.entries(ACTIONS)) {
      it(action, async () => {
        const [board, other] = [await create(text()), await create(text())];
        const body = bodyOf(idOf(board.tiles[0]), other);
        const status = async (key: string, project = api.ours.projectId) =>
          (await api.request('POST', `/api/environments/${project}/dashboards/${board.id}/${action}/`, body, { key }))
            .status;
        const stranger = await buildPersonalKey(api.sluice.db, api.theirs, '*');
        assert.equal(await status(''), 401);
        assert.equal(await status(stranger), 403);
        assert.equal(await status(stranger, api.theirs.projectId), 404);
        assert.equal(await status(await api.keyWith('dashboard:read')), 403);
        const [reader, member] = [await api.join(), await api.join()];
        await api.rule(board.id, 'viewer', reader.membershipId);
        assert.equal(await status(reader.key), 403);
        await restrict(board.id);
        const refusal = await api.expectRefusal(403, 'POST', `${board.id}/${action}/`, { wrong: true }, member);
        assert.equal(refusal.detail, "You don't have edit permissions for this dashboard.");
        assert.deepEqual(bodies(await get(board.id)), ['a']);
        assert.equal(await status(await api.keyWith('dashboard:write')), GOOD[action] ?? 200);
      });
    }

    it('also on the dashboard that it is to go to', async () => {
      const [source, target] = [await create(text()), await create()];
      const [reader, member] = [await api.join(), await api.join()];
      await api.rule(target.id, 'viewer', reader.membershipId);
      await restrict(target.id);
      const move = async (person: { key: string }) => {
        const body = { tile: { id: idOf(source.tiles[0]) }, to_dashboard: target.id };
        return (await api.expectRefusal(403, 'POST', `${source.id}/move_tile/`, body, person)).detail;
      };
      assert.equal(await move(reader), 'You do not have editor access to this resource.');
      assert.equal(await move(member), "You don't have edit permissions for the destination dashboard.");
      assert.deepEqual([(await get(source.id)).tiles.length, (await get(target.id)).tiles.length], [1, 0]);
    });

    it('and copied or moved only by who may see where it is, and what is on it', async () => {
      const [source, target] = [await create({ insight: INSIGHT }), await create()];
      const [outsider, unaware] = [await api.join(), await api.join()];
      await api.rule(source.id, 'none', outsider.membershipId);
      const insight = insightOf(source);
      const rules = `/api/projects/${api.ours.projectId}/insights/${insight}/access_controls/`;
      await api.expectSuccess('PUT', rules, { access_level: 'none', organization_member: unaware.membershipId });
      const copy = async (person: { key: string }) => {
        const body = { fromDashboardId: source.id, tileId: idOf(source.tiles[0]) };
        return (await api.expectRefusal(403, 'POST', `${target.id}/copy_tile/`, body, person)).detail;
      };
      assert.equal(await copy(outsider), "You don't have permission to view the source dashboard.");
      assert.equal(await copy(unaware), "You don't have permission to view this insight.");
      const move = { tile: { id: idOf(source.tiles[0]) }, to_dashboard: target.id };
      const { detail } = await api.expectRefusal(403, 'POST', `${source.id}/move_tile/`, move, unaware);
      assert.equal(detail, "You don't have permission to view this insight.");
    });
  });

  describe('is refused', () => {
    let board: Dashboard;
    let other: Dashboard;
    let theirs: number;

    before(async () => {
      board = await create(text('one'), { insight: INSIGHT }, { button_tile: { url: '/a', text: 'Go' } });
      other = await create(text('other'), { button_tile: { url: '/b', text: 'Go' } });
      const key = await buildPersonalKey(api.sluice.db, api.theirs, '*');
      const path = `/api/projects/${api.theirs.projectId}/dashboards/`;
      theirs = (await api.expectSuccess('POST', path, { tiles: [text('theirs')] }, { key })).id;
    });

    const tile = (index = 0) => idOf(board.tiles[index]);
    const order = (...tile_order: number[]) => api.request('POST', `${board.id}/reorder_tiles/`, { tile_order });
    type Case = [what: string, action: string, body: () => Body, status: number, attr: string | null, detail: string];
    const cases: Case[] = [
      ['a move of nothing', 'move_tile', () => ({}), 400, 'tile', 'This field is required.'],
      ['a move of no id', 'move_tile', () => ({ tile: {} }), 400, 'tile__id', 'This field is required.'],
      [
        'a move to nowhere',
        'move_tile',
        () => ({ tile: { id: tile() } }),
        400,
        'to_dashboard',
        'This field is required.',
      ],
      [
        'a move of an unknown tile',
        'move_tile',
        () => ({ tile: { id: NOWHERE }, to_dashboard: other.id }),
        404,
        null,
        'Tile not found.',
      ],
      [
        'a move of a tile that is elsewhere',
        'move_tile',
        () => ({ tile: { id: idOf(other.tiles[0]) }, to_dashboard: other.id }),
        404,
        null,
        'Tile not found.',
      ],
      [
        'a move to no dashboard',
        'move_tile',
        () => ({ tile: { id: tile() }, toDashboard: NOWHERE }),
        404,
        null,
        'Dashboard not found.',
      ],
      [
        'a move to another project',
        'move_tile',
        () => ({ tile: { id: tile() }, toDashboard: theirs }),
        404,
        null,
        'Dashboard not found.',
      ],
      [
        'a move to where it is',
        'move_tile',
        () => ({ tile: { id: tile() }, to_dashboard: board.id }),
        400,
        null,
        'Invalid request data for moving tile. Destination must be a different dashboard than the source.',
      ],
      [
        'a copy from itself',
        'copy_tile',
        () => ({ fromDashboardId: board.id, tileId: tile() }),
        400,
        null,
        'Destination must be a different dashboard than the source.',
      ],
      [
        'a copy from nowhere',
        'copy_tile',
        () => ({ fromDashboardId: NOWHERE, tileId: 1 }),
        404,
        null,
        'Dashboard not found.',
      ],
      [
        'a copy from another project',
        'copy_tile',
        () => ({ fromDashboardId: theirs, tileId: 1 }),
        404,
        null,
        'Dashboard not found.',
      ],
      [
        'a copy of what is not there',
        'copy_tile',
        () => ({ fromDashboardId: other.id, tileId: tile() }),
        404,
        null,
        'Tile not found.',
      ],
      [
        'a copy of a button',
        'copy_tile',
        () => ({ fromDashboardId: other.id, tileId: idOf(other.tiles[1]) }),
        400,
        null,
        'Only insight and text tiles can be copied between dashboards.',
      ],
      [
        'an empty order',
        'reorder_tiles',
        () => ({ tile_order: [] }),
        400,
        'tile_order',
        'Ensure this field has at least 1 elements.',
      ],
      [
        'an unknown layout',
        'reorder_tiles',
        () => ({ tile_order: [tile()], layout: 'round' }),
        400,
        'layout',
        '"round" is not a valid choice.',
      ],
      ['an empty text', 'create_text_tile', () => ({ body: ' ' }), 400, 'body', 'Text body cannot be empty'],
      [
        'a text in no grid',
        'create_text_tile',
        () => ({ body: 'b', layouts: { x: 0, y: 0, w: 6, h: 5 } }),
        400,
        'layouts',
        FORM,
      ],
      [
        'a change to a place in no grid',
        'update_text_tile',
        () => ({ tile_id: tile(), layouts: at(0, 0).layouts.sm }),
        400,
        'layouts',
        FORM,
      ],
      ['no text', 'create_text_tile', () => ({}), 400, 'body', 'This field is required.'],
      [
        'a text that is too long',
        'create_text_tile',
        () => ({ body: 'x'.repeat(4001) }),
        400,
        'body',
        'Text body cannot exceed 4000 characters',
      ],
      [
        'an empty change of a text',
        'update_text_tile',
        () => ({ tile_id: tile(), body: '' }),
        400,
        'body',
        'Text body cannot be empty',
      ],
      [
        'a text on an insight',
        'update_text_tile',
        () => ({ tile_id: tile(1), body: 'b' }),
        400,
        'tile_id',
        'Tile is not a text tile.',
      ],
      [
        'a text of another dashboard',
        'update_text_tile',
        () => ({ tile_id: idOf(other.tiles[0]), body: 'b' }),
        404,
        null,
        'Tile not found.',
      ],
      ['to delete nothing', 'delete_tile', () => ({}), 400, 'tile_id', 'This field is required.'],
      [
        'to delete from another dashboard',
        'delete_tile',
        () => ({ tile_id: idOf(other.tiles[0]) }),
        404,
        null,
        'Tile not found.',
      ],
    ];
    for (const [what, action, body, status, attr, detail] of cases) {
      it(what, async () => {
        const refusal = await api.expectRefusal(status, 'POST', `${board.id}/${action}/`, body());
        assert.deepEqual([refusal.attr, refusal.detail], [attr, detail]);
      });
    }

    it('in an order that names it twice, or not on this dashboard, in the form of upstream', async () => {
      const twice = await order(tile(), tile());
      assert.deepEqual([twice.status, twice.body], [400, { detail: 'tile_order must contain unique tile IDs' }]);
      const foreign = idOf(other.tiles[0]);
      const unknown = await order(NOWHERE, tile(), foreign);
      const detail = `Tile IDs not found on this dashboard: [${foreign}, ${NOWHERE}]`;
      assert.deepEqual([unknown.status, unknown.body], [404, { detail }]);
    });

    for (const [action, bodyOf] of Object.entries(ACTIONS)) {
      it(`after another user changed the dashboard: ${action}`, async () => {
        const headers = { 'If-Match': '"0"' };
        const refusal = await api.expectRefusal(412, 'POST', `${board.id}/${action}/`, bodyOf(tile(), other), {
          headers,
        });
        assert.equal(refusal.code, 'precondition_failed');
      });
    }
  });

  for (const [method, spelling] of [
    ['PATCH', 'toDashboard'],
    ['POST', 'to_dashboard'],
  ] as const) {
    it(`moves by ${method} ${spelling}, to where nothing else is, without a body in the answer`, async () => {
      const source = await create({ insight: INSIGHT, color: 'red', ...at(6, 0) }, { ...text(), ...at(0, 0) });
      const target = await create({ ...text('there'), ...at(0, 0, 12, 3) });
      const [stays, moves] = source.tiles;
      const answer = await api.request(method, `${source.id}/move_tile/`, { tile: moves, [spelling]: target.id });
      assert.deepEqual([answer.status, answer.body], [200, '']);
      assert.deepEqual(idsOf(await get(source.id)), [idOf(stays)]);
      const after = await get(target.id);
      assert.deepEqual([idOf(after.tiles[1]), after.tiles[1]?.['color']], [idOf(moves), 'red']);
      assert.deepEqual(placesOf(after), [
        { x: 0, y: 0, w: 12, h: 3 },
        { x: 6, y: 3, w: 6, h: 5 },
      ]);
    });
  }

  it('moves, and answers with the dashboard that it left to who prefers that', async () => {
    const [source, target] = [await create(text('a'), text('b')), await create()];
    const body = { tile: { id: idOf(source.tiles[0]) }, to_dashboard: target.id };
    const answer = await api.request('POST', `${source.id}/move_tile/`, body, REPRESENTATION);
    assert.equal(answer.headers.get('preference-applied'), 'return=representation');
    assert.deepEqual(bodies(answer.body as Dashboard), ['b']);
    assert.equal((await api.request('GET', `${source.id}/`)).headers.get('etag'), answer.headers.get('etag'));
  });

  it('does not move to where the same is shown, and takes the place of one that was taken off there', async () => {
    const source = await create({ insight: INSIGHT });
    const insight = insightOf(source);
    const target = await create({ insight });
    const move = { tile: { id: idOf(source.tiles[0]) }, to_dashboard: target.id };
    const refusal = await api.expectRefusal(400, 'POST', `${source.id}/move_tile/`, move);
    assert.equal(refusal.detail, 'Invalid request data for moving tile.');
    await api.expectSuccess('POST', `${target.id}/delete_tile/`, { tile_id: idOf(target.tiles[0]) });
    await api.expectSuccess('POST', `${source.id}/move_tile/`, move);
    assert.deepEqual(idsOf(await get(target.id)), idsOf(source));
  });

  it('is copied once: both dashboards show the same', async () => {
    const source = await create({ insight: INSIGHT, ...at(0, 0) }, { ...text('shared'), ...at(0, 5) });
    const target = await create({ ...text('there'), ...at(0, 0) });
    const copy = (index: number) => ({ fromDashboardId: source.id, tileId: idOf(source.tiles[index]) });
    await api.expectSuccess('POST', `${target.id}/copy_tile/`, copy(0));
    const after = await api.expectSuccess('POST', `${target.id}/copy_tile/`, copy(1));
    assert.deepEqual(bodies(after), ['there', undefined, 'shared']);
    assert.deepEqual(
      placesOf(after).map((place) => place?.y),
      [0, 5, 10],
    );
    const tell = async (index: number) =>
      (await api.expectRefusal(400, 'POST', `${target.id}/copy_tile/`, copy(index))).detail;
    assert.equal(await tell(0), 'This insight is already on the destination dashboard.');
    assert.equal(await tell(1), 'This text card is already on the destination dashboard.');
    assert.equal((await get(source.id)).tiles.length, 2);
  });

  for (const [layout, sm, xs] of [
    ['preserve', [at(0, 0, 4, 2), at(4, 0, 6, 5), at(0, 5, 6, 5)], [2, 5, 5]],
    ['two_column', [at(0, 0), at(6, 0), at(0, 5)], [5, 5, 5]],
    ['full_width', [at(0, 0, 12), at(0, 5, 12), at(0, 10, 12)], [5, 5, 5]],
  ] as const) {
    it(`is put in order: ${layout}`, async () => {
      const board = await create(text('1'), { ...text('2'), ...at(6, 8) }, { ...text('3'), ...at(6, 2, 4, 2) });
      const byBody = new Map(board.tiles.map((tile, index) => [bodies(board)[index], idOf(tile)]));
      const tile_order = [byBody.get('3'), byBody.get('1')];
      const after = await api.expectSuccess('POST', `${board.id}/reorder_tiles/`, { tile_order, layout });
      assert.deepEqual(bodies(after), ['3', '1', '2'], 'what is not named follows');
      assert.deepEqual(
        placesOf(after),
        sm.map(({ layouts }) => layouts.sm),
      );
      assert.deepEqual(
        placesOf(after, 'xs').map((place) => [place?.w, place?.h]),
        xs.map((h) => [1, h]),
      );
    });
  }

  it('is written, and written anew', async () => {
    const { id } = await create();
    const made = await api.expectSuccess<Body>('POST', `${id}/create_text_tile/`, {
      body: '# a',
      color: 'red',
      ...at(0, 0),
    });
    assert.deepEqual([(made['text'] as Body)['body'], made['color'], made['order']], ['# a', 'red', 0]);
    const change = { tile_id: made['id'], body: '# b', ...at(6, 0) };
    const changed = await api.expectSuccess<Body>('POST', `${id}/update_text_tile/`, change);
    assert.deepEqual([(changed['text'] as Body)['body'], changed['color'], changed['id']], ['# b', 'red', made['id']]);
    const only = await api.expectSuccess<Body>('POST', `${id}/update_text_tile/`, { tile_id: made['id'], color: null });
    assert.deepEqual([(only['text'] as Body)['body'], only['color'], only['layouts']], ['# b', null, change.layouts]);
  });

  it('that is written without a place goes to where nothing lies, in both grids', async () => {
    const xs = { x: 0, y: 2, w: 1, h: 4 };
    const { id } = await create({ ...text(), layouts: { ...at(0, 0, 8, 3).layouts, xs } });
    const write = (more: Body = {}) =>
      api.expectSuccess<Body>('POST', `${id}/create_text_tile/`, { body: 'b', ...more });
    const [first, second] = [await write(), await write({ layouts: null })];
    assert.deepEqual(first['layouts'], { sm: { x: 0, y: 3, w: 6, h: 5 }, xs: { x: 0, y: 6, w: 1, h: 5 } });
    assert.deepEqual(second['layouts'], { sm: { x: 0, y: 8, w: 6, h: 5 }, xs: { x: 0, y: 11, w: 1, h: 5 } });
    assert.deepEqual((await write({ layouts: {} }))['layouts'], {}, 'unless it is to have none');
  });

  it('leaves no gap when it is deleted', async () => {
    const board = await create(text('a'), { ...text('b'), ...at(0, 0) }, { ...text('c'), ...at(0, 5, 12) });
    assert.deepEqual(bodies(board), ['b', 'c', 'a']);
    const answer = await api.request('POST', `${board.id}/delete_tile/`, { tile_id: idOf(board.tiles[0]) });
    assert.deepEqual([answer.status, answer.body], [204, '']);
    const after = await get(board.id);
    assert.deepEqual(bodies(after), ['c', 'a']);
    assert.deepEqual(placesOf(after), [{ x: 0, y: 0, w: 12, h: 5 }, undefined]);
    await api.expectRefusal(404, 'POST', `${board.id}/delete_tile/`, { tile_id: idOf(board.tiles[0]) });
  });

  it('is in the log of each dashboard that it changes, once', async () => {
    const [source, target] = [await create(text('a'), text('b')), await create()];
    const tile = { id: idOf(source.tiles[0]) };
    await api.expectSuccess('POST', `${source.id}/move_tile/`, { tile, to_dashboard: target.id });
    const loggedUpdates = async ({ id }: Dashboard) => {
      const updates = (await api.activity(id)).filter(({ activity }) => activity === 'updated');
      return updates.map(({ user_id, detail }) => {
        const changes = detail['changes'] as Body[];
        return [user_id, detail['type'], ...changes.map(({ field, action }) => [field, action])];
      });
    };
    assert.deepEqual(await loggedUpdates(source), [[api.ours.userId, 'dashboard', ['tiles', 'deleted']]]);
    assert.deepEqual(await loggedUpdates(target), [[api.ours.userId, 'dashboard', ['tiles', 'created']]]);
  });

  it('never overlaps another, whatever is moved, ordered and deleted', async () => {
    const layouts = fc.record({
      x: fc.nat(9),
      y: fc.nat(6),
      w: fc.integer({ min: 1, max: 9 }),
      h: fc.integer({ min: 1, max: 4 }),
    });
    const step = fc.record({ action: fc.constantFrom('move', 'order', 'delete'), tile: fc.nat(20) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(layouts, { minLength: 3, maxLength: 6 }),
        fc.array(step, { minLength: 2, maxLength: 4 }),
        async (places, steps) => {
          const tidy = await create();
          const board = await create(...places.map((sm) => ({ ...text(), layouts: { sm, xs: { ...sm, w: 1 } } })));
          await api.expectSuccess('POST', `${board.id}/reorder_tiles/`, { tile_order: idsOf(board) });
          for (const { action, tile } of steps) await act(action, { board: board.id, to: tidy.id, tile });
          for (const { id } of [board, tidy]) assertTidy(await get(id));
        },
      ),
      { numRuns: 3 },
    );
  });

  async function act(action: string, { board, to, tile }: { board: number; to: number; tile: number }): Promise<void> {
    const ids = idsOf(await get(board));
    const id = ids[tile % ids.length];
    if (id === undefined) return;
    if (action === 'move') await api.expectSuccess('POST', `${board}/move_tile/`, { tile: { id }, to_dashboard: to });
    if (action === 'order') await api.expectSuccess('POST', `${board}/reorder_tiles/`, { tile_order: [id] });
    if (action === 'delete') await api.expectSuccess('POST', `${board}/delete_tile/`, { tile_id: id });
  }
});

function assertTidy(board: Dashboard): void {
  const laid = placesOf(board).filter((place): place is GridPosition => place !== undefined);
  assert.equal(laid.length, board.tiles.length);
  for (const [index, place] of laid.entries()) {
    assert(place.x + place.w <= 12);
    assert(!laid.slice(index + 1).some((other) => overlap(place, other)), JSON.stringify(laid));
  }
}
