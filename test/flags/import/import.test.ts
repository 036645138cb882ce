/** `sluice flags import` of files, into a started Sluice. */
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { sluice, temporaryFolder, type Folder } from '../../support/flags/flag-import.ts';
import {
  filtersOnFlags,
  filtersWith,
  startFlagsApi,
  type Body,
  type Flag,
  type FlagsApi,
} from '../../support/api/flags-api.ts';
import { startFaultyProxy } from '../../support/servers/faulty-proxy.ts';
import { buildPersonalKey, buildTenant } from '../../support/api/identity.ts';

const pro = { type: 'person', key: 'plan', operator: 'exact', value: ['pro'] };
const isIn = (id: unknown) => ({ type: 'cohort', key: 'id', operator: 'in', value: id });
const cohort = (id: number, name: string, ...values: Body[]) => ({
  id,
  name,
  filters: { properties: { type: 'AND', values } },
});
const page = (...results: Body[]) => ({ count: results.length, next: null, previous: null, results });

const oldCohort = (id: number, name: string, ...properties: Body[]) => ({
  id,
  name,
  filters: {},
  groups: [{ properties }],
});
const onPattern = (value: string) => filtersWith({ type: 'person', key: 'email', operator: 'regex', value });

/** Lines without what tells a plan from what was done. */
const bare = (lines: string[]) => lines.slice(0, -1).map((line) => line.replace(/^(create|refuse)d? */, '$1  '));

describe('sluice flags import', () => {
  let api: FlagsApi;
  let folder: Folder;
  let key: string;
  let projectId: number;

  before(async () => {
    [api, folder] = [await startFlagsApi(), await temporaryFolder()];
  });
  after(async () => {
    await api.stop();
    await folder.remove();
  });
  beforeEach(async () => {
    const tenant = await buildTenant(api.sluice.db);
    projectId = tenant.projectId;
    key = await buildPersonalKey(api.sluice.db, tenant, 'feature_flag:write', 'cohort:write', 'activity_log:read');
  });

  const ask = async (method: string, path: string, body?: Body): Promise<Body> => {
    const answer = await fetch(`${api.sluice.url}/api/projects/${projectId}/${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answerBody = (await answer.json()) as Body;
    assert.ok(answer.ok, JSON.stringify(answerBody));
    return answerBody;
  };
  const get = async <T = Body>(path: string) => (await ask('GET', path)) as T;
  const make = async (path: string, body: Body) => ask('POST', path, body);
  const flags = async () => (await get<{ results: Flag[] }>('feature_flags/?order=id')).results;
  const flagOf = async (name: string) => (await flags()).find((one) => one.key === name)!;

  const run = (...words: string[]) =>
    sluice(['flags', 'import', '--url', api.sluice.url, '--project', String(projectId), ...words], {
      SLUICE_API_KEY: key,
    });
  const given = async (list: unknown, cohorts?: unknown) => [
    await folder.write('flags.json', list),
    ...(cohorts === undefined ? [] : ['--cohorts', await folder.write('cohorts.json', cohorts)]),
  ];

  describe('of dependencies', () => {
    it('makes them first, and puts the ids of this server into conditions', async () => {
      const list = page(
        { id: 93, key: 'late', filters: filtersOnFlags([91]) },
        { id: 92, key: 'early', filters: filtersWith(isIn(82), pro) },
        { id: 91, key: 'between', filters: filtersOnFlags([92], 'true') },
      );
      const cohorts = page(
        cohort(82, 'Outer', { type: 'OR', values: [{ ...isIn('81'), negation: true }, pro] }),
        cohort(81, 'Inner', pro),
        cohort(80, 'Not named', pro),
      );
      const { code, lines, stderr } = await run(...(await given(list, cohorts)));
      assert.deepEqual(lines, [
        'created  cohort  Inner',
        'created  cohort  Outer',
        'created  flag    early',
        'created  flag    between',
        'created  flag    late',
        '2 cohorts: 2 created. 3 flags: 3 created.',
      ]);
      assert.deepEqual([code, stderr], [0, '']);
      const made = (await get<{ results: Body[] }>('cohorts/')).results;
      const byName = new Map(
        made.map((one) => [one['name'], one as Body & { id: number; filters: { properties: Body } }]),
      );
      const inner = byName.get('Inner')!.id;
      const outer = byName.get('Outer')!;
      const [group] = outer.filters.properties['values'] as { values: Body[] }[];
      assert.deepEqual(group!.values[0], { ...isIn(inner), negation: true });
      const [early, between, late] = await flags();
      assert.equal((early!.filters['groups'] as { properties: Body[] }[])[0]!.properties[0]!['value'], outer.id);
      assert.deepEqual([between!.filters, late!.filters], [filtersOnFlags([early!.id]), filtersOnFlags([between!.id])]);
    });

    it('reads the conditions of old cohorts, in their groups', async () => {
      const list = [{ id: 1, key: 'old', filters: filtersWith(isIn(6)) }];
      const { lines } = await run(...(await given(list, [oldCohort(6, 'Six', isIn(5)), oldCohort(5, 'Five', pro)])));
      assert.deepEqual(lines.slice(0, 3), ['created  cohort  Five', 'created  cohort  Six', 'created  flag    old']);
    });

    it('names the members of a circle, and what hangs on it', async () => {
      const list = [
        { id: 4, key: 'hanging', filters: filtersOnFlags([3]) },
        { id: 3, key: 'c', filters: filtersOnFlags([1]) },
        { id: 2, key: 'b', filters: filtersOnFlags([3]) },
        { id: 1, key: 'a', filters: filtersOnFlags([2]) },
        { id: 5, key: 'itself', filters: filtersWith(isIn(7)) },
      ];
      const { code, lines } = await run(...(await given(list, [cohort(7, 'Seven', isIn(7))])));
      const named = 'filters__groups__0__properties__0__key: It depends on the flag';
      assert.deepEqual(lines, [
        'refused  cohort  Seven  filters: It depends on itself: Seven → Seven.',
        'refused  flag    itself  filters__groups__0__properties__0__value: It names the cohort Seven, which was refused.',
        'refused  flag    c  filters: It depends on itself: a → b → c → a.',
        `refused  flag    b  ${named} c, which was refused.`,
        `refused  flag    a  ${named} b, which was refused.`,
        `refused  flag    hanging  ${named} c, which was refused.`,
        '1 cohort: 1 refused. 5 flags: 5 refused.',
      ]);
      assert.equal(code, 2);
      assert.deepEqual(await flags(), []);
    });

    it('refuses ids that the export does not explain: here they may be other objects', async () => {
      const { id } = await make('feature_flags/', { key: 'other' });
      const list = [
        { id: 90001, key: 'stray', filters: filtersOnFlags([id as number]) },
        { id: 90002, key: 'gone', deleted: true, filters: filtersWith(pro) },
        { id: 90003, key: 'on-gone', filters: filtersOnFlags([90002]) },
        { id: 90004, key: 'off', active: false, filters: filtersWith(pro) },
        { id: 90005, key: 'on-off', filters: filtersOnFlags([90004]) },
        { id: 90006, key: 'of-cohort', filters: filtersWith(isIn(9)) },
      ].toReversed();
      const { lines } = await run(...(await given(list)));
      const attr = 'filters__groups__0__properties__0__';
      assert.deepEqual(lines.slice(0, -1), [
        'skipped  flag    gone  deleted in the export',
        `refused  flag    stray  ${attr}key: It depends on the flag ${id as number}, which is not in the export.`,
        `refused  flag    on-gone  ${attr}key: It depends on the flag gone, which is deleted in the export.`,
        'created  flag    off  inactive',
        `refused  flag    on-off  ${attr}key: It depends on the flag off, which is inactive. A flag can depend only on active flags. Activate it or remove the condition at the source, and export again.`,
        `refused  flag    of-cohort  ${attr}value: It names the cohort 9, which is not in the export; name a file of cohorts with --cohorts.`,
      ]);
      assert.equal((await flagOf('off')).active, false);
    });
  });

  describe('a second time', () => {
    it('makes nothing twice and changes nothing', async () => {
      const files = await given(
        [
          {
            id: 2,
            key: 'two',
            filters: filtersWith(isIn(8)),
            tags: ['Red'],
            name: 'Two',
            evaluation_runtime: 'server',
          },
          {
            id: 1,
            key: 'one',
            filters: { ...filtersWith(pro), payloads: { true: { a: 1 } } },
            evaluation_tags: ['web'],
          },
          { id: 3, key: 'on-two', filters: filtersOnFlags([2], 'true') },
          { id: 4, key: 'config', is_remote_configuration: true, filters: { groups: [{ rollout_percentage: 0 }] } },
        ],
        [cohort(8, 'Eight', pro)],
      );
      assert.equal((await run(...files)).code, 0);
      const before = [await flags(), (await get('cohorts/'))['results']];
      for (const more of [[], ['--update'], ['--dry-run'], ['--update', '--dry-run']]) {
        const { code, lines } = await run(...files, ...more);
        assert.match(lines.at(-1)!, /^1 cohort: 1 exists\. 4 flags: 4 exists\./, lines.join('\n'));
        assert.equal(code, 0);
        assert.ok(!lines.join().includes('differs'), lines.join('\n'));
      }
      assert.deepEqual([await flags(), (await get('cohorts/'))['results']], before);
    });

    it('reports differences, and applies them with --update', async () => {
      const cohorts = [cohort(8, 'Eight', pro)];
      const list = [{ id: 1, key: 'one', filters: filtersWith(isIn(8)), active: false, tags: ['a'] }];
      const eight = await make('cohorts/', { ...cohort(1, 'Eight', { ...pro, value: ['team'] }), description: 'Ours' });
      await make('feature_flags/', { key: 'one', name: 'Ours' });
      const { lines, code } = await run(...(await given(list, cohorts)));
      assert.deepEqual(lines, [
        'exists   cohort  Eight  differs in filters; --update changes it',
        'exists   flag    one  differs in filters, active, tags; --update changes it',
        '1 cohort: 1 exists. 1 flag: 1 exists.',
      ]);
      assert.equal(code, 0);
      const planned = await run(...(await given(list, cohorts)), '--update', '--dry-run');
      assert.deepEqual(planned.lines.slice(0, 2), ['update   cohort  Eight', 'update   flag    one  inactive']);
      assert.equal((await flagOf('one')).active, true);
      const updated = await run(...(await given(list, cohorts)), '--update');
      assert.deepEqual(updated.lines.slice(0, 2), ['updated  cohort  Eight', 'updated  flag    one  inactive']);
      const one = await flagOf('one');
      assert.deepEqual(
        [one.active, one['tags'], one['name'], one.filters],
        [false, ['a'], 'Ours', filtersWith(isIn(eight['id']))],
      );
      const now = await get(`cohorts/${String(eight['id'])}/`);
      assert.deepEqual([now['filters'], now['description']], [cohorts[0]!.filters, 'Ours']);
      const activity = await get<{ results: Body[] }>(`feature_flags/${one.id}/activity/`);
      assert.deepEqual(
        activity.results.map((entry) => entry['activity']),
        ['updated', 'created'],
      );
    });

    it('says without --update why a flag or a cohort cannot be compared, as --update refuses it', async () => {
      const cohorts = [cohort(7, 'Seven', isIn(88))];
      const list = [
        { id: 1, key: 'stray', filters: filtersWith(isIn(88)) },
        { id: 2, key: 'base', filters: onPattern('a(?!b)') },
        { id: 3, key: 'above', filters: filtersOnFlags([5]) },
        { id: 4, key: 'of-seven', filters: filtersWith(isIn(7)) },
        { id: 5, key: 'missing', filters: filtersWith(isIn(88)) },
      ].toReversed();
      for (const name of ['stray', 'base', 'above', 'of-seven']) await make('feature_flags/', { key: name });
      await make('cohorts/', cohort(1, 'Seven', pro));
      const files = await given(list, cohorts);
      const asIs = await run(...files);
      const inEach = 'filters__groups__0__properties__0__';
      const reasons = [
        ['cohort  Seven', 'filters__properties__values__0__value: It names the cohort 88, which is not in the export.'],
        ['flag    stray', `${inEach}value: It names the cohort 88, which is not in the export.`],
        ['flag    base', `${inEach}value: A lookahead`],
        ['flag    above', `${inEach}key: It depends on the flag missing, which was refused.`],
      ];
      const updated = await run(...files, '--update');
      for (const [name, reason] of reasons) {
        assert.ok(asIs.stdout.includes(`exists   ${name}  cannot be compared: ${reason}`), asIs.stdout);
        assert.ok(updated.stdout.includes(`refused  ${name}  ${reason}`), updated.stdout);
      }
      assert.ok(
        asIs.stdout.includes('exists   flag    of-seven  differs in filters; --update changes it'),
        asIs.stdout,
      );
    });

    it('continues where it was interrupted', async () => {
      const list = Array.from({ length: 6 }, (_, index) => ({
        id: index + 1,
        key: `f${index}`,
        filters: filtersWith(pro),
      })).toReversed();
      const files = await given(list);
      let posts = 0;
      const proxy = await startFaultyProxy(api.sluice.url, ({ method }) =>
        method === 'POST' && ++posts > 3 ? '403' : undefined,
      );
      const through = ['flags', 'import', '--url', proxy.origin, '--project', String(projectId), ...files];
      const stopped = await sluice(through, { SLUICE_API_KEY: key });
      proxy.close();
      assert.deepEqual([stopped.code, stopped.lines.length], [1, 3], stopped.stderr);
      assert.match(stopped.stderr, /does not let this key create flags/);
      const { lines, code } = await run(...files);
      assert.deepEqual([lines.at(-1), code], ['0 cohorts. 6 flags: 3 created, 3 exists.', 0]);
    });

    it('finds what was made by a request whose answer was lost', async () => {
      const files = await given([{ id: 1, key: 'lost', filters: filtersWith(isIn(8)) }], [cohort(8, 'Lost', pro)]);
      const lost = new Set<string>();
      const proxy = await startFaultyProxy(api.sluice.url, ({ method, url }) => {
        if (method !== 'POST' || lost.has(url)) return undefined;
        lost.add(url);
        return 'drop';
      });
      const through = ['flags', 'import', '--url', proxy.origin, '--project', String(projectId), ...files];
      const { lines, code } = await sluice(through, { SLUICE_API_KEY: key });
      proxy.close();
      assert.deepEqual(lines.slice(0, 2), ['created  cohort  Lost', 'created  flag    lost']);
      assert.deepEqual([code, lost.size, (await get('cohorts/'))['count']], [0, 2, 1]);
    });
  });

  it('takes all that the API takes of a flag, and names what it leaves out', async () => {
    const fields = {
      key: 'all',
      name: 'All of it',
      active: true,
      tags: ['one', 'two'],
      evaluation_runtime: 'client',
      bucketing_identifier: 'device_id',
      evaluation_contexts: ['web'],
      ensure_experience_continuity: false,
      is_remote_configuration: false,
      has_encrypted_payloads: false,
      filters: {
        groups: [{ properties: [{ ...pro, label: 'Plan' }], rollout_percentage: 33.3, variant: 'b', sort_key: 'x' }],
        multivariate: {
          variants: [
            { key: 'a', rollout_percentage: 50 },
            { key: 'b', rollout_percentage: 50 },
          ],
        },
        payloads: { b: '[1]' },
        super_groups: [
          { properties: [{ type: 'person', key: '$feature_enrollment/all', operator: 'exact', value: ['true'] }] },
        ],
        feature_enrollment: true,
        holdout: { id: 77, exclusion_percentage: 10 },
        early_exit: true,
      },
    };
    const more = {
      id: 5,
      version: 9,
      is_simple_flag: false,
      rollout_percentage: 30,
      surveys: [{ id: 'x' }],
      archived: true,
      ephemeral: 'soon',
    };
    const filters = { ...fields.filters, bucket: 3 };
    const { lines } = await run(...(await given([{ ...fields, ...more, filters }])));
    assert.equal(lines[0], 'created  flag    all  left out: filters__bucket, surveys, archived, ephemeral');
    const made = await flagOf('all');
    for (const [name, value] of Object.entries(fields)) assert.deepEqual(made[name], value, name);
  });

  it('says of each flag that its encrypted payload is missing, until it is there', async () => {
    const filters = { groups: [{ rollout_percentage: 100 }], payloads: { true: '"********* (encrypted)"' } };
    const files = await given([
      { id: 1, key: 'secret', is_remote_configuration: true, has_encrypted_payloads: true, filters },
    ]);
    const note = 'the payload is missing: it is encrypted, and the export masks it; set it here';
    const first = await run(...files);
    assert.deepEqual([first.lines[0], first.code], [`created  flag    secret  ${note}`, 2]);
    const second = await run(...files, '--update');
    assert.deepEqual([second.lines[0], second.code], [`exists   flag    secret  ${note}`, 2]);
    const { id } = await flagOf('secret');
    const payloads = { true: '{"a": 1}' };
    await ask('PATCH', `feature_flags/${id}/`, { filters: { groups: [{ rollout_percentage: 100 }], payloads } });
    const third = await run(...files, '--update');
    assert.deepEqual([third.lines[0], third.code], ['exists   flag    secret', 0]);
    const body = { filters: { ...filters, multivariate: null, payloads } };
    await ask('PATCH', `feature_flags/${id}/`, body);
    const fourth = await run(...files);
    assert.deepEqual([fourth.lines[0], fourth.code], ['exists   flag    secret', 0]);
    await ask('PATCH', `feature_flags/${id}/`, { filters: { groups: [{ rollout_percentage: 50 }], payloads } });
    const fifth = await run(...files, '--update');
    assert.deepEqual([fifth.lines[0], fifth.code], ['updated  flag    secret', 0]);
    const config = await get(`feature_flags/${id}/`);
    assert.deepEqual(Object.keys((config['filters'] as { payloads: Body }).payloads), ['true']);
  });

  it('points to the docs for patterns with lookaround or a back-reference', async () => {
    const list = [
      { id: 3, key: 'unclosed', filters: onPattern('(') },
      { id: 2, key: 'twice', filters: onPattern('(a)\\1') },
      { id: 1, key: 'behind', filters: onPattern('(?<!a)b') },
    ];
    for (const dry of [['--dry-run'], []]) {
      const { lines } = await run(...(await given(list)), ...dry);
      const hint = '(docs/feature-flags.md, "Patterns without lookaround", shows equivalents)';
      assert.deepEqual(
        lines.map((line) => line.includes(hint)),
        [true, true, false, false],
        lines.join('\n'),
      );
      assert.match(lines[1]!, /filters__groups__0__properties__0__value: A back-reference/);
    }
  });

  it('says the same in a dry run as in a real one of what the API refuses', async () => {
    const list = [
      { id: 1, key: 'white space', filters: filtersWith(pro) },
      { id: 2, key: 'misspelt', filters: { groups: [{ rollout_percentge: 5 }] } },
      {
        id: 3,
        key: 'sum',
        filters: { ...filtersWith(pro), multivariate: { variants: [{ key: 'a', rollout_percentage: 60 }] } },
      },
      { id: 4, key: 'without' },
      { id: 5, key: 'text', filters: 'everybody' },
      { id: 6, key: 'empty', filters: {} },
      { id: 7, key: 'runtime', filters: filtersWith(pro), evaluation_runtime: 'edge' },
      { id: 8, key: 'null', filters: filtersWith({ ...pro, value: 'a\0' }) },
      { id: 9, key: 'group', filters: filtersWith({ ...pro, type: 'group' }) },
      { id: 10, key: 'fine', filters: filtersWith(pro) },
      { id: 11, key: 'behavioural', filters: filtersWith(isIn(4)) },
    ];
    const files = await given(list, [cohort(4, 'Behaved', { type: 'behavioral', key: 'x' })]);
    const [dry, real] = [await run(...files, '--dry-run'), await run(...files)];
    assert.deepEqual(bare(dry.lines), bare(real.lines));
    assert.match(real.lines.at(-1)!, /^1 cohort: 1 refused\. 11 flags: 1 created, 10 refused\.$/);
    assert.match(dry.lines.at(-1)!, /Nothing was written\.$/);
    assert.match(real.stdout, /refused +flag +without +filters: A flag without filters/);
    assert.deepEqual(
      (await flags()).map((flag) => flag.key),
      ['fine'],
    );
  });

  it('uses a static cohort of the same name that is here, and none where there are two', async () => {
    const list = [{ id: 1, key: 'invited', filters: filtersWith(isIn(3)) }];
    const files = await given(list, [{ id: 3, name: 'Invited', is_static: true, filters: {} }]);
    assert.match(
      (await run(...files)).lines[0]!,
      /^refused {2}cohort {2}Invited {2}is_static: The export does not contain/,
    );
    const { id } = await make('cohorts/', { name: 'Invited', is_static: true });
    const { lines, code } = await run(...files);
    assert.deepEqual([...lines.slice(0, 2), code], ['exists   cohort  Invited', 'created  flag    invited', 0]);
    assert.deepEqual((await flagOf('invited')).filters, filtersWith(isIn(id)));
    await make('cohorts/', { name: 'Invited', is_static: true });
    assert.match(
      (await run(...files)).lines[0]!,
      /^refused {2}cohort {2}Invited {2}name: 2 cohorts here have this name/,
    );
  });

  it('refuses flags of one key, and takes one that stands on two pages once', async () => {
    const twin = { key: 'twin', filters: filtersWith(pro) };
    const one = { id: 1, key: 'one', filters: filtersWith(pro) };
    const first = await folder.write('first.json', page({ ...twin, id: 2 }, one));
    const second = await folder.write('second.json.gz', gzipSync(JSON.stringify([one, { ...twin, id: 3 }])));
    const { lines } = await run(first, second);
    const twice =
      'refused  flag    twin  key: 2 flags of the export have this key, which must be unique. Rename all but one.';
    assert.deepEqual(lines, [twice, 'created  flag    one', twice, '0 cohorts. 3 flags: 1 created, 2 refused.']);
  });

  it('warns of a page that is not the last one', async () => {
    const file = await folder.write('page.json', {
      count: 3,
      next: 'https://eu.posthog.com/x?offset=1',
      results: [{ id: 1, key: 'one', filters: filtersWith(pro) }],
    });
    const { stderr, code } = await run(file);
    assert.match(stderr, /page\.json is a page of a longer list: 1 of 3 flags are given/);
    assert.equal(code, 2);
    const pages: [Body, RegExp][] = [
      [{ next: 'https://eu.posthog.com/x?offset=1' }, /page of a longer list: the last page is missing/],
      [{ count: 3, next: null, previous: 'https://eu.posthog.com/x' }, /page of a longer list: 1 of 3 flags are given/],
    ];
    for (const [around, message] of pages) {
      const part = await folder.write('part.json', {
        ...around,
        results: [{ id: 1, key: 'one', filters: filtersWith(pro) }],
      });
      const result = await run(part);
      assert.match(result.stderr, message);
      assert.equal(result.code, 2);
    }
    const cohorts = await folder.write('part-of-cohorts.json', {
      count: 2,
      next: 'https://x.test',
      results: [cohort(8, 'Eight', pro)],
    });
    const whole = await folder.write('whole.json', [{ id: 1, key: 'one', filters: filtersWith(pro) }]);
    const result = await run(whole, '--cohorts', cohorts);
    assert.match(result.stderr, /part-of-cohorts\.json is a page of a longer list: 1 of 2 cohorts are given/);
    assert.equal(result.code, 2);
  });

  it('prints lines of JSON', async () => {
    const { lines } = await run(
      ...(await given([
        { id: 4, key: 'one', filters: { ...filtersWith(pro), bucket: 1 } },
        { id: 3, key: 'a b', filters: filtersWith(pro) },
      ])),
      '--json',
    );
    const [refused, created, summary] = lines.map((line) => JSON.parse(line) as Body);
    assert.deepEqual(created, {
      kind: 'flag',
      name: 'one',
      outcome: 'created',
      id: (await flagOf('one')).id,
      active: true,
      refusal: null,
      differs: [],
      source_id: 4,
      left_out: ['filters__bucket'],
      without_payload: false,
    });
    const reason = 'Only letters, numbers, hyphens (-) & underscores (_) are allowed.';
    assert.deepEqual(
      [refused!['outcome'], refused!['refusal']],
      ['refused', { attr: 'key', code: 'invalid_key', reason }],
    );
    assert.deepEqual([summary!['incomplete'], summary!['dry_run']], [1, false]);
  });

  it('writes out characters that would move the cursor of a terminal', async () => {
    const { stdout } = await run(...(await given([{ id: 1, key: 'a\u001b[2Jb\u202ec', filters: filtersWith(pro) }])));
    assert.match(stdout, /^refused {2}flag {4}a\\u\{1b\}\[2Jb\\u\{202e\}c {2}key: /);
  });
});
