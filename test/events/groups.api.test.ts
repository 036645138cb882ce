import assert from 'node:assert/strict';
import { startLookups, type Lookups } from '../support/lookups.ts';

type Written = { key: string; typeIndex?: number; properties?: object; createdAt?: string; projectId?: number };

describe('groups over HTTP', () => {
  let lookups: Lookups;
  const keys = async (query: string) =>
    (await lookups.pages(`/groups/${query}`)).map((page) => page.map(({ group_key: key }) => key));

  const write = ({ key, typeIndex = 0, properties = {}, createdAt, projectId = lookups.ours.projectId }: Written) =>
    lookups.db('groups').insert({
      project_id: projectId,
      group_type_index: typeIndex,
      group_key: key,
      properties: JSON.stringify(properties),
      created_at: createdAt ?? '2015-05-17T10:05:03.123456Z',
      version: 1,
    });

  beforeEach(async () => {
    lookups = await startLookups();
  });
  afterEach(() => lookups.close());

  it('are of types, in the order of their indexes', async () => {
    const { db, ours, theirs, request } = lookups;
    const typeOf = (projectId: number, index: number, type: string) =>
      db('group_types').insert({ project_id: projectId, group_type_index: index, group_type: type });
    await typeOf(ours.projectId, 1, 'team');
    await typeOf(ours.projectId, 0, 'company');
    await typeOf(theirs.projectId, 0, 'theirs');
    assert.deepEqual((await request('GET', '/groups_types/')).body, [
      { group_type: 'company', group_type_index: 0 },
      { group_type: 'team', group_type_index: 1 },
    ]);
  });

  it('are shown with what is known of them', async () => {
    await write({ key: 'acme/"é"', typeIndex: 2, properties: { name: 'Acme' } });
    const shown = {
      group_type_index: 2,
      group_key: 'acme/"é"',
      group_properties: { name: 'Acme' },
      created_at: '2015-05-17T10:05:03.123456Z',
    };
    const query = `?group_type_index=2&group_key=${encodeURIComponent('acme/"é"')}`;
    assert.deepEqual((await lookups.request('GET', `/groups/find/${query}`)).body, shown);
    assert.deepEqual((await lookups.pages('/groups/?group_type_index=2')).flat(), [shown]);
  });

  it('come newest first, page by page, whatever their keys are', async () => {
    for (const [index, key] of ['"quoted"', '\\', 'plain', '?&=', '🏢'].entries()) {
      await write({ key, createdAt: `2015-05-1${index}T00:00:00Z` });
    }
    assert.deepEqual(await keys('?group_type_index=0&limit=1'), [['🏢'], ['?&='], ['plain'], ['\\'], ['"quoted"']]);
  });

  it('are found by type and by parts of key and name, in their own project only', async () => {
    await write({ key: 'acme_1', properties: { name: 'Acme, Inc.' } });
    await write({ key: 'other', typeIndex: 1 });
    await write({ key: 'theirs', projectId: lookups.theirs.projectId });
    const cases: [query: string, found: string[]][] = [
      ['?group_type_index=0', ['acme_1']],
      ['?group_type_index=1', ['other']],
      ['?group_type_index=0&search=ACME', ['acme_1']],
      ['?group_type_index=0&search=inc', ['acme_1']],
      ['?group_type_index=0&search=_', ['acme_1']],
      ['?group_type_index=0&search=%25', []],
      ['?group_type_index=0&search=theirs', []],
    ];
    for (const [query, found] of cases) assert.deepEqual((await keys(query)).flat(), found, query);
    for (const query of ['0&group_key=theirs', '1&group_key=acme_1', '0&group_key=acme']) {
      assert.equal((await lookups.request('GET', `/groups/find/?group_type_index=${query}`)).status, 404);
    }
  });

  const bad: [path: string, attr: string][] = [
    ['/groups/', 'group_type_index'],
    ['/groups/?group_type_index=5', 'group_type_index'],
    ['/groups/?group_type_index=x', 'group_type_index'],
    [`/groups/?group_type_index=0&search=${'x'.repeat(10_240)}`, 'search'],
    [`/groups/?group_type_index=0&cursor=${btoa('["olderThan","2015-05-17T10:00:00.000000Z","\\u0000"]')}`, 'cursor'],
    ['/groups/find/?group_type_index=0', 'group_key'],
    ['/groups/find/?group_type_index=0&group_key=%00', 'group_key'],
  ];
  for (const [path, attr] of bad) {
    it(`are not asked for by ${path.slice(0, 60)}`, async () => {
      const { status, body } = await lookups.request('GET', path);
      assert.deepEqual([status, (body as { attr: string }).attr], [400, attr]);
    });
  }
});
