/** The dashboard that `sluice up` creates. It shows a coffee shop's morning (`examples/events.ndjson`) and today's events. */
import type { GivenTile } from '../tiles/schema.ts';
import { insightTile, trend } from './charts.ts';
import type { DashboardTemplate } from './dashboard-template.ts';

/** The day before that morning. */
const FROM = '2025-06-01';
const STEPS = ['$pageview', 'added to basket', 'order placed'];

const series = (events: readonly string[]) => events.map((event) => ({ kind: 'EventsNode', event, name: event }));
const range = { date_from: FROM };

const orderFunnel = {
  kind: 'FunnelsQuery',
  series: series(STEPS),
  dateRange: range,
  funnelsFilter: { funnelWindowInterval: 1, funnelWindowIntervalUnit: 'day' },
};
const actions = {
  kind: 'TrendsQuery',
  series: series([...STEPS, 'signed up', 'searched', 'order shipped']),
  dateRange: range,
  trendsFilter: { display: 'ActionsBarValue' },
};
const lastEvents: GivenTile = {
  insight: {
    name: 'Last events',
    query: {
      kind: 'DataTableNode',
      source: {
        kind: 'EventsQuery',
        select: ['timestamp', 'event', 'distinct_id', 'properties.$pathname -- Page'],
        orderBy: ['timestamp DESC'],
        after: FROM,
        limit: 20,
      },
    },
  },
  layouts: { sm: { x: 0, y: 13, w: 12, h: 6 } },
};

const WELCOME = `**A morning in a small shop, and any events that you send.** This command sends that morning's events:

\`bin/sluice capture examples/events.ndjson --historical\`

Reload this page to see new events. Figures may be a few minutes old.`;

export const COFFEE_SHOP: DashboardTemplate = {
  name: 'Harbour Coffee',
  description: 'Activity in a small shop: a dashboard of the demo project.',
  filters: {},
  tags: ['demo'],
  tiles: [
    { text: { body: WELCOME }, layouts: { sm: { x: 0, y: 0, w: 6, h: 3 } } },
    insightTile('Page views', '', trend('$pageview', { from: FROM, display: 'BoldNumber' }), {
      x: 6,
      y: 0,
      w: 3,
      h: 3,
    }),
    insightTile('Visitors', '', trend('$pageview', { math: 'dau', from: FROM, display: 'BoldNumber' }), {
      x: 9,
      y: 0,
      w: 3,
      h: 3,
    }),
    insightTile('What people do', '', actions, { x: 0, y: 3, w: 6, h: 5 }),
    insightTile('From page to order', 'Visitors who order within a day of their first page view.', orderFunnel, {
      x: 6,
      y: 3,
      w: 6,
      h: 5,
    }),
    insightTile('Pages', '', trend('$pageview', { from: FROM, display: 'ActionsPie', breakdown: '$pathname' }), {
      x: 0,
      y: 8,
      w: 6,
      h: 5,
    }),
    insightTile(
      'Page views by month',
      '',
      trend('$pageview', { from: FROM, interval: 'month', display: 'ActionsBar' }),
      {
        x: 6,
        y: 8,
        w: 6,
        h: 5,
      },
    ),
    lastEvents,
  ],
};
