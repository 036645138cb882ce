import assert from 'node:assert/strict';
import { startFlagsApi, type FlagsApi, type Body, type Flag } from '../../support/flags-api.ts';
import { buildFlag, untilLive } from '../../support/flag-rows.ts';
import { buildMember, buildRule, type Member } from '../../support/members.ts';

const VIEWER = 'You do not have viewer access to this resource.';
const EDITOR = 'You do not have editor access to this resource.';
const VARIANTS = [
  { key: 'control', rollout_percentage: 50 },
  { key: 'test', rollout_percentage: 50 },
];
const BASIC = { groups: [{ properties: [], rollout_percentage: 100 }] };

describe('access to feature flags', () => {
  let api: FlagsApi;
  /** Of the same organization as the user who makes the flags. */
  let colleague: Member;
  /** What the colleague may do with these: nothing, look, and by nothing that is said. */
  let hidden: Flag;
  let shown: Flag;
  let open: Flag;

  before(async () => {
    api = await startFlagsApi();
    const { db } = api.sluice;
    colleague = await buildMember(db, api.ours);
    hidden = await api.create({
      key: 'hidden',
      is_remote_configuration: true,
      filters: { ...BASIC, payloads: { true: '1' } },
    });
    shown = await api.create({ key: 'shown', filters: { ...BASIC, multivariate: { variants: VARIANTS } } });
    open = await api.create({ key: 'open' });
    await say('none', hidden);
    await say('viewer', shown);
    await untilLive({ db, url: api.sluice.url }, api.ours);
  });
  after(() => api.stop());

  const say = (level: string, flag: Flag) =>
    buildRule(api.sluice.db, api.ours, level, {
      resource: 'feature_flag',
      resource_id: String(flag.id),
      membership_id: colleague.membershipId,
    });
  const elsewhere = (path: string) => `/api/projects/${api.ours.projectId}${path}`;
  /** A path goes on from that of flags, or is a whole one. */
  async function as(key: string, method: string, path: string, body?: unknown) {
    const answer = await fetch(api.sluice.url + (path.startsWith('/') ? path : elsewhere(`/feature_flags/${path}`)), {
      method,
      headers: { Authorization: `Bearer ${key}`, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json().catch(() => ({}))) as unknown };
  }
  async function ask(method: string, path: string, body?: unknown) {
    const answer = await as(colleague.key, method, path, body);
    return { ...answer, body: answer.body as Body };
  }
  async function refusal(method: string, path: string, body?: unknown) {
    const answer = await ask(method, path, body);
    return [answer.status, answer.body['detail']];
  }

  it('is asked about on every route of one flag', async () => {
    for (const path of ['/', '/activity/', '/status/', '/access_controls/', '/users_with_access/']) {
      assert.deepEqual(await refusal('GET', `${hidden.id}${path}`), [403, VIEWER], path);
      assert.equal((await ask('GET', `${shown.id}${path}`)).status, 200, path);
    }
    for (const name of [hidden.id, hidden.key]) {
      assert.deepEqual(await refusal('GET', `${name}/remote_config/`), [403, VIEWER]);
    }
    for (const method of ['PATCH', 'PUT']) {
      assert.deepEqual(await refusal(method, `${hidden.id}/`, {}), [403, EDITOR]);
      // What is wrong with the body is not told to who may not change it.
      assert.deepEqual(await refusal(method, `${shown.id}/`, { active: 'no' }), [403, EDITOR]);
    }
    assert.equal((await ask('PATCH', `${open.id}/`, { name: 'changed' })).status, 200);
  });

  it('decides what lists show, and what may be done with it', async () => {
    const { body } = await ask('GET', '?order=id');
    const { count, results } = body as { count: number; results: Body[] };
    const seen = results.map(({ key, can_edit, user_access_level }) => [key, can_edit, user_access_level]);
    assert.deepEqual(
      [count, seen],
      [
        2,
        [
          ['shown', false, 'viewer'],
          ['open', true, 'editor'],
        ],
      ],
    );
    const mine = (await as(colleague.key, 'GET', 'my_flags/')).body as { feature_flag: Body }[];
    assert.deepEqual(
      mine.map(({ feature_flag: { key } }) => key),
      ['open', 'shown'],
    );
    const reasons = (await ask('GET', 'evaluation_reasons/?distinct_id=anna')).body;
    assert.deepEqual(Object.keys(reasons), ['open', 'shown']);
    for (const path of ['activity/', elsewhere('/activity_log/?scope=FeatureFlag')]) {
      const told = (await ask('GET', path)).body['results'] as { item_id: string }[];
      assert.deepEqual(new Set(told.map(({ item_id }) => Number(item_id))), new Set([open.id, shown.id]), path);
    }
    const made = (await as(api.key, 'GET', `${hidden.id}/`)).body as Body;
    assert.deepEqual([made['can_edit'], made['user_access_level']], [true, 'manager']);
  });

  it('keeps the feed from who would not get all of it', async () => {
    const detail = 'Some feature flags are hidden from you: use a secret key of the project.';
    const whole = `/api/feature_flag/local_evaluation/?token=${api.ours.apiToken}`;
    for (const path of [whole, elsewhere('/feature_flags/local_evaluation/')]) {
      assert.deepEqual(await refusal('GET', path), [403, detail]);
      const { body } = await as(api.key, 'GET', path);
      assert.equal((body as { flags: unknown[] }).flags.length, 3);
    }
  });

  it('holds for what changes flags on the way', async () => {
    const experiments = elsewhere('/experiments/');
    const experiment = { name: 'Checkout', feature_flag_key: 'shown' };
    assert.deepEqual(await refusal('POST', experiments, experiment), [403, EDITOR], 'an experiment on a flag');
    const made = (await as(api.key, 'POST', experiments, experiment)).body as { id: number };
    await as(api.key, 'POST', experiments, { name: 'Secret', feature_flag_key: 'experimental' });
    const secret = (await as(api.key, 'GET', '?search=experimental')).body as { results: Flag[] };
    await say('none', secret.results[0]!);
    const listed = (await ask('GET', experiments)).body['results'] as { feature_flag: Flag }[];
    const linked = listed.map(({ feature_flag: { key, filters } }) => [key, Object.keys(filters).length > 0]);
    assert.deepEqual(
      linked,
      [
        ['experimental', false],
        ['shown', true],
      ],
      'what flags do is not shown there either',
    );
    const start = { start_date: '2026-03-01T00:00:00Z' };
    await as(api.key, 'PATCH', `${shown.id}/`, { active: false });
    assert.deepEqual(await refusal('PATCH', `${experiments}${made.id}/`, start), [403, EDITOR], 'its launch');
    assert.equal((await ask('PATCH', `${experiments}${made.id}/`, { name: 'Paying' })).status, 200, 'its name');

    const holdouts = elsewhere('/experiment_holdouts/');
    const holdout = { name: 'Untouched', filters: [{ rollout_percentage: 10 }] };
    const { id } = (await as(api.key, 'POST', holdouts, holdout)).body as { id: number };
    await as(api.key, 'PATCH', `${experiments}${made.id}/`, { holdout_id: id });
    const wider = { filters: [{ rollout_percentage: 20 }] };
    assert.deepEqual(await refusal('PATCH', `${holdouts}${id}/`, wider), [403, EDITOR], 'a holdout');

    const features = elsewhere('/early_access_feature/');
    const feature = { name: 'New', stage: 'beta' };
    assert.deepEqual(
      await refusal('POST', features, { ...feature, feature_flag_id: shown.id }),
      [403, EDITOR],
      'a feature',
    );
    const plain = await api.create({ key: 'plain' });
    const enrolled = (await as(api.key, 'POST', features, { ...feature, feature_flag_id: plain.id })).body as {
      id: string;
    };
    await say('viewer', plain);
    assert.deepEqual(
      await refusal('PATCH', `${features}${enrolled.id}/`, { stage: 'draft' }),
      [403, EDITOR],
      'its stage',
    );
    assert.deepEqual(await refusal('DELETE', `${features}${enrolled.id}/`), [403, EDITOR], 'its end');
    const { filters } = (await as(api.key, 'GET', `${plain.id}/`)).body as Flag;
    assert.equal(
      filters['feature_enrollment'] ?? (filters['super_groups'] as unknown[]).length > 0,
      true,
      'enrollment stays',
    );
  });

  it('holds for making flags, also on the way, but not for what a survey has of its own', async () => {
    await buildRule(api.sluice.db, api.ours, 'viewer', {
      resource: 'feature_flag',
      membership_id: colleague.membershipId,
    });
    assert.deepEqual(await refusal('POST', '', { key: 'new' }), [403, EDITOR]);
    const experiment = { name: 'Checkout', feature_flag_key: 'new' };
    assert.deepEqual(await refusal('POST', elsewhere('/experiments/'), experiment), [403, EDITOR]);
    assert.deepEqual(await refusal('POST', elsewhere('/early_access_feature/'), { name: 'Other', stage: 'beta' }), [
      403,
      EDITOR,
    ]);
    const survey = { name: 'How is it?', type: 'popover', questions: [{ type: 'open', question: 'How?' }] };
    const asked = await ask('POST', elsewhere('/surveys/'), survey);
    assert.equal(asked.status, 201);
    const { id } = asked.body as { id: string };
    const patched = await ask('PATCH', `${elsewhere('/surveys/')}${id}/`, { name: 'Well?' });
    assert.equal(patched.status, 200);
  });

  it('does not reach into other projects', async () => {
    const foreign = await buildFlag(api.sluice.db, api.theirs.projectId);
    assert.deepEqual(await refusal('GET', `${foreign}/`), [404, 'Not found.']);
    assert.deepEqual(await refusal('PATCH', `${foreign}/`, {}), [404, 'Not found.']);
  });
});
