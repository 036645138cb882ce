import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { cohortsApiRoutes } from '../../../src/flags/cohorts/room.ts';
import { SCOPES } from '../../../src/people/access/scopes.ts';
import {
  buildForm,
  has,
  isIn,
  startCohortsApi,
  type Body,
  type Cohort,
  type CohortsApi,
} from '../../support/api/cohorts-api.ts';
import { buildPersonalKey } from '../../support/api/identity.ts';

type Refusal = { code: string; detail: string; attr: string | null };

const anyOf = (...values: unknown[]) => ({ properties: { type: 'OR', values } });

describe('cohorts', () => {
  let api: CohortsApi;
  let pro: Cohort;

  before(async () => {
    api = await startCohortsApi();
    await api.capture(
      { event: 'x', distinct_id: 'ann', properties: { $set: { plan: 'pro', age: 40 } } },
      { event: 'x', distinct_id: 'bob', properties: { $set: { plan: 'pro', age: 20 } } },
      { event: 'x', distinct_id: 'eve', properties: { $set: { plan: 'free' } } },
    );
    pro = await api.create('pro', has('plan', 'pro'));
  });
  after(() => api.stop());

  for (const { method, path, access } of cohortsApiRoutes) {
    const scope = 'scope' in access ? access.scope : '';

    it(`${method.toUpperCase()} ${path} takes a key of the project with ${scope}`, async () => {
      const { sluice, ours, theirs } = api;
      const others = SCOPES.filter((other) => other !== scope && other !== scope.replace(':read', ':write'));
      const call = (key: string, projectId = ours.projectId) => {
        const body = method === 'get' ? undefined : { name: 3 };
        const address = `/api/environments/${projectId}${path.replace(':id', String(pro.id))}`;
        return api.request(method.toUpperCase(), address, body, key);
      };
      assert.equal((await call('')).status, 401);
      const theirKey = await buildPersonalKey(sluice.db, theirs, '*');
      assert.equal((await call(theirKey)).status, 403);
      assert.equal((await call(await buildPersonalKey(sluice.db, ours, ...others))).status, 403);
      if (path.includes(':id') && method === 'get') assert.equal((await call(theirKey, theirs.projectId)).status, 404);
      // A list of persons also takes the scope for persons.
      const moreScopes = path.endsWith('/persons/') ? ['person:read'] : [];
      assert.notEqual((await call(await buildPersonalKey(sluice.db, ours, scope, ...moreScopes))).status, 403);
    });
  }

  const bad: [body: unknown, code: string, attr: string | null, detail?: RegExp][] = [
    [{ filters: anyOf(has('a', 1)) }, 'required', 'name'],
    [{ name: '', filters: anyOf(has('a', 1)) }, 'blank', 'name'],
    [{ name: 'x' }, 'required', 'filters__properties'],
    [{ name: 'x', filters: { properties: {} } }, 'invalid_input', 'filters__properties__type'],
    [{ name: 'x', filters: { properties: { type: 'NOT', values: [] } } }, 'invalid_input', 'filters__properties__type'],
    [{ name: 'x', filters: anyOf() }, 'invalid_input', 'filters__properties__values'],
    [
      { name: 'x', filters: anyOf({ type: 'AND', values: [] }) },
      'invalid_input',
      'filters__properties__values__0__values',
    ],
    [{ name: 'x', filters: anyOf(3) }, 'invalid_input', 'filters__properties__values__0'],
    [{ name: 'x', filters: anyOf({ key: 'a', value: 1 }) }, 'invalid_input', 'filters__properties__values__0__type'],
    [
      { name: 'x', filters: anyOf(has('a', 1, { type: 'group' })) },
      'invalid_input',
      'filters__properties__values__0__type',
    ],
    [
      { name: 'x', filters: anyOf(has('a', 1, { type: 'behavioral' })) },
      'behavioral_cohort_found',
      'filters__properties__values__0__type',
    ],
    [{ name: 'x', filters: anyOf(has('', 1)) }, 'invalid_input', 'filters__properties__values__0__key'],
    [
      { name: 'x', filters: anyOf(has('a', 1), has('a', 1, { operator: 'like' })) },
      'invalid_operator',
      'filters__properties__values__1__operator',
    ],
    [
      { name: 'x', filters: anyOf(has('a', 'soon', { operator: 'is_date_after' })) },
      'invalid_date',
      'filters__properties__values__0__value',
    ],
    [
      { name: 'x', filters: anyOf(has('a', 'a(?=b)', { operator: 'regex' })) },
      'invalid_value',
      'filters__properties__values__0__value',
      /lookahead/,
    ],
    [{ name: 'x', filters: anyOf(isIn('some')) }, 'invalid_value', 'filters__properties__values__0__value'],
    [
      { name: 'x', filters: anyOf(isIn(1, { operator: 'icontains' })) },
      'invalid_operator',
      'filters__properties__values__0__operator',
    ],
    [{ name: 'x', filters: anyOf(isIn(999_999)) }, 'cohort_does_not_exist', 'filters__properties', /999999/],
    [{ name: 'x', groups: [{ properties: { a: 1 } }] }, 'not_a_list', 'groups__0__properties'],
    [{ name: 'x', groups: [{ action_id: 3, days: 7 }] }, 'behavioral_cohort_found', 'groups__0'],
    [{ name: 'x', is_static: true, filters: anyOf(has('a', 1)) }, 'invalid_input', 'filters'],
    [
      { name: 'x', filters: anyOf(has('a', 1)), _create_static_person_ids: ['0190b6a0-0000-7000-8000-000000000000'] },
      'invalid_input',
      'is_static',
    ],
    [
      { name: 'x', is_static: true, _create_static_person_ids: ['me'] },
      'invalid_input',
      '_create_static_person_ids__0',
    ],
    [buildForm({ name: 'x', is_static: 'false', csv: 'ann' }), 'invalid_input', 'is_static'],
    [buildForm({ name: 'x', csv: 'a,b\n' }), 'invalid_input', 'csv'],
    [buildForm({ csv: 'ann' }), 'required', 'name'],
    ['ann', 'required', 'name'],
  ];
  for (const [body, code, attr, detail = /./] of bad) {
    it(`are refused: ${code} ${attr} in ${inspect(body, { depth: 5, breakLength: Infinity })}`, async () => {
      const answer = await api.request('POST', '', body);
      const refusal = answer.body as Refusal;
      assert.deepEqual([answer.status, refusal.code, refusal.attr], [400, code, attr]);
      assert.match(refusal.detail, detail);
    });
  }

  it('are returned as they were saved, with a count of their persons', async () => {
    const { id, version, last_calculation, created_at, created_by, ...shown } = await api.done('POST', '', {
      name: 'young',
      description: 'below 30',
      filters: anyOf({
        type: 'AND',
        values: [has('plan', 'pro', { operator: null, x: 1 }), has('age', '30', { operator: 'lt', negation: true })],
      }),
    });
    const values = [has('plan', 'pro'), has('age', '30', { operator: 'lt', negation: true })];
    assert.deepEqual(shown, {
      name: 'young',
      description: 'below 30',
      groups: [],
      filters: anyOf({ type: 'AND', values }),
      is_static: false,
      is_calculating: false,
      count: 1,
      errors_calculating: 0,
      last_error_message: null,
      deleted: false,
    });
    assert.equal((created_by as Body)['id'], api.ours.userId);
    assert.ok((last_calculation as string) > (created_at as string));
    const read = await api.done('GET', `${id}/`);
    assert.deepEqual([read.name, read.version], ['young', version]);
  });

  it('can be made by groups, upstream’s older form, which is then returned beside the filters', async () => {
    const groups = [{ properties: [has('plan', 'pro')] }, { properties: [has('plan', 'free'), has('age', 99)] }];
    const made = await api.done('POST', '', { name: 'old', groups });
    assert.deepEqual(made['groups'], groups);
    assert.deepEqual(made.filters, anyOf(...groups.map(({ properties }) => ({ type: 'AND', values: properties }))));
    assert.equal(made.count, 2);
  });

  it('change by PATCH in the given fields only, and are counted again', async () => {
    const made = await api.create('changing', has('plan', 'pro'));
    assert.equal(made.count, 2);
    const renamed = await api.done('PATCH', `${made.id}/`, { name: 'renamed' });
    assert.deepEqual([renamed['name'], renamed.filters, renamed.count], ['renamed', made.filters, 2]);
    const changed = await api.done('PATCH', `${made.id}/`, { filters: anyOf(has('plan', 'pro'), has('plan', 'free')) });
    assert.deepEqual([changed['name'], changed.count], ['renamed', 3]);
    const refused = await api.request('PATCH', `${made.id}/`, { is_static: true });
    assert.deepEqual([refused.status, (refused.body as Refusal).attr], [400, 'is_static']);
  });

  it('may refer to other cohorts, but never to themselves', async () => {
    const base = await api.create('base', has('plan', 'pro'));
    const middle = await api.create('middle', isIn(base.id), has('age', '30', { operator: 'gt' }));
    const top = await api.create('top', isIn(String(middle.id), { operator: 'not_in' }));
    assert.deepEqual([middle.count, top.count], [1, 2]);
    for (const id of [base.id, middle.id, top.id]) {
      const refused = await api.request('PATCH', `${base.id}/`, { filters: anyOf(isIn(id)) });
      assert.equal(refused.status, 400);
      assert.match((refused.body as Refusal).detail, /depend on itself/);
    }
  });

  it('are deleted and restored by PATCH, but not while something uses them', async () => {
    const base = await api.create('basis', has('plan', 'pro'));
    const dependent = await api.create('dependent', isIn(base.id));
    const flags = `/api/projects/${api.ours.projectId}/feature_flags/`;
    const filters = { groups: [{ properties: [isIn(base.id)], rollout_percentage: 100 }] };
    const flag = await api.done<{ id: number }>('POST', flags, { key: 'with-cohort', filters });
    assert.equal((await api.request('DELETE', `${base.id}/`)).status, 405);
    const refused = await api.request('PATCH', `${base.id}/`, { deleted: true });
    assert.equal(refused.status, 400);
    assert.match((refused.body as Refusal).detail, /"with-cohort".*"dependent"/);
    await api.done('PATCH', `${flags}${flag.id}/`, { deleted: true });
    assert.equal((await api.request('PATCH', `${base.id}/`, { deleted: true })).status, 400);
    await api.done('PATCH', `${dependent.id}/`, { deleted: true });
    assert.equal((await api.done('PATCH', `${base.id}/`, { deleted: true }))['deleted'], true);

    assert.match(
      ((await api.request('PATCH', `${dependent.id}/`, { deleted: false })).body as Refusal).code,
      /cohort_does_not/,
    );
    const listed = await api.done<{ results: Cohort[] }>('GET', '?limit=1000');
    assert.ok(!listed.results.some(({ id }) => id === base.id || id === dependent.id));
    assert.equal((await api.done('PATCH', `${base.id}/`, { deleted: false })).count, 2);
  });

  it('are listed, the newest first, and found by name', async () => {
    const made = [await api.create('list 1', has('a', 1)), await api.create('list_2', has('a', 1))];
    const page = await api.done<{ count: number; next: string; results: Cohort[] }>('GET', '?search=LIST&limit=1');
    assert.deepEqual([page.count, page.results.map(({ id }) => id)], [2, [made[1]!.id]]);
    const next = await api.done<typeof page>('GET', new URL(page.next).search);
    assert.deepEqual(
      next.results.map(({ id }) => id),
      [made[0]!.id],
    );
    assert.equal((await api.done<typeof page>('GET', '?search=list_')).count, 1);
  });

  it('show their persons, page by page', async () => {
    type Page = { next: string | null; results: { id: string; distinct_ids: string[] }[] };
    const first = await api.done<Page>('GET', `${pro.id}/persons/?limit=1`);
    const second = await api.done<Page>('GET', `${pro.id}/persons/${new URL(first.next!).search}`);
    const found = [...first.results, ...second.results].flatMap((person) => person.distinct_ids).sort();
    assert.deepEqual([found, second.next], [['ann', 'bob'], null]);
  });

  it('record who changed them, and how', async () => {
    const made = await api.create('told', has('plan', 'pro'));
    await api.done('PATCH', `${made.id}/`, { name: 'told again' });
    await api.done('PATCH', `${made.id}/`, { name: 'told again' });
    await api.done('PATCH', `${made.id}/`, { deleted: true });
    type Entry = { activity: string; user: Body; detail: { name: string; version: number; changes: Body[] } };
    const { results } = await api.done<{ results: Entry[] }>('GET', `${made.id}/activity/`);
    assert.deepEqual(
      results.map(({ activity, detail }) => [
        activity,
        detail.version,
        detail.changes.map(({ field, before, after }) => [field, before, after]),
      ]),
      [
        ['deleted', 3, [['deleted', false, true]]],
        ['updated', 2, [['name', 'told', 'told again']]],
        ['created', 1, []],
      ],
    );
    assert.equal(results[0]!.user['id'], api.ours.userId);
  });
});
