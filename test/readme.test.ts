/** README and docs, compared with the tree that they describe. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { configurationPage } from '../dev/configuration/page.ts';

const ROOT = new URL('../', import.meta.url);
const textOf = (page: string) => readFileSync(new URL(page, ROOT), 'utf8');
const README = textOf('README.md');
const PAGES = [
  'README.md',
  ...readdirSync(new URL('docs/', ROOT))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const MAX_LINES = 150;

/** Paths of files and folders in backticks. */
const pathsIn = (text: string) =>
  [...text.matchAll(/`((?:src|test|bench|dev|examples|migrations|workflows|activities)\/[\w./-]+)`/g)].map(
    ([, path]) => path!,
  );

const missingIn = (text: string) => pathsIn(text).filter((path) => !existsSync(new URL(path, ROOT)));

describe('the README', () => {
  it(`has ${MAX_LINES} lines at most`, () => {
    const lines = README.trimEnd().split('\n').length;
    assert.ok(lines <= MAX_LINES, `${lines} lines: move what is not for everybody to a page of docs/`);
  });

  it('has every room on its map', () => {
    const rooms = readdirSync(new URL('src/', ROOT), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => `src/${entry.name}/`);
    const missing = rooms.filter((room) => !README.includes(`\`${room}`));
    assert.deepEqual(missing, []);
  });

  it('leads to every page of docs/', () => {
    const missing = PAGES.slice(1).filter((page) => !README.includes(`](${page})`));
    assert.deepEqual(missing, []);
  });
});

describe('the pages of the documentation', () => {
  for (const page of PAGES) {
    it(`name only files that exist: ${page}`, () => {
      assert.deepEqual(missingIn(textOf(page)), []);
    });
  }

  it('describe every variable as src/platform/config.ts does', () => {
    assert.equal(textOf('docs/configuration.md'), configurationPage(), 'run `npm run docs:configuration`');
  });

  it('name the tests of every guarantee', () => {
    const list = textOf('docs/guarantees.md').split('\n## ')[0]!;
    const guarantees = list.split(/^- (?=\*\*)/m).slice(1);
    assert.ok(guarantees.length >= 14, `${guarantees.length} guarantees`);
    const untested = guarantees.filter((text) => !/ Tests: `test\//.test(text.replaceAll('\n', '')));
    assert.deepEqual(untested, []);
  });
});
