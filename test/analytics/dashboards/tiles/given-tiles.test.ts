/** Tiles as dashboards bring them, and as they are shown. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  startDashboardsApi,
  type Body,
  type Dashboard,
  type DashboardsApi,
} from '../../../support/api/dashboards-api.ts';

const QUERY = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: '$pageview' }] };
const INSIGHT = { name: 'Views', query: QUERY };
const BUTTON = { url: 'https://example.com/a?b#c', text: 'Go' };
const sm = (x: number, y: number, w = 6, h = 5) => ({ layouts: { sm: { x, y, w, h } } });
const text = (body: string) => ({ text: { body } });
const LONG = 'x'.repeat(4001);
const NOTHING = 'A new tile needs a `text`, a `button_tile` or an `insight`.';
const FORM = 'Give a position for each grid: {"layouts": {"sm": {"x", "y", "w", "h"}}}.';

const bodies = ({ tiles }: Dashboard) => tiles.map(({ text }) => (text as Body | null)?.['body']);
const contentOf = (tile: Body | undefined, kind: string) => tile?.[kind] as Body & { id: number };
const idOf = (tile: Body | undefined) => tile?.['id'] as number;
const required = (attr: string) => [attr, 'This field is required.'] as const;

describe('the tiles of a dashboard', () => {
  let api: DashboardsApi;

  before(async () => {
    api = await startDashboardsApi();
  });
  after(() => api.stop());

  const create = (...tiles: Body[]) => api.create({ tiles });
  const patch = (id: number, ...tiles: Body[]) => api.expectSuccess('PATCH', `${id}/`, { tiles });
  const get = (id: number, options = {}) => api.expectSuccess('GET', `${id}/?refresh=force_cache`, undefined, options);
  const newInsight = () => api.expectSuccess<Body & { id: number }>('POST', insights(), INSIGHT);
  const insights = (id = '') => `/api/projects/${api.ours.projectId}/insights/${id}`;

  describe('are restricted', () => {
    it('a key needs `insight:write` to bring new insights, not to show one or to write', async () => {
      const key = await api.keyWith('dashboard:write');
      const { id } = await newInsight();
      const refusal = await api.expectRefusal(403, 'POST', '', { tiles: [{ insight: INSIGHT }] }, { key });
      assert.equal(refusal.detail, "API key missing required scope 'insight:write'");
      const made = await api.create({ tiles: [{ insight: id }, { text: { body: 'a' } }] }, { key });
      assert.equal(made.tiles.length, 2);
      assert.equal((await api.create({ use_template: 'DEFAULT_APP' }, { key })).tiles.length, 6);
    });

    it('an insight is cut down to its name for those who may not see it, and they cannot show or copy it', async () => {
      const { tiles, id } = await create({ insight: INSIGHT });
      const insight = contentOf(tiles[0], 'insight');
      const outsider = await api.join();
      await hide(insight.id, outsider.membershipId);
      const seen = await get(id, outsider);
      const { short_id } = insight;
      assert.deepEqual(seen.tiles[0]?.['insight'], { id: insight.id, short_id, user_access_level: 'none' });
      const refusal = await api.expectRefusal(403, 'POST', '', { tiles: [{ insight: insight.id }] }, outsider);
      assert.equal(refusal.detail, "You don't have permission to view this insight.");
      for (const duplicate_tiles of [false, true]) {
        assert.deepEqual((await api.create({ use_dashboard: id, duplicate_tiles }, outsider)).tiles, []);
      }
      const tile = { id: idOf(tiles[0]) };
      const patch = (body: Body) => api.expectRefusal(403, 'PATCH', `${id}/`, body, outsider);
      assert.equal((await patch({ duplicate_tiles: [tile] })).detail, refusal.detail);
      await api.expectSuccess('PATCH', `${id}/`, { tiles: [{ ...tile, deleted: true }] }, outsider);
      assert.equal((await patch({ tiles: [{ ...tile, deleted: false }] })).detail, refusal.detail);
    });

    it('insights are made by copying only by who may make insights, with a key for it', async () => {
      const { tiles, id } = await create({ insight: INSIGHT });
      const viewer = await api.join();
      await api.sluice.db('access_controls').insert({
        id: randomUUID(),
        project_id: api.ours.projectId,
        resource: 'insight',
        access_level: 'viewer',
        membership_id: viewer.membershipId,
      });
      const narrow = { key: await api.keyWith('dashboard:write') };
      for (const [by, detail] of [
        [viewer, 'You do not have editor access to this resource.'],
        [narrow, "API key missing required scope 'insight:write'"],
      ] as const) {
        const copied = await api.expectRefusal(403, 'POST', '', { use_dashboard: id, duplicate_tiles: true }, by);
        const doubled = await api.expectRefusal(
          403,
          'PATCH',
          `${id}/`,
          { duplicate_tiles: [{ id: idOf(tiles[0]) }] },
          by,
        );
        assert.deepEqual([copied.detail, doubled.detail], [detail, detail]);
        assert.equal((await api.create({ use_dashboard: id }, by)).tiles.length, 1, 'what is there is shown');
      }
      const { detail } = await api.expectRefusal(
        403,
        'PATCH',
        `${id}/`,
        { deleted: true, delete_insights: true },
        narrow,
      );
      assert.equal(detail, "API key missing required scope 'insight:write'");
      assert.equal((await get(id)).tiles.length, 1);
    });

    it('a text that a dashboard shares is not changed there by those who may only read that dashboard', async () => {
      const { id } = await create({ text: { body: 'ours' } });
      const reader = await api.join();
      await api.rule(id, 'viewer', reader.membershipId);
      const copy = await api.create({ use_dashboard: id }, reader);
      const text = contentOf(copy.tiles[0], 'text');
      await api.expectSuccess(
        'PATCH',
        `${copy.id}/`,
        { tiles: [{ id: idOf(copy.tiles[0]), text: { body: 'mine' } }] },
        reader,
      );
      assert.deepEqual([bodies(await get(id)), bodies(await get(copy.id))], [['ours'], ['mine']]);
      await api.expectSuccess('PATCH', `${id}/`, { tiles: [{ text: { id: text.id, body: 'ours still' } }] });
      assert.deepEqual([bodies(await get(id)), bodies(await get(copy.id))], [['ours still'], ['mine']]);
    });

    it('nor while that dashboard is deleted', async () => {
      const { id } = await create({ text: { body: 'ours' } });
      const reader = await api.join();
      await api.rule(id, 'viewer', reader.membershipId);
      const copy = await api.create({ use_dashboard: id }, reader);
      await api.expectSuccess('PATCH', `${id}/`, { deleted: true });
      await api.expectSuccess(
        'PATCH',
        `${copy.id}/`,
        { tiles: [{ id: idOf(copy.tiles[0]), text: { body: 'mine' } }] },
        reader,
      );
      assert.deepEqual(bodies(await api.expectSuccess('PATCH', `${id}/`, { deleted: false })), ['ours']);
    });

    it('a button neither', async () => {
      const { id } = await create({ button_tile: BUTTON });
      const reader = await api.join();
      await api.rule(id, 'viewer', reader.membershipId);
      const copy = await api.create({ use_dashboard: id }, reader);
      const change = { id: idOf(copy.tiles[0]), button_tile: { url: '/elsewhere' } };
      const changed = await api.expectSuccess('PATCH', `${copy.id}/`, { tiles: [change] }, reader);
      assert.equal(contentOf(changed.tiles[0], 'button_tile')['url'], '/elsewhere');
      assert.equal(contentOf((await get(id)).tiles[0], 'button_tile')['url'], BUTTON.url);
    });

    it('texts and buttons name no dashboard that is hidden from the reader', async () => {
      const { id } = await create({ text: { body: 'a' } }, { button_tile: BUTTON });
      const copy = await api.create({ use_dashboard: id });
      const outsider = await api.join();
      await api.rule(id, 'none', outsider.membershipId);
      const named = async (person = {}) =>
        (await get(copy.id, person)).tiles.map((tile) => {
          const content = contentOf(tile, tile['text'] ? 'text' : 'button_tile');
          return (content['dashboard_tiles'] as { dashboard_id: number }[]).map((place) => place.dashboard_id);
        });
      assert.deepEqual(await named(outsider), [[copy.id], [copy.id]]);
      assert.deepEqual(await named(), [
        [id, copy.id],
        [id, copy.id],
      ]);
    });

    it('a tile of another dashboard is never touched by its id', async () => {
      const other = await create({ text: { body: 'theirs' }, ...sm(0, 0) });
      const foreign = idOf(other.tiles[0]);
      const { id } = await create();
      const passedOver = [{ color: 'red' }, { deleted: true }, { insight: INSIGHT }, { ...text('x'), deleted: true }];
      await patch(id, ...passedOver.map((tile) => ({ id: foreign, ...tile })));
      const { rowCount } = await api.sluice.pool.query('select from dashboard_tiles where dashboard_id = $1', [id]);
      assert.equal(rowCount, 0);
      const { tiles } = await patch(id, { id: foreign, text: { body: 'ours' } });
      assert.notEqual(idOf(tiles[0]), foreign);
      const after = await get(other.id);
      assert.deepEqual([bodies(after), after.tiles[0]?.['color']], [['theirs'], null]);
    });
  });

  describe('refuse', () => {
    for (const [what, tile, [attr, detail]] of [
      ['a text that is too long', { text: { body: LONG } }, ['text__body', 'Text body cannot exceed 4000 characters']],
      ['a text without a body', { text: {} }, required('text__body')],
      ['an unknown text', { text: { id: 999_999, body: '' } }, ['text', 'Text tile not found in this team.']],
      [
        'an unknown author',
        { text: { body: '', created_by: { id: 999_999 } } },
        ['text', 'User not found in this organization.'],
      ],
      ['a button to nowhere', { button_tile: { text: 'Go' } }, required('tiles__1__button_tile__url')],
      ['a button without a text', { button_tile: { url: '/a' } }, required('tiles__1__button_tile__text')],
      ...['javascript:alert(1)', 'ftp://example.com', 'example.com', 'https://', 'https://a b', ''].map((url) => {
        const detail = 'Must be a valid URL or a pathname starting with /';
        return [
          `a button to ${url || 'nothing'}`,
          { button_tile: { ...BUTTON, url } },
          ['tiles__1__button_tile__url', detail],
        ] as const;
      }),
      ...['//example.com', '/\\example.com', '/a b', '/<'].map((url) => {
        const detail = 'Pathname must start with / and contain valid URL path characters';
        return [
          `a button to ${url}`,
          { button_tile: { ...BUTTON, url } },
          ['tiles__1__button_tile__url', detail],
        ] as const;
      }),
      [
        'a button with a long address',
        { button_tile: { ...BUTTON, url: `/${'x'.repeat(2000)}` } },
        ['tiles__1__button_tile__url', 'Button URL cannot exceed 2000 characters'],
      ],
      [
        'a button with a long text',
        { button_tile: { ...BUTTON, text: 'x'.repeat(201) } },
        ['tiles__1__button_tile__text', 'Button text cannot exceed 200 characters'],
      ],
      [
        'a button in the middle',
        { button_tile: { ...BUTTON, placement: 'middle' } },
        ['tiles__1__button_tile__placement', '"middle" is not a valid choice.'],
      ],
      [
        'an unknown insight',
        { insight: 999_999 },
        ['tiles__1__insight', 'Invalid pk "999999" - object does not exist.'],
      ],
      ['a nameless insight', { insight: 'x' }, ['tiles__1__insight', 'Invalid pk "x" - object does not exist.']],
      [
        'an insight that asks nothing',
        { insight: { query: 7 } },
        ['tiles__1__insight__query', 'Query must be a valid JSON object'],
      ],
      ...[{ body: 'a' }, { id: 1, ...sm(0, 0) }, { text: null, insight: null }].map(
        (tile) => [`nothing: ${JSON.stringify(tile)}`, tile, ['tiles__1', NOTHING]] as const,
      ),
      ...[{ toString: 1 }, [], null].map(
        (id) =>
          [
            `an insight whose id is ${JSON.stringify(id)}`,
            { insight: { id } },
            ['tiles__1__insight', 'Incorrect type. Expected pk value.'],
          ] as const,
      ),
      ['an insight by no id', { insight: 0 }, ['tiles__1__insight', 'Invalid pk "0" - object does not exist.']],
      ...[{ name: 'a' }, { query: null }, { filters: {} }].map(
        (insight) =>
          [
            `an insight without a query: ${JSON.stringify(insight)}`,
            { insight },
            required('tiles__1__insight__query'),
          ] as const,
      ),
      ['a place in no grid', { ...text('b'), layouts: sm(0, 0).layouts.sm }, ['tiles__1__layouts', FORM]],
      ['a misspelt place', { ...text('b'), layout: sm(0, 0).layouts }, ['tiles__1__layout', FORM]],
      [
        'layouts that are none',
        { ...sm(0, 0), layouts: [] },
        ['tiles__1__layouts__non_field_errors', 'Invalid data. Expected a dictionary, but got list.'],
      ],
    ] as const) {
      it(`${what}, and make nothing`, async () => {
        const name = `refused ${what}`;
        const refusal = await api.expectRefusal(400, 'POST', '', { name, tiles: [{ text: { body: 'a' } }, tile] });
        const which = attr.startsWith('tiles__') ? '' : ' (tiles__1)';
        assert.deepEqual([refusal.attr, refusal.detail], [attr, `${detail}${which}`]);
        const { rowCount } = await api.sluice.pool.query('select from dashboards where name = $1', [name]);
        assert.equal(rowCount, 0);
      });
    }

    it('a change that names no tile and adds nothing, or loses a place, also of a copy', async () => {
      const { id, tiles } = await create(text('a'));
      const tell = async (body: Body) => {
        const { attr, detail } = await api.expectRefusal(400, 'PATCH', `${id}/`, body);
        return [attr, detail];
      };
      const place = { x: 0, y: 9 };
      const tile = idOf(tiles[0]);
      assert.deepEqual(await tell({ tiles: [{ color: 'red' }] }), ['tiles__0', NOTHING]);
      assert.deepEqual(await tell({ tiles: [{ id: tile, layouts: place }] }), ['tiles__0__layouts', FORM]);
      const copies = { duplicate_tiles: [{ id: tile, layouts: place }] };
      assert.deepEqual(await tell(copies), ['duplicate_tiles__0__layouts', FORM]);
      assert.deepEqual(await get(id).then((after) => after.tiles), tiles);
    });

    it('another content than a tile has', async () => {
      const { id, tiles } = await create({ insight: INSIGHT, ...sm(0, 0) }, { text: { body: 'a' } });
      const [insight, text] = tiles.map(idOf);
      const tell = async (tile: Body) => (await api.expectRefusal(400, 'PATCH', `${id}/`, { tiles: [tile] })).detail;
      assert.equal(await tell({ id: insight, text: { body: 'b' } }), 'Tile is not a text tile.');
      assert.equal(await tell({ id: text, button_tile: BUTTON }), 'Tile is not a button tile.');
    });

    it('a text of another dashboard', async () => {
      const { tiles } = await create({ text: { body: 'a' } });
      const { id } = await create();
      const text = { id: contentOf(tiles[0], 'text').id, body: 'b' };
      const refusal = await api.expectRefusal(400, 'PATCH', `${id}/`, { tiles: [{ text }] });
      assert.equal(refusal.detail, 'Text tile not found.');
    });

    it('to duplicate what is not there', async () => {
      const { id } = await create();
      const refusal = await api.expectRefusal(400, 'PATCH', `${id}/`, { duplicate_tiles: [{ id: 999_999 }] });
      assert.equal(refusal.attr, 'duplicate_tiles');
    });
  });

  it('come all at once with a new dashboard: new and known insights, texts and buttons', async () => {
    const known = await newInsight();
    const { id, tiles } = await create(
      { insight: INSIGHT, ...sm(6, 0), color: 'blue', show_description: true },
      { insight: known.id, ...sm(0, 5), filters_overrides: { date_from: '-1d' } },
      { text: { body: '# Hello' }, ...sm(0, 0), transparent_background: true },
      { button_tile: { ...BUTTON, placement: 'right' } },
    );
    assert.deepEqual(
      tiles.map(({ order }) => order),
      [0, 1, 2, 3],
    );
    const [text, made, shown, button] = tiles;
    assert.deepEqual(
      tiles.map((tile) => ['insight', 'text', 'button_tile', 'widget'].filter((kind) => tile[kind] !== null)),
      [['text'], ['insight'], ['insight'], ['button_tile']],
    );
    const { body, created_by, last_modified_by, team, dashboard_tiles } = contentOf(text, 'text');
    assert.deepEqual([body, (created_by as Body)['id'], last_modified_by], ['# Hello', api.ours.userId, null]);
    assert.deepEqual(
      [team, dashboard_tiles],
      [api.ours.projectId, [{ id: idOf(text), dashboard_id: id, deleted: false }]],
    );
    assert.deepEqual(
      [contentOf(made, 'insight')['name'], made?.['color'], made?.['show_description']],
      ['Views', 'blue', true],
    );
    assert.deepEqual(contentOf(made, 'insight')['dashboards'], [id]);
    assert.equal(contentOf(shown, 'insight').id, known.id);
    assert.deepEqual(shown?.['filters_overrides'], { date_from: '-1d' });
    const { url, text: label, placement, style } = contentOf(button, 'button_tile');
    assert.deepEqual([url, label, placement, style], [BUTTON.url, 'Go', 'right', 'primary']);
    assert.deepEqual([text?.['transparent_background'], button?.['layouts']], [true, {}]);
    assert.deepEqual((await get(id)).tiles.map(idOf), tiles.map(idOf));
  });

  it('may be whole ones of another dashboard: their ids are passed over there', async () => {
    const { tiles } = await create({ insight: INSIGHT, ...sm(3, 3) });
    const { tiles: again } = await create(...tiles);
    assert.equal(contentOf(again[0], 'insight').id, contentOf(tiles[0], 'insight').id);
    assert.notEqual(idOf(again[0]), idOf(tiles[0]));
  });

  it('keep places as they came, even those wider than the grid', async () => {
    const layouts = { sm: { x: 20, y: 0, w: 50, h: 2, minW: 3 }, lg: { x: 0 }, x: 1 };
    const { tiles } = await create({ ...text('a'), layouts, unheard: true });
    assert.deepEqual(tiles[0]?.['layouts'], layouts);
  });

  it('show an insight as its own address shows it, to every caller', async () => {
    const { id, tiles } = await api.create({ restriction_level: 37, tiles: [{ insight: INSIGHT }] });
    const member = await api.join();
    const path = insights(`${contentOf(tiles[0], 'insight').id}/?refresh=force_cache`);
    for (const options of [{}, member]) {
      const [tile] = (await get(id, options)).tiles;
      assert.deepEqual(tile?.['insight'], await api.expectSuccess('GET', path, undefined, options));
    }
  });

  it('show what their insights give, or why they give nothing', async () => {
    const { id } = await create({ insight: INSIGHT });
    const { tiles } = await api.expectSuccess('GET', `${id}/`);
    assert.equal(typeof tiles[0]?.['last_refresh'], 'string');
    assert(Array.isArray(contentOf(tiles[0], 'insight')['result']));
    assert.equal('error' in tiles[0]!, false);
    await api.sluice
      .db('insights')
      .where({ id: contentOf(tiles[0], 'insight').id })
      .update({ query: { kind: 'Old' } });
    const [broken] = (await api.expectSuccess('GET', `${id}/`)).tiles;
    assert.equal((broken!['error'] as Body)['type'], 'validation_error');
  });

  it('are changed one by one, and those that are left out stay', async () => {
    const { id, tiles } = await create({ text: { body: 'a' }, ...sm(0, 0) }, { insight: INSIGHT, ...sm(6, 0) });
    const [text, insight] = tiles;
    const moved = await patch(id, { ...insight, ...sm(0, 9) });
    assert.deepEqual(moved.tiles[1]?.['layouts'], sm(0, 9).layouts);
    assert.deepEqual(moved.tiles[0], text);
    const changed = await patch(id, { ...text, text: { ...contentOf(text, 'text'), body: 'b' }, color: null });
    assert.deepEqual(bodies(changed), ['b', undefined]);
    assert.equal((contentOf(changed.tiles[0], 'text')['last_modified_by'] as Body)['id'], api.ours.userId);
    const added = await patch(id, { insight: { name: 'More', query: QUERY }, ...sm(0, 20) });
    assert.equal(added.tiles.length, 3);
    const less = await patch(id, { id: idOf(text), deleted: true });
    assert.deepEqual(
      less.tiles.map(({ order }) => order),
      [0, 1],
    );
    const again = await patch(id, { id: idOf(text), deleted: false });
    assert.deepEqual(idOf(again.tiles[0]), idOf(text));
  });

  it('remember the author of a text when another user saves it', async () => {
    const [writer, editor] = [await api.join(), await api.join()];
    const { id, tiles } = await api.create({ tiles: [{ text: { body: 'a' } }] }, writer);
    const text = { ...contentOf(tiles[0], 'text'), body: 'b' };
    const { tiles: after } = await api.expectSuccess('PATCH', `${id}/`, { tiles: [{ ...tiles[0], text }] }, editor);
    const { created_by, last_modified_by } = contentOf(after[0], 'text');
    assert.deepEqual([(created_by as Body)['id'], (last_modified_by as Body)['id']], [writer.userId, editor.userId]);
    await api.sluice.db('organization_memberships').where({ id: writer.membershipId }).delete();
    assert.equal((await patch(id, { ...after[0], color: 'red' })).tiles[0]?.['color'], 'red', 'though they have left');
  });

  it('show an insight once: what was taken off comes back where it was', async () => {
    const insight = (await newInsight()).id;
    const { id, tiles } = await create({ insight, ...sm(3, 3) });
    await patch(id, { id: idOf(tiles[0]), deleted: true });
    const back = await patch(id, { insight }, { insight, color: 'red' });
    assert.deepEqual(
      back.tiles.map((tile) => [idOf(tile), tile['layouts'], tile['color']]),
      [[idOf(tiles[0]), sm(3, 3).layouts, 'red']],
    );
  });

  it('hide with a deleted insight, and come back with it', async () => {
    const { id, tiles } = await create({ insight: INSIGHT }, { text: { body: 'stays' } });
    const insight = insights(`${contentOf(tiles[0], 'insight').id}/`);
    await api.expectSuccess('PATCH', insight, { deleted: true });
    assert.deepEqual(bodies(await get(id)), ['stays']);
    await api.expectSuccess('PATCH', insight, { deleted: false });
    assert.equal((await get(id)).tiles.length, 2);
  });

  it('go with their dashboard, and come back with it', async () => {
    const { id, tiles } = await create({ insight: INSIGHT, ...sm(0, 0) }, { text: { body: 'a' } });
    const insight = insights(`${contentOf(tiles[0], 'insight').id}/`);
    assert.deepEqual((await api.expectSuccess('PATCH', `${id}/`, { deleted: true, delete_insights: true })).tiles, []);
    await api.expectRefusal(404, 'GET', insight);
    const back = await api.expectSuccess('PATCH', `${id}/`, { deleted: false });
    assert.deepEqual(back.tiles.map(idOf), tiles.map(idOf));
    await api.expectSuccess('GET', insight);
  });

  for (const deep of [false, true]) {
    it(`are ${deep ? 'copied' : 'shared'} by a copy of their dashboard`, async () => {
      const given = [
        { insight: INSIGHT, ...sm(0, 0) },
        { text: { body: 'a' }, ...sm(0, 5) },
        { button_tile: BUTTON, ...sm(0, 9) },
      ];
      const { id, tiles } = await create(...given);
      const copy = await api.create({ use_dashboard: id, duplicate_tiles: deep });
      const kinds = ['insight', 'text', 'button_tile'];
      const same = kinds.map(
        (kind, index) => contentOf(tiles[index], kind).id === contentOf(copy.tiles[index], kind).id,
      );
      assert.deepEqual(same, [!deep, !deep, !deep]);
      assert.equal(contentOf(copy.tiles[0], 'insight')['name'], deep ? 'Views (Copy)' : 'Views');
      assert.deepEqual(
        copy.tiles.map(({ layouts }) => layouts),
        given.map(({ layouts }) => layouts),
      );
    });
  }

  it('are duplicated on their own dashboard, below what is in the way', async () => {
    const { id, tiles } = await create({ text: { body: 'a' }, ...sm(0, 0) }, { insight: INSIGHT, ...sm(6, 0) });
    const body = {
      duplicate_tiles: [{ id: idOf(tiles[0]) }, { id: idOf(tiles[1]), layouts: { sm: { x: 6, y: 9, w: 6, h: 5 } } }],
    };
    const after = await api.expectSuccess('PATCH', `${id}/`, body);
    assert.deepEqual(
      after.tiles.map(({ layouts }) => layouts),
      [sm(0, 0), sm(6, 0), sm(0, 5), sm(6, 9)].map(({ layouts }) => layouts),
    );
    assert.deepEqual(bodies(after), ['a', undefined, 'a', undefined]);
    assert.equal(new Set(after.tiles.map((tile) => contentOf(tile, 'text')?.id ?? 0)).size, 3);
  });

  it('are in the log of their dashboard, with what differs, and raise its version', async () => {
    const { id, tiles } = await create({ text: { body: 'a' } });
    const before = await etagOf(id);
    await patch(id, { id: idOf(tiles[0]), text: { body: 'b' } });
    await patch(id, { id: idOf(tiles[0]), text: { body: 'b' } });
    const entries = (await api.activity(id)).filter(({ activity }) => activity === 'updated');
    assert.equal(entries.length, 1, 'nothing is told where nothing changes');
    const [change] = entries[0]!.detail['changes'] as { field: string; action: string; before: Body; after: Body }[];
    assert.deepEqual([change?.field, change?.action], ['tiles', 'changed']);
    assert.deepEqual([change?.before['text'], change?.after['text']], ['a', 'b']);
    assert.equal(await etagOf(id), before + 1);
  });

  async function etagOf(id: number): Promise<number> {
    const { headers } = await api.request('GET', `${id}/`);
    return Number(headers.get('etag')?.replaceAll('"', ''));
  }

  async function hide(insightId: number, membershipId: string): Promise<void> {
    const path = insights(`${insightId}/access_controls/`);
    await api.expectSuccess('PUT', path, { access_level: 'none', organization_member: membershipId });
  }
});
