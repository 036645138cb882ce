/** The scaffold, run in a copy of the tree. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const COPIED = [
  'src',
  'dev',
  'docs',
  'test',
  'examples',
  'package.json',
  'tsconfig.json',
  '.oxlintrc.json',
  '.prettierrc.json',
];
const MADE = ['src/exports/destinations/append-log/append-log.ts', 'test/exports/destinations/append-log.test.ts'];
const CHANGED = ['src/exports/destinations/index.ts', 'docs/destinations.md', 'test/frozen-names/of-destinations.ts'];

const program = (name: string) => path.join('node_modules', name);

describe('npm run new -- destination', () => {
  let copy: string;
  before(() => {
    copy = mkdtempSync(path.join(tmpdir(), 'sluice-new-'));
    for (const name of COPIED) {
      cpSync(path.join(ROOT, name), path.join(copy, name), {
        recursive: true,
        filter: (file) => !['node_modules', 'target'].includes(path.basename(file)),
      });
    }
    symlinkSync(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));
  });
  after(() => rmSync(copy, { recursive: true, force: true }));

  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8' });
    return { status, stdout, stderr };
  };
  const make = (...args: string[]) => run('dev/new/main.ts', ...args);
  const textOf = (file: string) => readFileSync(path.join(copy, file), 'utf8');

  for (const args of [[], ['destination'], ['migration', 'x'], ['destination', 'one', 'two']]) {
    it(`shows its usage for "${args.join(' ')}"`, () => {
      const { status, stdout, stderr } = make(...args);
      assert.deepEqual({ status, stdout }, { status: 2, stdout: '' });
      assert.match(stderr, /^Usage: npm run new -- destination NAME\n/);
    });
  }

  for (const [name, reason] of [
    ['../escape', /^"..\/escape" is no name: .* such as append-folder\.\n$/],
    ['AppendLog', /is no name/],
    ['a'.repeat(41), /is no name/],
    ['delete', /^"delete" is a word of JavaScript: choose a name such as delete-store\.\n$/],
    [
      'postgres',
      /^"postgres" is taken: there is src\/exports\/destinations\/postgres already\. Nothing was changed\.\n$/,
    ],
    ['aws-s-3', /^"aws-s-3" is taken: there is the type AwsS3 already\. Nothing was changed\.\n$/],
  ] as const) {
    it(`refuses ${name} in a sentence, and changes nothing`, () => {
      const before = CHANGED.map(textOf);
      const { status, stderr } = make('destination', name);
      assert.equal(status, 1);
      assert.match(stderr, reason);
      assert.deepEqual(CHANGED.map(textOf), before);
    });
  }

  it('says which file has no place left to add to, and changes nothing', () => {
    const page = textOf('docs/destinations.md');
    writeFileSync(
      path.join(copy, 'docs/destinations.md'),
      page.replace('| field | value | means |', '| field | value | meaning |'),
    );
    const { status, stderr } = make('destination', 'append-log');
    writeFileSync(path.join(copy, 'docs/destinations.md'), page);
    assert.equal(status, 1);
    assert.match(stderr, /^docs\/destinations\.md has changed: /);
    assert(!textOf('src/exports/destinations/index.ts').includes('append-log'));
  });

  describe('makes a skeleton', () => {
    before(() => {
      const { status, stderr } = make('destination', 'append-log');
      assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
    });

    it('with right types, which lint and format accept', () => {
      const config = path.join(copy, 'tsconfig.made.json');
      writeFileSync(
        config,
        JSON.stringify({
          extends: './tsconfig.json',
          include: [...MADE, ...CHANGED.filter((file) => file.endsWith('.ts'))],
        }),
      );
      const checks = [
        [program('typescript/bin/tsc'), '--noEmit', '-p', config],
        [program('oxlint/bin/oxlint'), '--deny-warnings', ...MADE, ...CHANGED.filter((file) => file.endsWith('.ts'))],
        [program('prettier/bin/prettier.cjs'), '--check', ...MADE, ...CHANGED.filter((file) => file.endsWith('.ts'))],
      ];
      for (const [tool = '', ...args] of checks) {
        const { status, stdout, stderr } = run(tool, ...args);
        assert.equal(status, 0, `${tool}: ${stdout}${stderr}`);
      }
    });

    it('with a contract test that fails throughout, and names the methods that are not written yet', () => {
      const { status, stdout } = run(program('mocha/bin/mocha.js'), '--reporter', 'json', MADE[1]!);
      const { stats, failures } = JSON.parse(stdout) as {
        stats: { passes: number; pending: number };
        failures: { err: { message: string } }[];
      };
      assert.notEqual(status, 0);
      assert.deepEqual([stats.passes, stats.pending], [0, 0]);
      const unwritten = failures.map(({ err }) => /"(\w+)" is not written yet, in (.*)/.exec(err.message));
      assert(
        unwritten.every((found) => found && MADE.includes(found[2]!)),
        stdout,
      );
      const methods = new Set(unwritten.map((found) => found![1]));
      assert(['listDeliveries', 'write', 'commit'].every((method) => methods.has(method)));
    });

    it('with methods that name themselves in their errors', () => {
      const misnamed = [...textOf(MADE[0]!).matchAll(/(\w+)\([^)\n]*\) \{\n\s*throw unwritten\('(\w+)'\)/g)]
        .map(([, method, named]) => [method, named])
        .filter(([method, named]) => method !== named);
      assert.deepEqual(misnamed, []);
    });

    it('that the documentation of destinations describes', () => {
      const tests = 'test/exports/destinations/documentation.test.ts';
      const { status, stdout } = run(program('mocha/bin/mocha.js'), tests);
      assert.equal(status, 0, stdout);
      assert.match(stdout, /describes the fields of AppendLog/);
      assert.match(stdout, /finds a group and a title at each field of AppendLog/);
    });

    it('once: the name is taken from then on', () => {
      assert.match(make('destination', 'append-log').stderr, /^"append-log" is taken: /);
    });
  });
});
