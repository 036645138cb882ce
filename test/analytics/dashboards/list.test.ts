import assert from 'node:assert/strict';
import { dashboardManagement } from '../../../src/analytics/dashboards/dashboards.ts';
import { dashboardStores } from '../../../src/analytics/dashboards/stores.ts';
import type { Caller } from '../../../src/platform/http/access.ts';
import { rightsOfMember } from '../../../src/people/access/rights.ts';
import { startDashboardsApi, type Body, type DashboardsApi } from '../../support/api/dashboards-api.ts';

type Page = { count: number; next: string | null; previous: string | null; results: Body[] };

describe('the list of dashboards', () => {
  let api: DashboardsApi;

  before(async () => {
    api = await startDashboardsApi();
    const sql = api.sluice.db;
    const project = { project_id: api.ours.projectId, created_by: api.ours.userId };
    await sql('dashboards').insert([
      { ...project, name: 'Beta', tags: ['eu', 'sales'] },
      { ...project, name: null, description: 'has no name' },
      { ...project, name: 'Alpha', description: '100% of it_all' },
      { ...project, name: 'Marketing overview', pinned: true, tags: ['eu'] },
      { ...project, name: 'Alpha' },
      { ...project, name: 'Generated Dashboard 7' },
      { ...project, name: 'Hidden', creation_mode: 'unlisted' },
      { ...project, name: 'Deleted', deleted: true },
      { ...project, project_id: api.theirs.projectId, name: 'Theirs' },
    ]);
  });
  after(() => api.stop());

  const list = (query = '', key = api.key) => api.expectSuccess<Page>('GET', query, undefined, { key });
  const names = async (query = '', key = api.key) => (await list(query, key)).results.map(({ name }) => name);

  it('has pinned ones first, then goes by name; neither deleted nor unlisted ones', async () => {
    assert.deepEqual(await names(), ['Marketing overview', 'Alpha', 'Alpha', 'Beta', 'Generated Dashboard 7', null]);
    const ids = (await list()).results.map(({ id }) => id as number);
    assert(ids[1]! < ids[2]!, 'those of one name by age');
  });

  it('shows less than a single one', async () => {
    const [first] = (await list()).results as [Body];
    const fields =
      'id name description pinned created_at created_by is_shared deleted creation_mode tags ' +
      'restriction_level effective_restriction_level effective_privilege_level user_access_level access_control_version';
    assert.deepEqual(Object.keys(first), fields.split(' '));
  });

  it('comes in pages that neither repeat nor leave out', async () => {
    const seen: unknown[] = [];
    let page = await list('?limit=2');
    assert.deepEqual([page.count, page.previous], [6, null]);
    for (;;) {
      seen.push(...page.results.map(({ id }) => id));
      if (page.next === null) break;
      page = await list(new URL(page.next).search);
    }
    assert.deepEqual(
      seen,
      (await list()).results.map(({ id }) => id),
    );
    assert.match(page.previous!, /[?&]offset=2(&|$)/);
  });

  it('takes a limit and an offset that are no numbers for ones that were not given', async () => {
    const all = await list();
    for (const query of [
      '?limit=all&offset=none',
      '?limit=&offset=',
      '?limit=NaN',
      '?limit=null&offset=%20',
      '?limit=1.5&offset=70x',
      '?limit=1e1&offset=0x2',
      '?limit=-&offset=1-',
    ]) {
      assert.deepEqual(await list(query), all, query);
    }
    assert.match((await list('?limit=2&offset=x')).next!, /limit=2&offset=2$/);
  });

  for (const [query, expected] of [
    ['?tags=SALES', ['Beta']],
    ['?tags=sales&tags=eu', ['Marketing overview', 'Beta']],
    ['?tags=none', []],
    ['?creation_mode=unlisted', ['Hidden']],
    ['?creation_mode=default&tags=sales', ['Beta']],
    ['?exclude_generated=true', ['Marketing overview', 'Alpha', 'Alpha', 'Beta', null]],
    ['?search=', ['Marketing overview', 'Alpha', 'Alpha', 'Beta', 'Generated Dashboard 7', null]],
    ['?search=alpha', ['Alpha', 'Alpha']],
    ['?search=NO%20NAME', [null]],
    ['?search=sales', ['Beta']],
    ['?search=100%25', ['Alpha']],
    ['?search=it_all', ['Alpha']],
    ['?search=i_all', []],
    ['?search=markting', ['Marketing overview']],
    ['?search=zzz', []],
  ] as const) {
    it(`finds ${JSON.stringify(expected)} by ${query}`, async () => {
      assert.deepEqual(await names(query), expected);
    });
  }

  it('says how a search found each, what has the text before what is only like it', async () => {
    await api.create({ name: 'Alpah', pinned: true });
    const found = (await list('?search=alpha')).results.map(({ name, search_match_type: match }) => [name, match]);
    assert.deepEqual(found, [
      ['Alpha', 'exact'],
      ['Alpha', 'exact'],
      ['Alpah', 'similar'],
    ]);
    const second = await list('?search=alpha&limit=1&offset=2');
    assert.deepEqual([second.count, second.results.length, second.results[0]!['name']], [3, 1, 'Alpah']);
  });

  for (const [query, attr, detail] of [
    [`?search=${'x'.repeat(201)}`, 'search', /^Search query must be 200 characters or fewer\.$/],
    ['?exclude_generated=maybe', 'exclude_generated', /boolean/],
  ] as const) {
    it(`refuses ${query.slice(0, 30)}`, async () => {
      const refusal = await api.expectRefusal(400, 'GET', query);
      assert.equal(refusal.attr, attr);
      assert.match(refusal.detail, detail);
    });
  }

  it('leaves out exactly what a single request would refuse', async () => {
    const member = await api.join();
    const made = await api.create({ name: 'Secret' });
    const own = await api.create({ name: 'Own' }, member);
    for (const { id } of [made, own]) await api.rule(id, 'none');
    const seen = (await list('', member.key)).results.map(({ id }) => id as number);
    for (const { id } of (await list()).results as { id: number }[]) {
      const { status } = await api.request('GET', `${id}/`, undefined, member);
      assert.equal(status, seen.includes(id) ? 200 : 403);
    }
    assert(seen.includes(own.id) && !seen.includes(made.id));
    assert.equal((await names('?search=secret', member.key)).includes('Secret'), false);
  });

  it('costs as many queries for thirty as for one', async () => {
    const { sluice, ours } = api;
    const { db } = sluice;
    const stores = dashboardStores(db);
    const rights = rightsOfMember((await stores.accessControls.findMember(ours.projectId, ours.userId))!)!;
    const project = { id: ours.projectId, organizationId: ours.organizationId, name: '' };
    const unlimited = { onlyProjects: null, onlyOrganizations: null };
    const caller: Caller = {
      ...unlimited,
      keyId: null,
      scopes: ['*'],
      session: null,
      userId: ours.userId,
      projectId: null,
    };
    const { list: listed } = dashboardManagement({ stores, results: { getResults: async () => [] } });
    const people = await Promise.all(Array.from({ length: 5 }, () => api.join()));
    const row = (n: number) => ({ project_id: project.id, name: `Many ${n}`, created_by: people[n % 5]!.userId });
    await db('dashboards').insert(Array.from({ length: 30 }, (_, n) => row(n)));
    let queries = 0;
    const count = () => void (queries += 1);
    db.on('query', count);
    const counts: number[] = [];
    for (const query of [{ limit: 1 }, { limit: 30 }, { limit: 1, search: 'many' }, { limit: 30, search: 'many' }]) {
      queries = 0;
      const { results } = await listed({ project, caller, rights }, { offset: 0, ...query });
      assert.equal(results.length, query.limit);
      counts.push(queries);
    }
    db.off('query', count);
    assert.deepEqual(counts, [3, 3, 3, 3]);
  });
});
