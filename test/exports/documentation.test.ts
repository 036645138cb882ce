import assert from 'node:assert/strict';
import { destinations } from '../../src/exports/destinations/index.ts';
import { NewBatchExportBody } from '../../src/exports/batch-exports/batch-exports.schema.ts';
import { OPERATORS } from '../../src/conditions/operators/operators.ts';

/** The OpenAPI document's words on a field. */
type Described = { description: string };

describe('the OpenAPI description of a batch export', () => {
  it('names every type of destination, and where its fields are listed', () => {
    const { description } = NewBatchExportBody.properties.destination.properties.type as unknown as Described;
    for (const { type } of destinations({ localRoot: '/exports', allowedHosts: [] })) {
      assert(description.includes(`\`${type}\``), type);
    }
    assert.match(description, /docs\/destinations\.md/);
  });

  it('names what a filter is made of, its types and its operators', () => {
    const { description } = NewBatchExportBody.properties.filters as unknown as Described;
    assert.match(description, /`\{key, operator, type, value\}`/);
    for (const name of ['event', 'person', 'hogql', ...OPERATORS]) assert(description.includes(`\`${name}\``), name);
  });
});
