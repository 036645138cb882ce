/** What strangers are told of a table: no more than is drawn. */
import assert from 'node:assert/strict';
import type { InsightBody } from '../../../src/dashboards/insights/schema.ts';
import { reducedInsight } from '../../../src/dashboards/sharing/reduced.ts';

describe('a table for strangers', () => {
  for (const { rows, hasMore } of [
    { rows: 100, hasMore: false },
    { rows: 101, hasMore: true },
  ]) {
    it(`of ${rows} rows and 40 columns is cut to what is drawn`, () => {
      const columns = Array.from({ length: 40 }, (_, index) => `c${index}`);
      const insight = {
        query: { kind: 'DataTableNode', source: { kind: 'EventsQuery' } },
        result: Array.from({ length: rows }, () => columns),
        columns,
        types: columns,
        hasMore: false,
      } as unknown as InsightBody;
      const told = reducedInsight(insight, []);
      const result = told.result as string[][];
      const widths = new Set([told.columns?.length, told.types?.length, ...result.map((row) => row.length)]);
      assert.deepEqual([result.length, [...widths], told.hasMore], [100, [30], hasMore]);
    });
  }
});
