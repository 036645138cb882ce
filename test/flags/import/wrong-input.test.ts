/** `sluice flags import` of what is no export, or too much of one. */
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { printable, printableJson } from '../../../src/flags/import/lines.ts';
import { dependencyOrder } from '../../../src/flags/import/dependency-order.ts';
import { sluice, temporaryFolder, type Folder } from '../../support/flags/flag-import.ts';
import { filtersWith, startFlagsApi, type FlagsApi } from '../../support/api/flags-api.ts';

/** End of an error about a limit. */
const TOGETHER = ', with all its files or pages.\n';

describe('sluice flags import', () => {
  let api: FlagsApi;
  let folder: Folder;

  before(async () => {
    [api, folder] = [await startFlagsApi(), await temporaryFolder()];
  });
  after(async () => {
    await api.stop();
    await folder.remove();
  });

  const run = (...words: string[]) =>
    sluice(['flags', 'import', '--url', api.sluice.url, '--project', String(api.ours.projectId), ...words], {
      SLUICE_API_KEY: api.key,
    });

  const flags: [string, unknown, string][] = [
    ['broken JSON', '{"results": [\n', ' is not valid JSON: it ends too early, in line 2.'],
    ['a comma too many', '[{"id": 1},\n{"id": 2},\n]', ' is not valid JSON, at line 3, column 1.'],
    ['a word', '[{"id": 1, "key": "one"},\n  {"id": yes, "key": "two"}]', ' is not valid JSON, at line 2, column 10.'],
    ['a word at the beginning', 'flags: [{"id": 1, "key": "one"}]', ' is not valid JSON, at line 1, column 2.'],
    ['a page of HTML', '<html>', ' is not valid JSON, at line 1, column 1.'],
    ['an empty file', '', ' is not valid JSON: it is empty.'],
    ['a text', '"flags"', ' does not contain a list: an array, or an object with results, is expected.'],
    ['an object without results', {}, ': results is missing or not an array.'],
    ['results that are none', { results: {} }, ': results is missing or not an array.'],
    ['an item that is none', { results: [[]] }, ': results[0] is not a flag: an object is expected.'],
    [
      'a flag without a key',
      [{ id: 1, key: 'a' }, { id: 2 }],
      ': [1].key is missing or not a text: this is not a list of flags.',
    ],
    [
      'an id that is a text',
      [{ id: '7', key: 'a' }],
      ': [0].id is not an id: a whole number from 1 to 2147483647 is expected.',
    ],
    ['active that is a text', [{ id: 7, key: 'a', active: 'yes' }], ': [0].active is not true or false.'],
    ['deleted that is a number', [{ id: 7, key: 'a', deleted: 1 }], ': [0].deleted is not true or false.'],
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22]), ' is not valid UTF-8.'],
    ['broken gzip', gzipSync('[]').subarray(0, 12), ' could not be read to its end'],
  ];
  for (const [what, content, message] of flags) {
    it(`names the file and the field of ${what}, without a stack, and writes nothing`, async () => {
      const file = await folder.write('wrong.json', content);
      const { code, stdout, stderr } = await run(file);
      assert.deepEqual([code, stdout], [1, '']);
      assert.ok(stderr.startsWith(`sluice: ${file}${message}`), stderr);
      assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
    });
  }

  it('prints the names of files without what moves the cursor', async () => {
    const file = await folder.write('wrong\u001b[2J\u202e.json', '5');
    assert.ok((await run(file)).stderr.includes('/wrong\\u{1b}[2J\\u{202e}.json does not contain a list'));
    const missing = await run(`${folder.path}/none\u001b[2J`);
    assert.ok(missing.stderr.includes('/none\\u{1b}[2J cannot be read (ENOENT)'), missing.stderr);
  });

  it('escapes in JSON all that a terminal acts on', async () => {
    const name = 'a\u007f\u009b2J\u202eb';
    const file = await folder.write('strange.json', [{ id: 1, key: name, filters: filtersWith() }]);
    const { lines } = await run(file, '--json', '--dry-run');
    assert.ok(lines[0]!.includes('"a\\u007f\\u009b2J\\u202eb"'), lines[0]);
    assert.equal((JSON.parse(lines[0]!) as { name: string }).name, name);
  });

  it('sends no key in the open', async () => {
    const file = await folder.write('right.json', []);
    const { code, stderr } = await sluice(['flags', 'import', '--url', 'http://flags.example', file], {
      SLUICE_API_KEY: api.key,
    });
    assert.deepEqual(
      [code, stderr],
      [1, 'sluice: --url must use https unless it is on this machine, because the key is sent there.\n'],
    );
  });

  it('names the file of cohorts that is none', async () => {
    const right = await folder.write('right.json', []);
    const file = await folder.write('cohorts.json', [{ id: 1, key: 'a' }]);
    assert.equal(
      (await run(right, '--cohorts', file)).stderr,
      `sluice: ${file}: [0].name is missing or not a text: this is not a list of cohorts.\n`,
    );
  });

  it('takes no list of flags for cohorts, nor the reverse', async () => {
    const ofFlags = await folder.write('of-flags.json', [{ id: 1, key: 'a', name: 'A', filters: filtersWith() }]);
    const ofCohorts = await folder.write('of-cohorts.json', [{ id: 1, name: 'A', filters: {} }]);
    const asCohorts = await run(ofFlags, '--cohorts', ofFlags);
    assert.equal(asCohorts.stderr, `sluice: ${ofFlags}: [0].key belongs to a flag: this is not a list of cohorts.\n`);
    const asFlags = await run(ofCohorts);
    assert.equal(
      asFlags.stderr,
      `sluice: ${ofCohorts}: [0].key is missing or not a text: this is not a list of flags.\n`,
    );
  });

  it('connects to the server before it reports on the export', async () => {
    const file = await folder.write('deleted.json', [{ id: 1, key: 'gone', deleted: true, filters: filtersWith() }]);
    const into = (url: string, project: string, key: string) =>
      sluice(['flags', 'import', '--url', url, '--project', project, file], { SLUICE_API_KEY: key });
    const { url } = api.sluice;
    const wrong = [
      [await into(url, String(api.ours.projectId), 'phx_wrong'), /refused the key of SLUICE_API_KEY/],
      [
        await into(url, '999999', api.key),
        /does not list feature_flags\/ of the project 999999: Project not found\.$/m,
      ],
      [await into('http://127.0.0.1:1', '1', api.key), /does not answer/],
    ] as const;
    for (const [{ stdout, stderr, code }, message] of wrong) {
      assert.deepEqual([stdout, code], ['', 1]);
      assert.match(stderr, message);
    }
  });

  it('refuses a flag that is nested too deeply, and makes the others', async () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const fine = { id: 1, key: 'fine', filters: filtersWith() };
    const file = await folder.write(
      'deep.json',
      `[${JSON.stringify(fine)}, {"id": 2, "key": "deep", "filters": {"groups": ${deep}}}]`,
    );
    const { lines, code } = await run(file);
    assert.deepEqual(lines.slice(0, 2), [
      'refused  flag    deep  The body is nested deeper than 64 levels.',
      'created  flag    fine',
    ]);
    assert.equal(code, 2);
  });

  it('refuses a flag that is larger than a request may be, and continues', async () => {
    const large = { id: 2, key: 'large', filters: filtersWith(), name: 'x'.repeat(2 * 1024 * 1024) };
    const file = await folder.write('large.json', [{ id: 1, key: 'small', filters: filtersWith() }, large]);
    const { lines, code } = await run(file);
    assert.match(lines[0]!, /^refused {2}flag {4}large {2}The body is larger than 1048576 bytes\.$/);
    assert.deepEqual([lines[1], code], ['created  flag    small', 2]);
  });

  it('plans 100,000 flags that depend on one another, and no more', async () => {
    const chain = Array.from({ length: 100_000 }, (_, index) => {
      const key = String(index + 2);
      return `{"id":${index + 1},"key":"f${index}","filters":{"groups":[{"properties":[{"type":"flag","key":"${key}","operator":"flag_evaluates_to","value":true}]}]}}`;
    });
    chain[99_999] = '{"id":100000,"key":"f99999","filters":{"groups":[{}]}}';
    const file = await folder.write('many.json', `[${chain.join()}]`);
    const { lines, code } = await sluice(
      ['flags', 'import', '--url', api.sluice.url, '--project', String(api.ours.projectId), '--dry-run', file],
      { SLUICE_API_KEY: api.key, NODE_OPTIONS: '--max-old-space-size=1024' },
    );
    assert.deepEqual(
      [lines[0], lines.at(-1)],
      ['create   flag    f99999', '0 cohorts. 100000 flags: 100000 create. Nothing was written.'],
    );
    assert.equal(code, 0);
    const more = await folder.write('more.json', [{ id: 100_001, key: 'more' }]);
    assert.equal(
      (await run(file, more)).stderr,
      `sluice: ${more}: the list has more than 100000 flags, with all its files.\n`,
    );
  }).timeout(300_000);

  it('reads no more than fits into memory, however small it is packed', async () => {
    const spaces = await folder.write('spaces.json.gz', gzipSync(Buffer.alloc(129 * 1024 * 1024, ' ')));
    assert.equal((await run(spaces)).stderr, `sluice: ${spaces}: the list is larger than 128 MiB${TOGETHER}`);
    const values = await folder.write('values.json.gz', gzipSync(`[${'[],'.repeat(5_000_001)}[]]`));
    assert.equal((await run(values)).stderr, `sluice: ${values}: the list has more than 5,000,000 values${TOGETHER}`);
  }).timeout(300_000);

  it('says how it is called', async () => {
    const file = await folder.write('right.json', []);
    const cases: [string[], RegExp][] = [
      [[], /^sluice: Give a file of flags, or a server with --from\.$/],
      [['/nowhere.json'], /^sluice: \/nowhere\.json cannot be read \(ENOENT\)/],
      [[folder.path], /is a folder/],
      [[file, '--from', 'https://eu.posthog.com'], /^sluice: Give files, or a server with --from, not both\.$/],
      [['--from', 'https://eu.posthog.com'], /^sluice: --from needs --from-project/],
      [['--from', 'eu.posthog.com', '--from-project', '1'], /^sluice: --from eu\.posthog\.com is not an address like/],
      [
        ['--from', 'https://me:pw@eu.posthog.com', '--from-project', '1'],
        /^sluice: --from may not contain a user or password\.$/,
      ],
      [
        ['--from', 'https://eu.posthog.com', '--from-project', '1/../2'],
        /^sluice: --from-project 1\/\.\.\/2 is not the id of a project/,
      ],
      [
        ['--from', 'https://eu.posthog.com', '--from-project', '1'],
        /^sluice: POSTHOG_API_KEY is not set\. Set it to an API key of https:\/\/eu\.posthog\.com, the server of --from, or name a file with the key: --from-key-file\.$/,
      ],
      [[file, '--key-file', '/nowhere.key'], /^sluice: \/nowhere\.key cannot be read \(ENOENT\)\.$/],
    ];
    for (const [words, message] of cases) {
      const { code, stderr, stdout } = await run(...words);
      assert.deepEqual([code, stdout], [1, ''], words.join(' '));
      assert.match(stderr.trimEnd(), message);
    }
    const strange = await folder.write('strange.key', 'phx_a phx_b');
    assert.match(
      (await run(file, '--key-file', strange)).stderr,
      /strange\.key does not contain a key: one word is expected\.\n$/,
    );
    const noServer = await sluice(['flags', 'import', file], { SLUICE_STATE_DIR: folder.path });
    assert.match(
      noServer.stderr,
      /^sluice: There is no \S+dev\.json: start a server here with "npm start", or give --url\.\n$/,
    );
    const noKey = await sluice(['flags', 'import', file, '--url', api.sluice.url]);
    assert.match(
      noKey.stderr,
      /^sluice: SLUICE_API_KEY is not set\. Set it to an API key of http:\S+, the server to import into, or name a file with the key: --key-file\.\n$/,
    );
  }).timeout(300_000);

  it('sends the key of the server that runs here to no other', async () => {
    await folder.write('dev.json', { api_url: 'http://127.0.0.1:1', project_id: 1, personal_api_key: api.key });
    const file = await folder.write('right.json', []);
    const { stderr } = await sluice(['flags', 'import', file, '--url', api.sluice.url], {
      SLUICE_STATE_DIR: folder.path,
    });
    assert.match(stderr, /^sluice: SLUICE_API_KEY is not set/);
  });

  it('says that the key may not', async () => {
    const file = await folder.write('one.json', [{ id: 1, key: 'one', filters: filtersWith() }]);
    const wrong = await sluice(['flags', 'import', file, '--url', api.sluice.url], { SLUICE_API_KEY: 'phx_wrong' });
    assert.match(wrong.stderr, /^sluice: http:\S+ refused the key of SLUICE_API_KEY: /);
    assert.equal(wrong.code, 1);
  });
});

describe('the order of dependencies', () => {
  it('is found in linear time where everything is a circle', () => {
    const count = 100_000;
    const nodes = Array.from({ length: count }, (_, index) => index);
    const { order, cycles } = dependencyOrder(nodes, (node) => [0, (node + 1) % count]);
    assert.deepEqual([order.length, cycles.size, cycles.get(count - 1)?.length], [count, count, count]);
    assert.deepEqual(cycles.get(count - 1)?.nodes, nodes.slice(0, 10));
  });
});

describe('a printed name', () => {
  it('has neither controls nor marks of direction', () => {
    assert.equal(printable('a\u0007\u009b\u202e\u2028b', 100), 'a\\u{7}\\u{9b}\\u{202e}\\u{2028}b');
    assert.equal(printable('abc', 2), 'ab…');
  });

  it('is the same in JSON when it is read', () => {
    const name = 'a\u0000\u007f\u200f\u2029\u{e0001}\ud800"\\b';
    assert.match(printableJson(JSON.stringify({ name })), /^[\x20-\x7e]+$/);
    assert.deepEqual(JSON.parse(printableJson(JSON.stringify({ name }))), { name });
  });
});
