import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { Environment } from '../src/platform/config.ts';

const ROOT = new URL('../', import.meta.url);
const README = readFileSync(new URL('README.md', ROOT), 'utf8');

type Variable = { default?: string | number; description?: string };

/** The table's row of a variable, as it must stand in the README. */
function rowOf(name: string, { default: fallback, description = '' }: Variable): string {
  const shown = fallback === undefined || fallback === '' ? '' : `\`${fallback}\``;
  return `| \`${name}\` | ${shown} | ${description} |`.replace('|  |', '| |');
}

/** Rows without the padding that makes the table pretty. */
const rows = README.split('\n').map((line) => line.replace(/ +/g, ' '));

describe('the README', () => {
  for (const [name, schema] of Object.entries(Environment.properties)) {
    it(`describes ${name} as src/platform/config.ts does`, () => {
      const row = rowOf(name, schema as Variable);
      assert.ok(rows.includes(row), `this row belongs into the table:\n${row}`);
    });
  }

  it('has every room on its map', () => {
    const rooms = readdirSync(new URL('src/', ROOT), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => `src/${entry.name}/`);
    const missing = rooms.filter((room) => !README.includes(`\`${room}`));
    assert.deepEqual(missing, []);
  });

  it('names only files that exist', () => {
    const named = [...README.matchAll(/`((?:src|test|bench|examples|migrations)\/[\w./-]+)`/g)].map(
      ([, path]) => path!,
    );
    const missing = named.filter((path) => !exists(path));
    assert.deepEqual(missing, []);
  });
});

function exists(path: string): boolean {
  try {
    return readFileSync(new URL(path, ROOT)).length >= 0;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EISDIR';
  }
}
