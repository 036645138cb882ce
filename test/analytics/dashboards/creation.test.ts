import assert from 'node:assert/strict';
import { NewDashboardBody } from '../../../src/analytics/dashboards/schema.ts';
import { startDashboardsApi, type Body, type Dashboard, type DashboardsApi } from '../../support/api/dashboards-api.ts';

const TREND = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: '$pageview' }] };

const ORIGINAL = {
  name: 'Original',
  description: 'first',
  pinned: true,
  tags: ['a'],
  restriction_level: 37,
  filters: { date_from: '-7d' },
  variables: { v: { value: 1 } },
  breakdown_colors: [{ value: 'x' }],
  data_color_theme_id: 4,
  tiles: [
    { insight: { name: 'Views', query: TREND }, layouts: { sm: { x: 0, y: 0, w: 6, h: 5 } }, color: 'blue' },
    { text: { body: 'Words' }, layouts: { sm: { x: 6, y: 0, w: 6, h: 5 } } },
  ],
};

/** The content of each tile, and the ids of it. */
function contentsOf({ tiles }: Dashboard) {
  return tiles.map(({ insight, text }) => {
    const content = (insight ?? text) as Body;
    return { id: content['id'], says: content['name'] ?? content['body'] };
  });
}

function looks({ tiles }: Dashboard) {
  return tiles.map(({ layouts, color }) => ({ layouts, color }));
}

describe('a dashboard made of something', () => {
  let api: DashboardsApi;

  before(async () => {
    api = await startDashboardsApi();
  });
  after(() => api.stop());

  describe('a template', () => {
    for (const [name, called, tiles] of [
      ['DEFAULT_APP', 'Product analytics', 6],
      ['WEBSITE_TRAFFIC', 'Website traffic', 10],
    ] as const) {
      it(`${name} has tiles that all give results`, async () => {
        const made = await api.create({ use_template: name, description: 'mine', tags: ['mine'] });
        assert.deepEqual([made.name, made['creation_mode'], made.tiles.length], [called, 'template', tiles]);
        assert.notEqual(made['description'], 'mine');
        assert(made.tags.includes('mine'));
        const seen = await api.expectSuccess('GET', `${made.id}/`);
        for (const { insight, text, error } of seen.tiles) {
          assert.equal(error, undefined);
          assert(text !== null || Array.isArray((insight as Body)['result']));
          assert(text !== null || (insight as Body)['is_sample']);
        }
      });
    }

    it('is named in the description, and an unknown one refused', async () => {
      const { description } = NewDashboardBody.properties.use_template as { description?: string };
      assert.equal(description, 'The name of a built-in template: `DEFAULT_APP` or `WEBSITE_TRAFFIC`.');
      const { attr, detail } = await api.expectRefusal(400, 'POST', '', { use_template: 'x' });
      assert.deepEqual([attr, detail], ['use_template', 'Invalid template provided: x']);
    });

    it('keeps the name that it is given', async () => {
      const made = await api.create({ use_template: 'DEFAULT_APP', name: 'Mine' });
      assert.deepEqual([made.name, made['use_template'], made['use_dashboard']], ['Mine', 'DEFAULT_APP', null]);
      assert.equal((await api.create({ use_template: '' }))['creation_mode'], 'default');
    });

    it('goes with tiles that are given: no samples, named by their own place', async () => {
      const tiles = [{ insight: { name: 'Own', query: TREND } }];
      const made = await api.create({ use_template: 'DEFAULT_APP', tiles });
      const samples = made.tiles.map(({ insight }) => (insight as Body)['is_sample']);
      assert.deepEqual([samples.length, samples.filter((isSample) => !isSample).length], [7, 1]);
      const wrong = { use_template: 'DEFAULT_APP', tiles: [{ insight: { query: 'x' } }] };
      assert.equal((await api.expectRefusal(400, 'POST', '', wrong)).attr, 'tiles__0__insight__query');
    });
  });

  describe('another dashboard', () => {
    it('has its tiles, filters and colours, and nothing that is the original’s own', async () => {
      const original = await api.create(ORIGINAL);
      const copy = await api.create({ use_dashboard: original.id, name: 'Copy' });
      assert.deepEqual([copy['use_dashboard'], copy['use_template']], [original.id, '']);
      const expected = {
        name: 'Copy',
        description: '',
        pinned: false,
        tags: [],
        restriction_level: 21,
        creation_mode: 'duplicate',
        filters: original['filters'],
        variables: original['variables'],
        breakdown_colors: original['breakdown_colors'],
        data_color_theme_id: 4,
      };
      assert.deepEqual({ ...copy, ...expected }, copy);
      assert.deepEqual(contentsOf(copy), contentsOf(original), 'the same insight and text');
      assert.deepEqual(looks(copy), looks(original));
      const other = await api.create({ use_dashboard: original.id, filters: { date_from: '-1d' } });
      assert.deepEqual([other.name, other['filters']], [null, { date_from: '-1d' }]);
    });

    it('has copies of insights and texts of its own, if that is wished', async () => {
      const original = await api.create(ORIGINAL);
      const copy = await api.create({ use_dashboard: original.id, duplicate_tiles: true });
      assert.deepEqual(
        contentsOf(copy).map(({ says }) => says),
        ['Views (Copy)', 'Words'],
      );
      const ids = new Set([...contentsOf(original), ...contentsOf(copy)].map(({ id }) => id));
      assert.equal(ids.size, 4);
    });
  });

  describe('a template that comes along', () => {
    const template = {
      template_name: 'Brought',
      dashboard_description: 'Along',
      dashboard_filters: { date_from: '-3d' },
      tags: ['T'],
      tiles: [
        { type: 'INSIGHT', name: 'Views', query: TREND, layouts: { sm: { x: 0, y: 0, w: 6, h: 5 } }, color: 'red' },
        { type: 'TEXT', body: 'Words', layouts: { sm: { x: 6, y: 0, w: 6, h: 5 } } },
      ],
    };
    const PATH = 'create_from_template_json/';

    it('needs a logged-in user', async () => {
      for (const path of [PATH, 'create_unlisted_dashboard/']) {
        await api.expectRefusal(401, 'POST', path, { template }, { key: '' });
        const refusal = await api.expectRefusal(403, 'POST', path, { template });
        assert.equal(refusal.detail, 'This action does not support personal API key access');
      }
    });

    it('is made whole', async () => {
      const { status, body } = await api.request('POST', PATH, { template }, await api.login());
      const made = body as Dashboard;
      assert.equal(status, 200);
      const { name, description, filters, tags, creation_mode } = made;
      assert.deepEqual(
        { name, description, filters, tags, creation_mode },
        {
          name: 'Brought',
          description: 'Along',
          filters: { date_from: '-3d' },
          tags: ['t'],
          creation_mode: 'template',
        },
      );
      assert.deepEqual(
        contentsOf(made).map(({ says }) => says),
        ['Views', 'Words'],
      );
    });

    for (const [wrong, attr] of [
      [{}, 'template'],
      [{ template: {} }, 'template__tiles'],
      [{ template: { tiles: [{ type: 'PIE' }] } }, 'template__tiles__0__type'],
      [{ template: { tiles: [{ type: 'INSIGHT' }] } }, 'template__tiles__0__query'],
      [{ template: { tiles: [{ type: 'INSIGHT', query: { kind: 'X' } }] } }, 'tiles__0__insight__query'],
    ] as const) {
      it(`is refused as ${JSON.stringify(wrong)}`, async () => {
        const { count } = await api.expectSuccess<{ count: number }>('GET', '');
        const refusal = await api.expectRefusal(400, 'POST', PATH, wrong, await api.login());
        assert.equal(refusal.attr, attr);
        assert.equal((await api.expectSuccess<{ count: number }>('GET', '')).count, count);
      });
    }
  });

  it('that no list shows: one for each tag', async () => {
    const PATH = 'create_unlisted_dashboard/';
    const session = await api.login();
    const { status, body } = await api.request('POST', PATH, { tag: ' LLM ' }, session);
    const made = body as Dashboard;
    assert.deepEqual([status, made.tags, made['creation_mode'], made.tiles], [201, ['llm'], 'unlisted', []]);
    assert.equal((await api.expectRefusal(409, 'POST', PATH, { tag: 'llm' }, session)).code, 'conflict');
    for (const wrong of [{}, { tag: ' ' }, { tag: 7 }]) {
      assert.equal((await api.expectRefusal(400, 'POST', PATH, wrong, session)).attr, 'tag');
    }
    await api.expectSuccess('PATCH', `${made.id}/`, { deleted: true });
    await api.expectSuccess('POST', PATH, { tag: 'llm' }, session);
    const website = await api.expectSuccess('POST', PATH, { tag: 'website' }, session);
    assert.deepEqual([website.tags, website.tiles.length], [['website'], 10]);
  });
});
