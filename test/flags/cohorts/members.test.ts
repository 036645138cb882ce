import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import {
  buildForm,
  has,
  startCohortsApi,
  type Body,
  type Cohort,
  type CohortsApi,
} from '../../support/api/cohorts-api.ts';

type Refusal = { code: string; detail: string; attr: string | null };

describe('static cohorts', () => {
  let api: CohortsApi;

  before(async () => {
    api = await startCohortsApi();
    await api.capture(...['ann', 'bob', 'eve'].map((distinct_id) => ({ event: 'x', distinct_id })));
  });
  after(() => api.stop());

  const createStatic = (body: Body = {}) => api.done('POST', '', { name: 'listed', is_static: true, ...body });
  async function members({ id }: Cohort): Promise<string[]> {
    type Page = { results: { distinct_ids: string[] }[] };
    const { results } = await api.done<Page>('GET', `${id}/persons/`);
    return results.flatMap((person) => person.distinct_ids).sort();
  }

  it('begin empty, or with persons by their ids', async () => {
    assert.deepEqual([(await createStatic()).count, (await createStatic()).filters], [0, {}]);
    const nobody = '0190b6a0-0000-7000-8000-000000000000';
    const made = await createStatic({ _create_static_person_ids: [api.personOf('ann'), nobody, nobody] });
    assert.deepEqual([made.count, made.listed], [1, { added: 1, unknown_count: 1, unknown: [nobody] }]);
    assert.deepEqual(await members(made), ['ann']);
  });

  it('come as forms, whatever the order of the fields', async () => {
    const csv = 'distinct_id,name\nann,Ann\n"bob","B, ob"\nnobody,x\nann,again';
    const filters = JSON.stringify({ properties: { type: 'OR', values: [{ type: 'OR', values: [{}] }] } });
    const listed = { added: 2, unknown_count: 1, unknown: ['nobody'] };
    for (const fields of [
      { name: 'form', is_static: 'true', csv },
      { name: 'form', csv, is_static: 'true', filters },
      { csv, name: 'form', description: 'first the file' },
    ]) {
      const made = await api.done('POST', '', buildForm(fields));
      assert.deepEqual([made['name'], made['is_static'], made.count, made.listed], ['form', true, 2, listed]);
      assert.deepEqual(await members(made), ['ann', 'bob']);
    }
  });

  it('take more persons from a form or from the file alone', async () => {
    const made = await createStatic();
    const changed = await api.done('PATCH', `${made.id}/`, buildForm({ name: 'grown', csv: 'ann\n' }));
    assert.deepEqual([changed['name'], changed.count], ['grown', 1]);
    const added = await api.done(
      'PATCH',
      `${made.id}/`,
      `person_id\n${api.personOf('ann')}\n${api.personOf('eve')}\nno uuid\n`,
    );
    assert.deepEqual([added.count, added.listed], [2, { added: 1, unknown_count: 1, unknown: ['no uuid'] }]);
    assert.deepEqual(await members(made), ['ann', 'eve']);
  });

  it('take and lose single persons', async () => {
    const made = await createStatic();
    const [ann, bob] = [api.personOf('ann'), api.personOf('bob')];
    const added = await api.done<Body>('PATCH', `${made.id}/add_persons_to_static_cohort/`, { person_ids: [ann, bob] });
    assert.deepEqual(added, { success: true, added: 2, unknown_count: 0, unknown: [] });
    const removing = { person_id: ann };
    assert.deepEqual(await api.done('PATCH', `${made.id}/remove_person_from_static_cohort/`, removing), {
      success: true,
    });
    assert.equal((await api.request('PATCH', `${made.id}/remove_person_from_static_cohort/`, removing)).status, 404);
    assert.deepEqual([await members(made), (await api.done('GET', `${made.id}/`)).count], [['bob'], 1]);
    type Entry = { detail: { changes: { after: unknown; before: unknown }[] } };
    const { results } = await api.done<{ results: Entry[] }>('GET', `${made.id}/activity/`);
    assert.deepEqual(
      results.map(({ detail }) => detail.changes.map(({ before, after }) => before ?? after)),
      [[{ removed: ann }], [{ added: 2 }], []],
    );
  });

  it('hold who was in them when persons merge', async () => {
    await api.capture({ event: 'x', distinct_id: 'visitor' });
    const made = await createStatic({ _create_static_person_ids: [api.personOf('visitor')] });
    const properties = { $anon_distinct_id: 'visitor' };
    await api.capture({ event: '$identify', distinct_id: 'ann', properties });
    assert.deepEqual(await members(made), ['ann', 'visitor']);
  });

  it('decide flags', async () => {
    const made = await api.done('POST', '', buildForm({ name: 'beta', csv: 'bob' }));
    const filters = {
      groups: [{ properties: [{ type: 'cohort', key: 'id', value: made.id }], rollout_percentage: 100 }],
    };
    await api.done('POST', `/api/projects/${api.ours.projectId}/feature_flags/`, { key: 'beta', filters });
    const flagOf = async (distinct_id: string) => {
      const body = JSON.stringify({ token: api.ours.apiToken, distinct_id });
      const answer = await fetch(`${api.sluice.url}/flags/?v=1`, { method: 'POST', body });
      return ((await answer.json()) as { featureFlags: Body }).featureFlags['beta'];
    };
    assert.deepEqual([await flagOf('bob'), await flagOf('eve')], [true, false]);
    await api.done('PATCH', `${made.id}/`, 'eve');
    assert.equal(await flagOf('eve'), true);
  });

  it('hold a hundred thousand persons, and list unknown ones', async function () {
    this.timeout(300_000);
    const { pool } = api.sluice;
    const projectId = api.ours.projectId;
    await pool.query(
      `with made as (
         insert into persons select $1, gen_random_uuid(), jsonb_build_object('n', n), false, now() from generate_series(1, 5000) as n
         returning id, properties)
       insert into person_distinct_ids select $1, 'many-' || (properties ->> 'n'), id, 1, now() from made`,
      [projectId],
    );
    const rows = Array.from({ length: 100_000 }, (_, n) => `many-${n}`);
    const made = await api.done('POST', '', buildForm({ name: 'many', csv: `distinct_id\n${rows.join('\n')}` }));
    assert.equal(made.count, 5000);
    const {
      added,
      unknown_count: unknownCount,
      unknown,
    } = made.listed as { added: number; unknown_count: number; unknown: string[] };
    assert.deepEqual([added, unknownCount, unknown.length, unknown[0]], [5000, 95_000, 100, 'many-0']);
  });

  const refused: [
    what: string,
    path: (cohort: Cohort, dynamic: Cohort) => string,
    body: unknown,
    status: number,
    attr?: string,
  ][] = [
    ['persons for a dynamic one', (_, { id }) => `${id}/`, 'ann', 400, 'is_static'],
    [
      'ids for a dynamic one',
      (_, { id }) => `${id}/add_persons_to_static_cohort/`,
      { person_ids: ['0190b6a0-0000-7000-8000-000000000000'] },
      400,
    ],
    [
      'nobody',
      ({ id }) => `${id}/add_persons_to_static_cohort/`,
      { person_ids: ['0190b6a0-0000-7000-8000-000000000000'] },
      400,
      'person_ids',
    ],
    ['no list', ({ id }) => `${id}/add_persons_to_static_cohort/`, { person_ids: [] }, 400, 'person_ids'],
    ['no id', ({ id }) => `${id}/add_persons_to_static_cohort/`, { person_ids: ['ann'] }, 400, 'person_ids__0'],
    ['no person', ({ id }) => `${id}/remove_person_from_static_cohort/`, {}, 400, 'person_id'],
    [
      'filters',
      ({ id }) => `${id}/`,
      { filters: { properties: { type: 'OR', values: [has('a', 1)] } } },
      400,
      'filters',
    ],
    ['an unknown cohort', () => '999999/', 'ann', 404],
    ['a file that is too large', ({ id }) => `${id}/`, 'x'.repeat(60_000).concat('\n').repeat(400), 413],
  ];
  for (const [what, path, body, status, attr = null] of refused) {
    it(`refuse ${what}`, async () => {
      const [cohort, dynamic] = [await createStatic(), await api.create('dynamic', has('a', 1))];
      const answer = await api.request('PATCH', path(cohort, dynamic), body);
      assert.deepEqual([answer.status, (answer.body as Refusal).attr], [status, attr]);
    });
  }

  it('refuse forms that are none, or end too early', async () => {
    const { id } = await createStatic();
    const send = (type: string, body: string) =>
      fetch(`${api.sluice.url}/api/projects/${api.ours.projectId}/cohorts/${id}/`, {
        method: 'PATCH',
        headers: { Authorization: `Bearer ${api.key}`, 'Content-Type': type },
        body,
      });
    assert.equal((await send('multipart/form-data', 'x')).status, 400);
    assert.equal(
      (await send('multipart/form-data; boundary=x', '--x\r\nContent-Disposition: form-data; name="name"\r\n\r\nhalf'))
        .status,
      400,
    );
    assert.equal((await send('application/x-www-form-urlencoded', 'name=x')).status, 415);
    const whole = '--x\r\nContent-Disposition: form-data; name="name"\r\n\r\nwhole\r\n--x--\r\n';
    assert.equal((await send('multipart/form-data; boundary=x', whole)).status, 200);
  });

  it('let go of a request whose client leaves in the middle of the file', async () => {
    const { id } = await createStatic();
    const sent = httpRequest(`${api.sluice.url}/api/projects/${api.ours.projectId}/cohorts/${id}/`, {
      method: 'PATCH',
      headers: { Authorization: `Bearer ${api.key}`, 'Content-Type': 'text/csv', 'Content-Length': 100 },
    });
    sent.once('error', () => {});
    sent.write('ann\n');
    await new Promise((resolve) => setTimeout(resolve, 50));
    sent.destroy();
    assert.deepEqual(await members(await api.done('GET', `${id}/`)), []);
  });
});
