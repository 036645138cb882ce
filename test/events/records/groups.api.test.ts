import assert from 'node:assert/strict';
import { startLookups, type Lookups } from '../../support/database/lookups.ts';

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
      { group_type: 'company', group_type_index: 0, name_singular: null, name_plural: null },
      { group_type: 'team', group_type_index: 1, name_singular: null, name_plural: null },
    ]);
  });

  it('are of types that people may call otherwise, all or none', async () => {
    const { db, ours, theirs, request } = lookups;
    for (const { projectId } of [ours, theirs]) {
      await db('group_types').insert({ project_id: projectId, group_type_index: 0, group_type: 'org' });
    }
    const call = (...names: object[]) => request('PATCH', '/groups_types/update_metadata/', names);
    const shown = { group_type: 'org', group_type_index: 0 };
    const named = { name_singular: 'firm', name_plural: 'firms?' };
    assert.deepEqual((await call({ group_type_index: 0, ...named })).body, [{ ...shown, ...named }]);
    assert.equal((await call({ group_type_index: 0, name_singular: 'x' }, { group_type_index: 1 })).status, 400);
    assert.deepEqual((await call({ group_type_index: 0, name_singular: null })).body, [
      { ...shown, name_singular: null, name_plural: 'firms?' },
    ]);
    assert.deepEqual((await db('group_types').where({ project_id: theirs.projectId })).length, 1);
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

  it('are made and changed, property by property', async () => {
    const { db, ours, request } = lookups;
    await db('group_types').insert({ project_id: ours.projectId, group_type_index: 0, group_type: 'company' });
    const group = { group_type_index: 0, group_key: 'acme?', group_properties: { tier: 'gold' } };
    const made = await request('POST', '/groups/', group);
    const { created_at: _, ...shown } = made.body as Record<string, unknown>;
    assert.deepEqual([made.status, shown], [201, group]);
    const again = (await request('POST', '/groups/', group)).body as { code: string; attr: string };
    assert.deepEqual([again.code, again.attr], ['unique', 'group_key']);

    const query = '?group_type_index=0&group_key=acme%3F';
    const change = async (what: string, body: object) =>
      ((await request('POST', `/groups/${what}_property/${query}`, body)).body as Record<string, unknown>)[
        'group_properties'
      ];
    assert.deepEqual(await change('update', { key: 'tier', value: null }), { tier: null });
    assert.deepEqual(await change('update', { key: 'a?:b', value: [1, '?'] }), { tier: null, 'a?:b': [1, '?'] });
    assert.deepEqual(await change('delete', { $unset: 'tier' }), { 'a?:b': [1, '?'] });
    assert.deepEqual(await change('delete', { $unset: 'nothing' }), { 'a?:b': [1, '?'] });
    assert.equal((await db('groups').first('version'))?.version, '5');
  });

  it('grow to a mebibyte', async () => {
    await write({ key: 'large', properties: { text: 'x'.repeat(1_000_000) } });
    const path = '/groups/update_property/?group_type_index=0&group_key=large';
    const answer = await lookups.request('POST', path, { key: 'more', value: 'x'.repeat(100_000) });
    assert.deepEqual([answer.status, (answer.body as { attr: string }).attr], [400, 'value']);
    assert.equal((await lookups.request('POST', path, { key: 'more', value: 'x' })).status, 200);
  });

  const refused: [path: string, body: object, status: number, attr: string | null][] = [
    ['/groups/', { group_type_index: 0 }, 400, 'group_key'],
    ['/groups/', { group_type_index: 0, group_key: '' }, 400, 'group_key'],
    ['/groups/', { group_type_index: 4, group_key: 'x' }, 400, 'group_type_index'],
    ['/groups/update_property/?group_type_index=0&group_key=nobody', { key: 'a', value: 1 }, 404, null],
    ['/groups/update_property/?group_type_index=0&group_key=x', { value: 1 }, 400, 'key'],
    ['/groups/update_property/?group_type_index=0&group_key=x', { key: 'a' }, 400, 'value'],
    ['/groups/update_property/?group_type_index=0', { key: 'a', value: 1 }, 400, 'group_key'],
    ['/groups/delete_property/?group_type_index=0&group_key=nobody', { $unset: 'a' }, 404, null],
    ['/groups/delete_property/?group_type_index=0&group_key=x', {}, 400, '$unset'],
  ];
  for (const [path, body, status, attr] of refused) {
    it(`are not changed by ${path} ${JSON.stringify(body)}`, async () => {
      const answer = await lookups.request('POST', path, body);
      assert.deepEqual([answer.status, (answer.body as { attr: string }).attr], [status, attr]);
    });
  }

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
    it(`are refused for ${path.slice(0, 60)}`, async () => {
      const { status, body } = await lookups.request('GET', path);
      assert.deepEqual([status, (body as { attr: string }).attr], [400, attr]);
    });
  }
});
