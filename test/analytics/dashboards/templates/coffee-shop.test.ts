/** The dashboard of the demo shows the events of the tour, whenever somebody takes it. */
import assert from 'node:assert/strict';
import { COFFEE_SHOP } from '../../../../src/analytics/dashboards/templates/coffee-shop.ts';

const TOUR = Date.parse('2025-06-02T09:00:00Z');

type Source = { dateRange?: { date_from?: string; date_to?: string }; after?: string };

it('every tile of the coffee shop covers the morning of the tour, and what was sent since', () => {
  const sources = COFFEE_SHOP.tiles.flatMap(({ insight }) => {
    if (typeof insight !== 'object') return [];
    const { query } = insight as { query: { source: Source } };
    return [query.source];
  });
  assert.equal(sources.length, 7);
  for (const { dateRange, after } of sources) {
    assert.ok(Date.parse(dateRange?.date_from ?? after ?? '') <= TOUR);
    assert.equal(dateRange?.date_to, undefined);
  }
});
