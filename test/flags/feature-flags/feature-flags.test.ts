/** Feature flags over the API: creating, changing and deleting them. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { buildCohort } from '../../support/database/flag-rows.ts';
import {
  filtersOnFlags,
  filtersWith,
  startFlagsApi,
  type Body,
  type Flag,
  type FlagsApi,
} from '../../support/api/flags-api.ts';
import { buildProjectSecretKey } from '../../support/api/identity.ts';

type Page = { count: number; next: string | null; results: Flag[] };
type Activity = { activity: string; user: Body | null; detail: { name: string; changes: Body[]; version: number } };

const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort((a, b) => a - b);

const enrolled = (key: string) =>
  filtersWith({ type: 'person', key: `$feature_enrollment/${key}`, operator: 'exact', value: ['true'] })['groups'];

const sorted = (text: string, query: string) => (query.includes('order') ? text : text.split(' ').sort().join(' '));

const EXPERIMENT = {
  name: 'e',
  description: '',
  type: 'product',
  parameters: {},
  filters: {},
  metrics: '[]',
  metrics_secondary: '[]',
  exposure_criteria: {},
};

describe('feature flags', () => {
  let api: FlagsApi;

  before(async () => (api = await startFlagsApi()));
  after(() => api.stop());

  async function ok(method: string, path: string, body?: unknown, headers?: Body): Promise<Flag> {
    const answer = await api.request(method, path, body, { ...(headers && { headers }) });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body as Flag;
  }
  const patch = (flag: Flag, changes: Body) => ok('PATCH', `${flag.id}/`, changes);
  const list = async (query = '') => (await ok('GET', query)) as unknown as Page;
  const activityOf = async (flag: Flag) =>
    ((await ok('GET', `${flag.id}/activity/`)) as unknown as { results: Activity[] }).results;

  it('are made with the given fields, and with defaults for the rest', async () => {
    const answer = await api.request('POST', '', { key: 'plain' });
    const { created_at: made, updated_at: changed, created_by: author, ...flag } = answer.body as Flag;
    const { rows } = await api.sluice.db.raw<{ rows: Body[] }>(
      `select id, uuid, distinct_id, first_name, last_name, email, is_email_verified, hedgehog_config, role_at_organization
       from users where id = ?`,
      [api.ours.userId],
    );
    assert.equal(answer.status, 201);
    assert.equal(answer.headers.get('etag'), '"1"');
    assert.equal(
      answer.headers.get('location'),
      `${api.sluice.url}/api/projects/${api.ours.projectId}/feature_flags/${flag.id}/`,
    );
    assert.match(`${made as string} ${changed as string}`, /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z ?){2}$/);
    assert.deepEqual(author, rows[0]);
    assert.deepEqual(flag, {
      id: flag.id,
      key: 'plain',
      name: '',
      filters: { groups: [{ properties: [], rollout_percentage: 100 }] },
      active: true,
      deleted: false,
      version: 1,
      last_modified_by: rows[0],
      ensure_experience_continuity: false,
      evaluation_runtime: 'all',
      bucketing_identifier: 'distinct_id',
      evaluation_contexts: [],
      evaluation_tags: [],
      tags: [],
      is_remote_configuration: false,
      has_encrypted_payloads: false,
      local_evaluation: { evaluable: true, reason: null, differing_sdks: [] },
      experiment_set: [],
      experiment_set_metadata: [],
      features: [],
      surveys: [],
      analytics_dashboards: [],
      archived: false,
      has_enriched_analytics: false,
      is_used_in_replay_settings: false,
      last_called_at: null,
      performed_rollback: null,
      rollback_conditions: null,
      usage_dashboard: null,
      status: 'ACTIVE',
      can_edit: true,
      user_access_level: 'manager',
    });
    assert.deepEqual(await ok('GET', `${flag.id}/`), answer.body);
  });

  it('keep everything that decisions know', async () => {
    const cohort = await buildCohort(api.sluice.db, api.ours.projectId);
    const base = await api.create({
      filters: { ...filtersWith(), multivariate: { variants: [{ key: 'test', rollout_percentage: 100 }] } },
    });
    const filters = {
      groups: [
        {
          properties: [
            { type: 'person', key: 'plan', operator: 'exact', value: ['pro', 'team'] },
            {
              type: 'person',
              key: 'age',
              operator: 'gte',
              value: '18',
              label: 'Age',
              conditionHash: 'x',
              bytecode: [1],
            },
            { type: 'person', key: 'mail', operator: 'regex', value: '^[a-z]+@' },
            { type: 'person', key: 'since', operator: 'is_date_before', value: '-30d' },
            { type: 'person', key: 'app', operator: 'semver_tilde', value: '1.2.3' },
            { type: 'person', key: 'gone', operator: 'is_not_set' },
            { type: 'person_metadata', key: 'created_at', operator: 'is_date_after', value: '2020-01-01' },
            { type: 'cohort', key: 'id', value: cohort, operator: 'not_in', cohort_name: 'vips' },
            { type: 'flag', key: base.id, operator: 'flag_evaluates_to', value: 'test' },
          ],
          rollout_percentage: 33.333,
          variant: 'b',
          description: 'first',
          sort_key: 'kept',
          users_affected: 3,
        },
        { aggregation_group_type_index: 1, properties: [{ type: 'group', key: 'size', operator: 'lt', value: '9' }] },
      ],
      multivariate: {
        variants: ['a', 'b', 'c'].map((key, i) => ({ key, name: null, rollout_percentage: [33.3, 33.3, 33.4][i] })),
      },
      payloads: { a: { color: 'red' }, b: '"blue"', c: null },
      super_groups: null,
      feature_enrollment: true,
      holdout: { id: 3, exclusion_percentage: 10 },
      early_exit: true,
    };
    const fields = {
      name: 'All of it',
      filters,
      active: false,
      ensure_experience_continuity: false,
      evaluation_runtime: 'server',
      bucketing_identifier: 'device_id',
      evaluation_tags: [' web ', 'web', 'Docs'],
      tags: ['Growth', 'growth ', 'beta'],
      is_remote_configuration: true,
    };
    const flag = await api.create({ ...fields, created_by: 7, version: 40, creation_context: 'experiments' });
    const kept = structuredClone(filters) as typeof filters & { payloads: Body };
    kept.groups[0]!.properties![8]!.key = String(base.id);
    Object.assign(kept.groups[1]!, { rollout_percentage: 100 });
    kept.payloads = { a: '{"color":"red"}', b: '"blue"', c: 'null' } as never;
    for (const [name, value] of Object.entries({
      ...fields,
      filters: kept,
      evaluation_tags: ['web', 'Docs'],
      evaluation_contexts: ['web', 'Docs'],
      tags: ['growth', 'beta'],
      version: 1,
      status: 'INACTIVE',
    })) {
      assert.deepEqual(flag[name], value, name);
    }
    assert.equal((flag['local_evaluation'] as Body)['evaluable'], false);
  });

  it('change field by field: what is left out stays, and nothing to change is no change', async () => {
    const flag = await api.create({
      name: 'before',
      tags: ['a'],
      filters: { ...filtersWith(), payloads: { true: '1' } },
    });
    const changed = await patch(flag, { name: 'after', evaluation_runtime: null });
    assert.deepEqual(
      [changed['name'], changed['tags'], changed.filters, changed.version],
      ['after', ['a'], flag.filters, 2],
    );
    assert.equal((await patch(flag, { name: 'after', filters: flag.filters, tags: ['A'] })).version, 2);
    assert.equal((await patch(flag, { filters: { ...flag.filters, groups: [] } })).version, 3);
    const { groups, payloads } = (await ok('PUT', `${flag.id}/`, { key: flag.key, filters: { payloads: {} } })).filters;
    assert.deepEqual([groups, payloads], [[], {}]);
    assert.equal((await api.request('PUT', `${flag.id}/`, { name: 'x' })).status, 400);
  });

  it('record who changed what, in the same transaction', async () => {
    const flag = await api.create({ name: 'phx_secretsecretsecret' });
    const key = await buildProjectSecretKey(api.sluice.db, api.ours, 'feature_flag:write');
    await api.request('PATCH', `${flag.id}/`, { name: 'b', active: false }, { key });
    await patch(flag, { deleted: true });
    await patch(flag, { deleted: false });
    const entries = await activityOf(flag);
    assert.deepEqual(
      entries.map(({ activity, user, detail: { name, version, changes } }) => {
        const fields = changes.map(
          ({ field, before, after }) => `${field as string}: ${String(before)} → ${String(after)}`,
        );
        return [activity, user?.['id'] ?? null, name, version, ...fields];
      }),
      [
        ['restored', api.ours.userId, flag.key, 4, 'deleted: true → false'],
        ['deleted', api.ours.userId, flag.key, 3, 'deleted: false → true'],
        ['updated', null, flag.key, 2, 'name: [redacted] → b', 'active: true → false'],
        ['created', api.ours.userId, flag.key, 1],
      ],
    );
    const all = (await ok('GET', 'activity/?limit=2')) as unknown as Page;
    assert.ok(all.count > 4);
    assert.deepEqual(all.results, entries.slice(0, 2));
    assert.match(all.next ?? '', /limit=2&offset=2/);
  });

  it('go back to what a change calls before', async () => {
    const flag = await api.create({
      filters: { ...filtersWith({ type: 'person', key: 'a', value: 'b' }), payloads: { true: '[1]' } },
    });
    await patch(flag, { filters: filtersWith(), tags: ['x'] });
    const [{ detail }] = (await activityOf(flag)) as [Activity];
    const back = await patch(flag, Object.fromEntries(detail.changes.map(({ field, before }) => [field, before])));
    assert.deepEqual([back.filters, back['tags']], [flag.filters, []]);
  });

  it('are deleted softly: not listed, but retrieved, and restored until the key is taken', async () => {
    const flag = await api.create({ key: 'mortal' });
    assert.equal((await patch(flag, { deleted: true }))['status'], 'DELETED');
    assert.equal((await list('?search=mortal')).count, 0);
    assert.equal((await ok('GET', `${flag.id}/`))['deleted'], true);
    assert.equal((await patch(flag, { deleted: false }))['deleted'], false);
    await patch(flag, { deleted: true });
    const heir = await api.create({ key: 'mortal' });
    assert.notEqual(heir.id, flag.id);
    assert.equal((await api.request('GET', `${flag.id}/`)).status, 404);
    assert.equal((await list('?search=mortal')).results[0]?.id, heir.id);
  });

  it('keep a deleted flag that is still referenced, and do not restore it beside its successor', async () => {
    const { db } = api.sluice;
    const flag = await api.create({ key: 'told-of' });
    await patch(flag, { deleted: true });
    await db('experiments').insert({ ...EXPERIMENT, project_id: api.ours.projectId, flag_id: flag.id, deleted: true });
    await api.create({ key: 'told-of' });
    const refused = await api.request('PATCH', `${flag.id}/`, { deleted: false });
    assert.deepEqual([refused.status, (refused.body as Body)['code']], [400, 'unique']);
  });

  it('leave out fields of filters that are not known, and name them', async () => {
    const filters = {
      groups: [{ properties: [{ type: 'person', key: 'plan', value: 'pro', negated: true }], rollout_percent: 5 }],
      multivariate: { variants: [{ key: 'a', rollout_percentage: 100, weight: 1 }] },
      holdout: { id: 1, exclusion_percentage: 1, except: 1 },
      ...(JSON.parse('{"__proto__": {}, "mystery": [1]}') as Body),
    };
    const ignored = [
      'filters____proto__',
      'filters__groups__0__properties__0__negated',
      'filters__groups__0__rollout_percent',
      'filters__holdout__except',
      'filters__multivariate__variants__0__weight',
      'filters__mystery',
    ];
    const flag = await api.create({ filters });
    assert.deepEqual((flag['ignored_members'] as string[]).sort(), ignored);
    assert.deepEqual(flag.filters, {
      groups: [{ properties: [{ type: 'person', key: 'plan', value: 'pro' }] }],
      multivariate: { variants: [{ key: 'a', rollout_percentage: 100 }] },
      holdout: { id: 1, exclusion_percentage: 1 },
    });
    assert.equal('ignored_members' in (await ok('GET', `${flag.id}/`)), false);
    const changed = await ok('PUT', `${flag.id}/`, {
      key: flag.key,
      filters: { groups: [{ users: 7, sort_key: 'a' }] },
    });
    assert.deepEqual(changed['ignored_members'], ['filters__groups__0__users']);
    assert.deepEqual(changed.filters, { groups: [{ sort_key: 'a' }] });
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`mystery-${index}`, 1]));
    assert.equal(
      ((await patch(flag, { filters: { ...filtersWith(), ...many } }))['ignored_members'] as string[]).length,
      100,
    );
    // A PATCH that misspells the condition sets changes nothing.
    const { version } = await ok('GET', `${flag.id}/`);
    assert.equal((await api.request('PATCH', `${flag.id}/`, { filters: { group: [], early_exit: true } })).status, 400);
    assert.equal((await ok('GET', `${flag.id}/`)).version, version);
  });

  it('keep a comparison with what is no number, which never matches', async () => {
    const flag = await api.create({
      filters: filtersWith({ type: 'person', key: 'age', operator: 'gt', value: 'abc' }),
    });
    assert.equal((flag.filters as { groups: { properties: Body[] }[] }).groups[0]!.properties[0]!['value'], 'abc');
    const { url } = api.sluice;
    for (const age of [7, 'abd']) {
      const body = JSON.stringify({ token: api.ours.apiToken, distinct_id: 'ada', person_properties: { age } });
      const answer = (await (await fetch(`${url}/flags/?v=2`, { method: 'POST', body })).json()) as {
        flags: Record<string, { enabled: boolean }>;
      };
      assert.equal(answer.flags[flag.key]!.enabled, false);
    }
  });

  it('take true and false as texts where they depend on a flag, unless it has a variant of that name', async () => {
    const plain = await api.create();
    const named = await api.create({
      filters: { ...filtersWith(), multivariate: { variants: [{ key: 'true', rollout_percentage: 100 }] } },
    });
    const valueOn = async (target: Flag, value: string) => {
      const { filters } = await api.create({ filters: filtersOnFlags([target.id], value) });
      return (filters as { groups: { properties: Body[] }[] }).groups[0]!.properties[0]!['value'];
    };
    assert.deepEqual([await valueOn(plain, 'true'), await valueOn(plain, 'false')], [true, false]);
    assert.deepEqual([await valueOn(named, 'true'), await valueOn(named, 'false')], ['true', false]);
  });

  it('may be changed otherwise where they have what is refused now', async () => {
    const old = { is_remote_configuration: false, has_encrypted_payloads: true, sealed_payloads: null };
    const flag = await api.create({ is_remote_configuration: true });
    await api.sluice.db('feature_flags').where({ id: flag.id }).update(old);
    assert.equal((await patch(flag, { name: 'renamed' })).version, 2);
    assert.equal((await patch(flag, { is_remote_configuration: true })).version, 3);
    const refused = await api.request('PATCH', `${flag.id}/`, { is_remote_configuration: false });
    assert.equal((refused.body as Body)['attr'], 'has_encrypted_payloads');
  });

  it('are not deleted under an early access feature, a running experiment or a survey, and say which there are', async () => {
    const { db } = api.sluice;
    const project_id = api.ours.projectId;
    const [early, tried, surveyed] = [await api.create(), await api.create(), await api.create()];
    const feature = { project_id, id: '11111111-1111-4111-8111-111111111111', flag_id: early.id, name: 'Dark mode' };
    await db('early_access_features').insert({
      ...feature,
      description: '',
      stage: 'beta',
      documentation_url: '',
      payload: {},
    });
    const [experiment] = await db('experiments')
      .insert({ ...EXPERIMENT, project_id, flag_id: tried.id, start_date: new Date() })
      .returning<{ id: number; name: string }[]>(['id', 'name']);
    for (const [flag, words] of [
      [early, /Dark mode/],
      [tried, new RegExp(`ID: ${experiment!.id}`)],
    ] as const) {
      const refused = await api.request('PATCH', `${flag.id}/`, { deleted: true });
      assert.deepEqual([refused.status, (refused.body as Body)['attr']], [400, 'deleted']);
      assert.match((refused.body as { detail: string }).detail, words);
    }
    assert.deepEqual((await ok('GET', `${early.id}/`))['features'], [
      { id: feature.id, name: 'Dark mode', stage: 'beta' },
    ]);
    const shownFlag = await ok('GET', `${tried.id}/`);
    const { id, name } = experiment!;
    assert.deepEqual(shownFlag['experiment_set'], [id]);
    assert.deepEqual(shownFlag['experiment_set_metadata'], [{ id, name, is_running: true }]);
    await db('experiments').where({ id }).update({ start_date: null });
    const drafted = await ok('GET', `${tried.id}/`);
    assert.deepEqual(drafted['experiment_set_metadata'], [{ id, name, is_running: false }]);
    await db('experiments').where({ id }).update({ start_date: new Date() });
    assert.deepEqual(
      (await list('?type=experiment')).results.map(({ id }) => id),
      [tried.id],
    );
    assert.deepEqual((await ok('GET', `${surveyed.id}/`))['surveys'], []);
    const group = { filters: { ...filtersWith(), aggregation_group_type_index: 0 } };
    assert.equal((await api.request('PATCH', `${early.id}/`, group)).status, 400);
  });

  it('list the released SDKs that decide them otherwise', async () => {
    const held = { groups: filtersWith()['groups'], holdout: { id: 1, exclusion_percentage: 10 } };
    const { filters, ...flag } = await api.create({ filters: held });
    const { differing_sdks: differences } = flag['local_evaluation'] as { differing_sdks: Body[] };
    assert.deepEqual(differences[0], { sdk: 'posthog-go', versions: '<=1.23.1', reason: 'It ignores holdouts.' });
    assert.equal(differences.length, 7);
    const above = await api.create({ filters: filtersOnFlags([flag.id], false) });
    const { differing_sdks: of } = above['local_evaluation'] as { differing_sdks: { reason: string }[] };
    assert.deepEqual(
      of.map(({ reason }) => reason),
      differences.map(({ reason }) => `It depends on flag ${flag.key}: ${String(reason)}`),
    );
    assert.deepEqual(filters, held);
  });

  it('take their enrollment along when they are renamed', async () => {
    const flag = await api.create({
      key: 'old-name',
      filters: { ...filtersWith(), super_groups: enrolled('old-name') },
    });
    const renamed = await patch(flag, { key: 'new-name' });
    assert.deepEqual([renamed.key, renamed.filters['super_groups']], ['new-name', enrolled('new-name')]);
    assert.equal((await api.create({ key: 'old-name' })).key, 'old-name');
    const refused = await api.request('PATCH', `${flag.id}/`, { key: 'old-name' });
    assert.equal((refused.body as Body)['code'], 'unique');
  });

  it('refuse a stale If-Match', async () => {
    const flag = await api.create({ name: 'one' });
    await patch(flag, { name: 'two' });
    const stale = await api.request('PATCH', `${flag.id}/`, { tags: ['x'] }, { headers: { 'If-Match': '"1"' } });
    assert.equal(stale.status, 412);
    assert.equal((await ok('PATCH', `${flag.id}/`, { name: 'four' }, { 'If-Match': '"2"' })).version, 3);
  });

  it('refuse a stale version only where the author changes what another user has changed', async () => {
    const flag = await api.create({ name: 'one' });
    const original_flag = await ok('GET', `${flag.id}/`);
    await patch(flag, { name: 'two', filters: filtersWith({ type: 'person', key: 'plan', value: 'pro' }) });
    const stale = { version: 1, original_flag };
    const conflict = await api.request('PATCH', `${flag.id}/`, { name: 'three', ...stale });
    assert.deepEqual([conflict.status, (conflict.body as Body)['code']], [409, 'conflict']);
    assert.match((conflict.body as { detail: string }).detail, /was updated by \S+@example\.com since/);
    const filters = { ...filtersWith(), early_exit: true };
    assert.equal((await api.request('PATCH', `${flag.id}/`, { filters, ...stale })).status, 409);
    // Changes of other fields, and changes to the same value, are no conflict.
    assert.equal((await patch(flag, { tags: ['x'], ...stale })).version, 3);
    assert.equal((await patch(flag, { name: 'two', ...stale })).version, 3);
    // Values that the caller never read cannot be disputed, nor values that are as they were read.
    assert.equal((await patch(flag, { name: 'three', version: 1 })).version, 4);
    assert.equal((await patch(flag, { name: 'four', version: 1, original_flag: null })).version, 5);
    assert.equal((await patch(flag, { name: 'five', version: 1, original_flag: { name: 'four' } })).version, 6);
    assert.equal((await patch(flag, { name: 'one', ...stale })).version, 7);
  });

  it('let exactly one of many changes of one version win', async () => {
    const flag = await api.create();
    const names = Array.from({ length: 8 }, (_, i) => `name ${i}`);
    const read = { version: 1, original_flag: flag };
    const answers = await Promise.all(names.map((name) => api.request('PATCH', `${flag.id}/`, { name, ...read })));
    assert.deepEqual(statuses(answers), [200, ...Array.from({ length: 7 }, () => 409)]);
    const winner = answers.find(({ status }) => status === 200)!.body as Flag;
    assert.deepEqual(await ok('GET', `${flag.id}/`), winner);
    assert.equal((await activityOf(flag)).length, 2);
  });

  it('give one key to one of many', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => api.request('POST', '', { key: 'wanted' })));
    assert.deepEqual(statuses(answers), [201, 400, 400, 400, 400, 400]);
  });

  it('do not become a cycle by two changes at once', async () => {
    for (let round = 0; round < 3; round++) {
      const [a, b] = [await api.create(), await api.create()];
      const answers = await Promise.all([
        api.request('PATCH', `${a.id}/`, { filters: filtersOnFlags([b.id]) }),
        api.request('PATCH', `${b.id}/`, { filters: filtersOnFlags([a.id]) }),
      ]);
      assert.deepEqual(statuses(answers), [200, 400]);
    }
  });

  it('are listed newest first, in pages, by filters', async () => {
    await api.sluice.db('feature_flags').where({ project_id: api.ours.projectId }).update({ deleted: true });
    const old = { created_at: new Date(Date.now() - 31 * 86_400_000) };
    const split = {
      variants: [
        { key: 'a', rollout_percentage: 40 },
        { key: 'b', rollout_percentage: 60 },
      ],
    };
    const flags = [
      await api.create({ key: 'one_', name: 'Unique, 100 %', tags: ['x', 'y'] }),
      await api.create({ key: 'two', active: false, tags: ['y'] }),
      await api.create({ key: 'three', filters: { ...filtersWith(), multivariate: split } }),
      await api.create({
        key: 'four',
        filters: filtersWith({ type: 'person', key: 'a', value: 'b' }),
        evaluation_runtime: 'server',
      }),
      await api.create({
        key: 'five',
        is_remote_configuration: true,
        filters: { groups: [{ rollout_percentage: 5 }] },
      }),
    ];
    const ids = flags.map(({ id }) => id);
    const keys = async (query: string) => (await list(query)).results.map(({ key }) => key).join(' ');
    assert.equal(await keys(''), 'five four three two one_');
    await api.sluice.db('feature_flags').whereIn('id', ids).update(old);
    const ofSurvey = await api.create({ key: 'survey-targeting-x' });
    const survey = {
      id: randomUUID(),
      name: 's',
      description: '',
      type: 'popover',
      archived: false,
      is_running: false,
    };
    await api.sluice
      .db('surveys')
      .insert({ project_id: api.ours.projectId, targeting_flag_id: ofSurvey.id, ...survey });
    const lists: [string, string][] = [
      ['?order=key', 'five four one_ three two'],
      ['?order=-key&limit=2', 'two three'],
      ['?order=key&limit=2&offset=3', 'three two'],
      ['?search=T', 'two three'],
      ['?search=uNIQUE', 'one_'],
      ['?search=%25', 'one_'],
      ['?search=_', 'one_'],
      ['?active=false', 'two'],
      ['?active=true&order=key', 'five four one_ three'],
      ['?active=STALE', 'one_'],
      ['?type=multivariant', 'three'],
      ['?type=remote_config', 'five'],
      ['?type=boolean&order=key', 'five four one_ two'],
      ['?tags=["y"]&order=key', 'one_ two'],
      ['?tags=["x","z"]', 'one_'],
      ['?evaluation_runtime=server', 'four'],
      [`?created_by_id=${api.ours.userId + 1000}`, ''],
    ];
    for (const [query, expected] of lists) {
      assert.equal(sorted(await keys(query), query), sorted(expected, query), query);
    }
    const page = await list('?limit=2');
    assert.equal(page.count, 5);
    assert.match(page.next ?? '', /limit=2&offset=2/);
    assert.equal((await api.request('GET', String.raw`?tags=["\u0000"]`)).status, 400);
  });
});
