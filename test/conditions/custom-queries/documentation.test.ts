import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { InvalidInput } from '../../../src/platform/errors.ts';
import { compileQuery } from '../../../src/conditions/custom-queries/compile.ts';
import { FUNCTIONS } from '../../../src/conditions/custom-queries/functions.ts';
import { INTERVAL } from '../../support/analytics/queried-projects.ts';

const TEXT = readFileSync(new URL('../../../docs/custom-queries.md', import.meta.url), 'utf8');

describe('the documentation of custom queries', () => {
  it('lists exactly the functions that there are', () => {
    const table = TEXT.slice(TEXT.indexOf('| function '));
    const cells = table.split('\n').flatMap((row) => row.split('|')[1] ?? []);
    const listed = cells.flatMap((cell) => [...cell.matchAll(/`(\w+)(?:\([^`]*\))?`/g)].map(([, name]) => name!));
    const known = FUNCTIONS.flatMap(({ names }) => names);
    assert.deepEqual(listed.sort(byName), known.sort(byName));
  });

  it('shows a query that compiles', () => {
    const example = /```sql\n([^]*?)```/.exec(TEXT)?.[1] ?? '';
    const { columns } = compileQuery(example, INTERVAL);
    assert.deepEqual(
      columns.map(({ type }) => type),
      ['uuid', 'timestamptz', 'text', 'text', 'float8', 'text'],
    );
  });

  it('names fields that there are', () => {
    for (const relation of ['events', 'persons']) {
      const row = TEXT.split('\n').find((line) => line.startsWith(`| \`${relation}\``))!;
      const fields = [...row.split('|')[2]!.matchAll(/`([\w.]+)`/g)].map(([, name], i) => `${name!} as c${i}`);
      assert(fields.length > 5);
      assert.doesNotThrow(() => compileQuery(`select ${fields.join()} from ${relation}`, INTERVAL), InvalidInput);
    }
  });
});

function byName(a: string, b: string): number {
  return a.localeCompare(b);
}
