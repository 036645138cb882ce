import assert from 'node:assert/strict';
import { startFlagsApi, type FlagsApi, type Body, type Flag } from '../../support/api/flags-api.ts';
import { buildFlag, waitUntilServerUsesRows } from '../../support/database/flag-rows.ts';
import { buildMember, buildRule, type Member } from '../../support/api/members.ts';

const VIEWER = 'You do not have viewer access to this resource.';
const EDITOR = 'You do not have editor access to this resource.';
const VARIANTS = [
  { key: 'control', rollout_percentage: 50 },
  { key: 'test', rollout_percentage: 50 },
];
const BASIC = { groups: [{ properties: [], rollout_percentage: 100 }] };

const on = (flag: Flag, value: unknown) => ({
  groups: [{ properties: [{ type: 'flag', key: String(flag.id), operator: 'flag_evaluates_to', value }] }],
});

describe('access to feature flags', () => {
  let api: FlagsApi;
  /** Of the same organization as the user who makes the flags. */
  let colleague: Member;
  /** Flags that the colleague may not see, may only see, and may use by the default. */
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
    await waitUntilServerUsesRows({ db, url: api.sluice.url }, api.ours);
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
  async function sendRequest(method: string, path: string, body?: unknown) {
    const answer = await as(colleague.key, method, path, body);
    return { ...answer, body: answer.body as Body };
  }
  async function refusal(method: string, path: string, body?: unknown) {
    const answer = await sendRequest(method, path, body);
    return [answer.status, answer.body['detail']];
  }

  const made = async (path: string, body: object) => {
    const answer = await as(api.key, 'POST', elsewhere(path), body);
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body as Body & { id: string | number };
  };
  const bodyText = async (method: string, path: string, body?: object) =>
    JSON.stringify((await sendRequest(method, path.startsWith('/api') ? path : elsewhere(path), body)).body);

  it('is checked on every route of one flag', async () => {
    for (const path of ['/', '/activity/', '/status/', '/access_controls/', '/users_with_access/']) {
      assert.deepEqual(await refusal('GET', `${hidden.id}${path}`), [403, VIEWER], path);
      assert.equal((await sendRequest('GET', `${shown.id}${path}`)).status, 200, path);
    }
    for (const name of [hidden.id, hidden.key]) {
      assert.deepEqual(await refusal('GET', `${name}/remote_config/`), [403, VIEWER]);
    }
    for (const method of ['PATCH', 'PUT']) {
      assert.deepEqual(await refusal(method, `${hidden.id}/`, {}), [403, EDITOR]);
      // A fault of the body is not told to people who may not change the flag.
      assert.deepEqual(await refusal(method, `${shown.id}/`, { active: 'no' }), [403, EDITOR]);
    }
    assert.equal((await sendRequest('PATCH', `${open.id}/`, { name: 'changed' })).status, 200);
  });

  it('decides what lists show, and what may be done with it', async () => {
    const { body } = await sendRequest('GET', '?order=id');
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
    const reasons = (await sendRequest('GET', 'evaluation_reasons/?distinct_id=anna')).body;
    assert.deepEqual(Object.keys(reasons), ['open', 'shown']);
    for (const path of ['activity/', elsewhere('/activity_log/?scope=FeatureFlag')]) {
      const entries = (await sendRequest('GET', path)).body['results'] as { item_id: string }[];
      assert.deepEqual(new Set(entries.map(({ item_id }) => Number(item_id))), new Set([open.id, shown.id]), path);
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
    const listed = (await sendRequest('GET', experiments)).body['results'] as { feature_flag: Flag }[];
    const linked = listed.map(({ feature_flag: { key, filters } }) => [key, Object.keys(filters).length > 0]);
    assert.deepEqual(
      linked,
      [
        ['', false],
        ['shown', true],
      ],
      'neither keys nor what flags do is shown there',
    );
    const start = { start_date: '2026-03-01T00:00:00Z' };
    await as(api.key, 'PATCH', `${shown.id}/`, { active: false });
    assert.deepEqual(await refusal('PATCH', `${experiments}${made.id}/`, start), [403, EDITOR], 'its launch');
    assert.equal((await sendRequest('PATCH', `${experiments}${made.id}/`, { name: 'Paying' })).status, 200, 'its name');

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
    const later = { stage: 'general-availability' };
    assert.deepEqual(await refusal('PATCH', `${features}${enrolled.id}/`, later), [403, EDITOR], 'a later stage');
    assert.equal((await sendRequest('PATCH', `${features}${enrolled.id}/`, { name: 'Newer' })).status, 200, 'its name');
    assert.deepEqual(await refusal('DELETE', `${features}${enrolled.id}/`), [403, EDITOR], 'its end');
    const { filters } = (await as(api.key, 'GET', `${plain.id}/`)).body as Flag;
    assert.equal(
      filters['feature_enrollment'] ?? (filters['super_groups'] as unknown[]).length > 0,
      true,
      'enrollment stays',
    );
  });

  describe('keeps the keys of hidden flags', () => {
    const KEY = /hush-/;
    let secret: Flag;
    let count = 0;
    const withKey = async (change: Body = {}) => {
      const flag = await api.create({ key: `hush-${(count += 1)}`, ...change });
      await say('none', flag);
      return flag;
    };
    beforeEach(async () => {
      // Rules about the kind, of other tests.
      await api.sluice.db('access_controls').whereNull('resource_id').delete();
      secret = await withKey();
    });

    it('on experiments', async () => {
      const { id } = await made('/experiments/', {
        name: 'Of a hidden flag',
        feature_flag_key: `hush-${(count += 1)}`,
      });
      const flag = ((await as(api.key, 'GET', elsewhere(`/experiments/${id}/`))).body as Body)['feature_flag'] as Flag;
      await say('none', flag);
      for (const text of [
        await bodyText('GET', '/experiments/'),
        await bodyText('GET', `/experiments/${id}/`),
        await bodyText('PATCH', `/experiments/${id}/`, { name: 'Renamed' }),
        await bodyText('GET', `/experiments/${id}/results/`),
        await bodyText('GET', '/activity_log/'),
      ]) {
        assert.doesNotMatch(text, KEY);
      }
      assert.doesNotMatch(await bodyText('GET', `/experiments/${id}/`), /feature_flag_variants/);
      assert.match(JSON.stringify((await as(api.key, 'GET', elsewhere(`/experiments/${id}/`))).body), KEY);
    });

    it('and what they do from the results of experiments', async () => {
      const parameters = {
        feature_flag_variants: ['control', 'hush-test'].map((key) => ({ key, rollout_percentage: 50 })),
      };
      const { id, feature_flag } = await made('/experiments/', {
        name: 'Of hidden variants',
        feature_flag_key: `hush-${(count += 1)}`,
        start_date: '2026-03-01T00:00:00Z',
        parameters,
      });
      const results = elsewhere(`/experiments/${id}/results/`);
      assert.match(JSON.stringify((await sendRequest('GET', results)).body), KEY);
      await say('none', feature_flag as Flag);
      assert.deepEqual(await refusal('GET', results), [403, "You do not have viewer access to the experiment's flag."]);
    });

    it('in why flags that a survey has of its own cannot be as wanted', async () => {
      const survey = { name: 'Asked', type: 'popover', questions: [{ type: 'open', question: 'How?' }] };
      const targeting_flag_filters = on(secret, 'guess');
      const guess = await bodyText('POST', '/surveys/', { ...survey, targeting_flag_filters });
      assert.match(guess, /has no variant/);
      assert.doesNotMatch(guess, /hush|evaluates to/);

      const london = { groups: [{ properties: [{ type: 'person', key: 'city', value: ['London'] }] }] };
      const body = await made('/surveys/', { ...survey, targeting_flag_filters: london });
      assert.doesNotMatch(
        await bodyText('PATCH', `/surveys/${body.id}/`, { targeting_flag_filters }),
        /hush|evaluates to/,
      );
      await as(api.key, 'PATCH', elsewhere(`/surveys/${body.id}/`), { start_date: '2026-03-01T00:00:00Z' });
      const dependent = await withKey({ filters: on(body['targeting_flag'] as Flag, true) });
      for (const text of [
        await bodyText('PATCH', `/surveys/${body.id}/`, { remove_targeting_flag: true }),
        await bodyText('DELETE', `/surveys/${body.id}/`),
      ]) {
        assert.match(text, new RegExp(`depend on it: ID: ${dependent.id}`));
        assert.doesNotMatch(text, KEY);
      }
    });

    it('on surveys and early access features', async () => {
      const question = { type: 'open', question: 'How?' };
      const survey = { name: 'Linked', type: 'popover', questions: [question], linked_flag_id: secret.id };
      const feature = { name: 'Hidden', stage: 'beta', feature_flag_id: (await withKey()).id };
      for (const [path, body] of [
        ['/surveys/', survey],
        ['/early_access_feature/', feature],
      ] as const) {
        const { id } = await made(path, body);
        assert.doesNotMatch(await bodyText('GET', path), KEY);
        assert.doesNotMatch(await bodyText('GET', `${path}${id}/`), KEY);
        assert.doesNotMatch(await bodyText('PATCH', `${path}${id}/`, { name: `${body.name} more` }), KEY);
        assert.match(JSON.stringify((await as(api.key, 'GET', elsewhere(`${path}${id}/`))).body), KEY);
      }
      assert.doesNotMatch(await bodyText('GET', '/activity_log/'), KEY);
    });

    it('from who would link one to a survey, to read it where pages do', async () => {
      const survey = { name: 'Mine', type: 'popover', questions: [{ type: 'open', question: 'How?' }] };
      const { body } = await sendRequest('POST', elsewhere('/surveys/'), { ...survey, linked_flag_id: secret.id });
      assert.deepEqual([body['attr'], body['detail']], ['linked_flag_id', 'Feature Flag with this ID does not exist']);
      const { id } = await made('/surveys/', { ...survey, linked_flag_id: secret.id });
      const again = await sendRequest('PATCH', elsewhere(`/surveys/${id}/`), { linked_flag_id: secret.id });
      assert.equal(again.status, 200, 'it is linked already');
      const variant = { conditions: { linkedFlagVariant: 'guess' } };
      assert.doesNotMatch(await bodyText('PATCH', `/surveys/${id}/`, variant), /Available|no variants/);
    });

    it('in why a cohort or a flag cannot be deleted, or be depended on', async () => {
      const filters = { properties: { type: 'AND', values: [{ type: 'person', key: 'plan', value: ['pro'] }] } };
      const cohort = await made('/cohorts/', { name: 'Used', filters });
      const used = { groups: [{ properties: [{ type: 'cohort', key: 'id', value: cohort.id }] }] };
      const { id } = await withKey({ filters: used });
      const detail = (await sendRequest('PATCH', elsewhere(`/cohorts/${cohort.id}/`), { deleted: true })).body[
        'detail'
      ];
      assert.match(String(detail), new RegExp(`is used by the feature flags "ID: ${id}"`));

      const needed = await api.create({ key: 'needed' });
      const dependent = await withKey({ filters: on(needed, true) });
      for (const change of [{ active: false }, { deleted: true }]) {
        const text = await bodyText('PATCH', `/feature_flags/${needed.id}/`, change);
        assert.match(text, new RegExp(`depend on it: ID: ${dependent.id}`));
      }
      const guess = await bodyText('POST', '/feature_flags/', { key: 'guess', filters: on(secret, 'guess') });
      assert.match(guess, /has no variant/);
      assert.doesNotMatch(guess, /hush|evaluates to/);
      await as(api.key, 'PATCH', `${secret.id}/`, { active: false });
      assert.doesNotMatch(await bodyText('POST', '/feature_flags/', { key: 'guess', filters: on(secret, true) }), KEY);
    });
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
    const created = await sendRequest('POST', elsewhere('/surveys/'), survey);
    assert.equal(created.status, 201);
    const { id } = created.body as { id: string };
    const patched = await sendRequest('PATCH', `${elsewhere('/surveys/')}${id}/`, { name: 'Well?' });
    assert.equal(patched.status, 200);
  });

  it('does not reach into other projects', async () => {
    const foreign = await buildFlag(api.sluice.db, api.theirs.projectId);
    assert.deepEqual(await refusal('GET', `${foreign}/`), [404, 'Not found.']);
    assert.deepEqual(await refusal('PATCH', `${foreign}/`, {}), [404, 'Not found.']);
  });
});
