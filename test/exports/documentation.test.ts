import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { destinations } from '../../src/exports/destinations/index.ts';
import { NewBatchExportBody } from '../../src/exports/batch-exports/batch-exports.schema.ts';
import { FILLS, INTERVAL_CODES, MARKS } from '../../src/exports/domain/interval-codes.ts';
import { CODE_TABLE } from '../../src/exports/intervals/interval-map.schema.ts';
import { OPERATORS } from '../../src/conditions/operators/operator-table.ts';

/** The OpenAPI document's words on a field. */
type Described = { description: string };

describe('the OpenAPI description of a batch export', () => {
  it('names every type of destination, and where its fields are listed', () => {
    const { description } = NewBatchExportBody.properties.destination.properties.type as unknown as Described;
    for (const { type } of destinations({ localRoot: '/exports', allowedHosts: [] })) {
      assert(description.includes(`\`${type}\``), type);
    }
    assert.match(description, /docs\/destinations\//);
  });

  it('names what a filter is made of, its types and its operators', () => {
    const { description } = NewBatchExportBody.properties.filters as unknown as Described;
    assert.match(description, /`\{key, operator, type, value\}`/);
    for (const name of ['event', 'person', 'hogql', ...OPERATORS]) assert(description.includes(`\`${name}\``), name);
  });
});

describe('the table of two-letter states', () => {
  const guide = readFileSync(new URL('../../docs/exports.md', import.meta.url), 'utf8');

  it('has every fill and every mark, in the OpenAPI document as in the guide', () => {
    for (const [letter, name] of Object.entries({ ...FILLS, ...MARKS })) {
      const row = `| \`${letter}\` | ${name} |`;
      for (const text of [CODE_TABLE, guide]) assert.ok(text.includes(row), row);
    }
  });

  it('has a letter of each for every state but the blank one', () => {
    for (const code of INTERVAL_CODES.filter((one) => one !== '--')) {
      const [fill = '', mark = ''] = code;
      assert.ok(fill in FILLS && mark in MARKS, code);
    }
  });
});
