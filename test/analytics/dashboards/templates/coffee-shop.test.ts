/** The dashboard of the demo shows the events of the tour, whenever somebody takes it. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { COFFEE_SHOP } from '../../../../src/analytics/dashboards/templates/coffee-shop.ts';

const TOUR = Date.parse('2025-06-02T09:00:00Z');

type Source = { dateRange?: { date_from?: string; date_to?: string }; after?: string; series?: { event?: string }[] };

const sources = COFFEE_SHOP.tiles.flatMap(({ insight }) => {
  if (typeof insight !== 'object') return [];
  const { query } = insight as { query: { source: Source } };
  return [query.source];
});

it('every tile of the coffee shop covers the morning of the tour, and what was sent since', () => {
  assert.equal(sources.length, 7);
  for (const { dateRange, after } of sources) {
    assert.ok(Date.parse(dateRange?.date_from ?? after ?? '') <= TOUR);
    assert.equal(dateRange?.date_to, undefined);
  }
});

it('every event that a tile of the coffee shop counts is one of the tour', async () => {
  const lines = (await readFile(new URL('../../../../examples/events.ndjson', import.meta.url), 'utf8'))
    .trim()
    .split('\n');
  const sent = new Set(lines.map((line) => (JSON.parse(line) as { event: string }).event));
  const counted = sources.flatMap(({ series = [] }) => series.flatMap(({ event }) => event ?? []));
  assert.ok(counted.length > 0);
  assert.deepEqual(
    counted.filter((event) => !sent.has(event)),
    [],
  );
});
