import assert from 'node:assert/strict';
import { createFlag, changeFlag } from '../../../src/flags/feature-flags.ts';
import { buildPersonalKey } from '../../support/api/identity.ts';
import { startSurveysApi, type SurveysApi } from '../../support/api/surveys-api.ts';

type Feature = {
  id: string;
  stage: string;
  feature_flag: { id: number; key: string; version: number; filters: Record<string, unknown> };
};
type Published = { earlyAccessFeatures: Record<string, unknown>[] };

const PATH = '/early_access_feature/';
const PUBLIC = '/api/early_access_features/';
const RELEASED = ['alpha', 'beta', 'general-availability'];
const STAGES = ['draft', 'concept', ...RELEASED, 'archived'];

describe('early access features', () => {
  let world: SurveysApi;
  let names = 0;

  before(async () => {
    world = await startSurveysApi();
  });
  after(() => world.close());

  const project = () => ({ id: world.ours.projectId, organizationId: world.ours.organizationId, name: '' });
  const author = () => ({ userId: world.ours.userId, keyId: null });
  const buildFlag = (filters: Record<string, unknown> = {}) =>
    world.stores.inTransaction(world.ours.projectId, (stores) =>
      createFlag(stores, project(), author(), {
        key: `linked-${++names}`,
        filters: { groups: [{ properties: [], rollout_percentage: 0 }], ...filters },
      }),
    );
  const build = (body: Record<string, unknown> = {}) =>
    world.done<Feature>('POST', PATH, { name: `Feature ${++names}`, stage: 'beta', ...body });

  it('are for those who may read and write them', async () => {
    const { db, api, ours, theirs } = world;
    const { id } = await build();
    const reader = await buildPersonalKey(db, ours, 'early_access_feature:read');
    const stranger = await buildPersonalKey(db, theirs, '*');
    const body = { name: 'any', stage: 'beta' };
    for (const [method, path] of [
      ['GET', PATH],
      ['GET', `${PATH}${id}/`],
      ['POST', PATH],
      ['PATCH', `${PATH}${id}/`],
      ['DELETE', `${PATH}${id}/`],
    ] as const) {
      const send = async (key?: string) => {
        const sent = method === 'GET' ? {} : { body };
        return (await api.request(method, `/api/projects/${ours.projectId}${path}`, { ...sent, ...(key && { key }) }))
          .status;
      };
      assert.deepEqual([method, await send(), await send(stranger)], [method, 401, 403]);
      assert.equal(await send(reader), method === 'GET' ? 200 : 403, method);
      const foreign = `/api/projects/${theirs.projectId}${path}`;
      const across = await api.request(method, foreign, { key: stranger, ...(method !== 'GET' && { body }) });
      assert.equal(across.status, path === PATH ? (method === 'GET' ? 200 : 201) : 404, `${method} across projects`);
    }
  });

  it('have a payload that is only so long: every page gets it', async () => {
    const { id } = await build({ payload: { a: 'a'.repeat(19_000) } });
    const payload = { a: 'a'.repeat(20_000) };
    for (const [method, path, body] of [
      ['POST', PATH, { name: 'large', stage: 'beta', payload }],
      ['PATCH', `${PATH}${id}/`, { payload }],
    ] as const) {
      const refusal = await world.refused(method, path, body);
      assert.deepEqual([refusal.attr, refusal.code], ['payload', 'max_length']);
    }
  });

  it('say which field is wrong', async () => {
    const multivariate = { variants: [{ key: 'a', rollout_percentage: 100 }] };
    const taken = (await build()).feature_flag.id;
    for (const [body, attr, detail] of [
      [{ name: '' }, 'name', /blank/],
      [{ stage: 'soon' }, 'stage', /valid choice/],
      [{ documentation_url: 'javascript:alert(1)' }, 'documentation_url', /pattern/],
      [{ payload: [] }, 'payload', /./],
      [{ feature_flag_id: 2_000_000_000 }, 'feature_flag_id', /does not exist/],
      [{ feature_flag_id: taken }, 'feature_flag_id', /already has a feature/],
      [{ feature_flag_id: (await buildFlag({ multivariate })).id }, 'feature_flag_id', /Multivariate/],
      [
        { feature_flag_id: (await buildFlag({ aggregation_group_type_index: 0 })).id },
        'feature_flag_id',
        /Group-based/,
      ],
    ] as const) {
      const refusal = await world.refused('POST', PATH, { name: 'wrong', stage: 'beta', ...body });
      assert.match(
        `${refusal.attr}: ${refusal.detail}`,
        new RegExp(`^${attr}.*: .*${detail.source}`),
        JSON.stringify(body),
      );
    }
    await build({ name: 'Twice' });
    assert.equal((await world.refused('POST', PATH, { name: 'twice', stage: 'draft' })).attr, 'name');
  });

  it('make a flag that matches nobody, with a key made from their name', async () => {
    const { feature_flag: flag } = await build({ name: 'Dark Mode: Öl & more', stage: 'draft' });
    assert.equal(flag.key, 'dark-mode-ol-more');
    assert.deepEqual(flag.filters['groups'], [{ properties: [], rollout_percentage: 0 }]);
    const nameless = await build({ name: '暗い' });
    assert.match(nameless.feature_flag.key, /^feature-[0-9a-f]{8}$/);
  });

  for (const stage of STAGES) {
    it(`let people ${RELEASED.includes(stage) ? '' : 'not '}enroll while they are in ${stage}`, async () => {
      const enrollment = RELEASED.includes(stage) ? true : undefined;
      const made = await build({ stage });
      assert.equal(made.feature_flag.filters['feature_enrollment'], enrollment);
      assert.equal(made.feature_flag.version, 1);
      const linked = await build({
        stage: stage === 'beta' ? 'draft' : 'beta',
        feature_flag_id: (await buildFlag()).id,
      });
      const moved = await world.done<Feature>('PATCH', `${PATH}${linked.id}/`, { stage });
      assert.equal(moved.feature_flag.filters['feature_enrollment'], enrollment);
    });
  }

  it('take enrollment from the flag when they are deleted, in whichever form it is', async () => {
    const super_groups = [{ properties: [{ key: '$feature_enrollment/x', type: 'person', value: ['true'] }] }];
    for (const filters of [{}, { super_groups }]) {
      const { id, feature_flag: flag } = await build({ feature_flag_id: (await buildFlag(filters)).id });
      await world.done('DELETE', `${PATH}${id}/`);
      const left = await world.stores.flags.get(world.ours.projectId, flag.id);
      assert.deepEqual([left.filters.feature_enrollment, left.filters.super_groups], [undefined, undefined]);
      assert.equal((await world.request('GET', `${PATH}${id}/`)).status, 404);
    }
  });

  it('keep their flag from being deleted', async () => {
    const { id, feature_flag: flag } = await build({ name: 'Kept', stage: 'archived' });
    const remove = () =>
      world.stores.inTransaction(world.ours.projectId, (stores) =>
        changeFlag(stores, project(), author(), flag.id, { deleted: true }),
      );
    await assert.rejects(remove, /Kept/);
    await world.done('DELETE', `${PATH}${id}/`);
    assert.equal((await remove()).deleted, true);
  });

  it('change only the given fields', async () => {
    const fields = { description: 'Dark', documentation_url: 'https://example.com/dark', payload: { likes: 3 } };
    const before = await build({ ...fields, stage: 'beta' });
    const after = await world.done<Feature>('PATCH', `${PATH}${before.id}/`, { name: 'Darker' });
    assert.deepEqual(after, { ...before, name: 'Darker' });
    const { results } = await world.stores.auditLog.list(
      world.ours.projectId,
      { scope: 'EarlyAccessFeature', itemId: before.id, visibleKinds: [] },
      { limit: 10, offset: 0 },
    );
    assert.deepEqual(
      results.map(({ activity, detail }) => [activity, detail.changes.map(({ field }) => field)]),
      [
        ['updated', ['name']],
        ['created', []],
      ],
    );
  });

  describe('as pages see them', () => {
    it('are sent to clients with the public key of the project', async () => {
      for (const [query, code] of [
        ['', 'missing_api_key'],
        ['?token=', 'missing_api_key'],
        ['?token=phc_unknown', 'invalid_api_key'],
        ['?token=nonsense', 'invalid_api_key'],
      ]) {
        const { status, body, headers } = await world.api.request('GET', PUBLIC + query!, {
          headers: { Origin: 'https://shop.example' },
        });
        assert.deepEqual([status, (body as { code: string }).code], [401, code]);
        assert.equal(headers.get('Access-Control-Allow-Origin'), 'https://shop.example');
      }
    });

    it('are those of the requested stages, beta by default', async () => {
      await world.db('early_access_features').where({ project_id: world.ours.projectId }).delete();
      for (const stage of STAGES) await build({ name: `In ${stage}`, stage });
      const stagesOf = async (query: string) =>
        (await world.getPublic<Published>(PUBLIC + query)).earlyAccessFeatures.map((one) => one['stage']);
      assert.deepEqual(await stagesOf(''), ['beta']);
      assert.deepEqual(await stagesOf('?stage=concept&stage=alpha'), ['concept', 'alpha']);
      assert.deepEqual(await stagesOf('?stage=none'), []);
      assert.deepEqual(await stagesOf('?stage=draft&stage=archived'), ['archived'], 'drafts are nobody’s business yet');
    });

    it('are as they were changed a moment ago', async () => {
      const { id } = await build({ name: 'Shown', stage: 'concept', description: 'One', payload: { a: 1 } });
      const shown = async () => {
        const { earlyAccessFeatures } = await world.getPublic<Published>(`${PUBLIC}?stage=concept`);
        return earlyAccessFeatures.find((one) => one['id'] === id);
      };
      const expected = {
        id,
        name: 'Shown',
        description: 'One',
        stage: 'concept',
        documentationUrl: '',
        payload: { a: 1 },
        flagKey: 'shown',
      };
      assert.deepEqual(await shown(), expected);
      await world.done('PATCH', `${PATH}${id}/`, { description: 'Two' });
      assert.deepEqual(await shown(), { ...expected, description: 'Two' });
      await world.done('DELETE', `${PATH}${id}/`);
      assert.equal(await shown(), undefined);
    });
  });
});
