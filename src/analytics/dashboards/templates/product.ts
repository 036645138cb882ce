/** `DEFAULT_APP`: how many people use a product, and whether they return. */
import { funnel, insightTile, retention, trend } from './charts.ts';
import type { DashboardTemplate } from './dashboard-template.ts';

const VIEW = '$pageview';

export const PRODUCT: DashboardTemplate = {
  name: 'Product analytics',
  description: 'The number of people who use the product, and how often they come back.',
  filters: {},
  tags: [],
  tiles: [
    insightTile(
      'Daily active users (DAUs)',
      'People who viewed a page, by day.',
      trend(VIEW, { math: 'dau', from: '-30d' }),
      { x: 0, y: 0, w: 6, h: 5 },
    ),
    insightTile(
      'Weekly active users (WAUs)',
      'People who viewed a page, by week.',
      trend(VIEW, { math: 'dau', interval: 'week', from: '-90d' }),
      { x: 6, y: 0, w: 6, h: 5 },
    ),
    insightTile('Retention', 'Of those who came for the first time in a week, who came back.', retention(VIEW), {
      x: 0,
      y: 5,
      w: 12,
      h: 5,
    }),
    insightTile(
      'People this month',
      'Different people who viewed a page in the last 30 days.',
      trend(VIEW, { math: 'dau', from: '-30d', display: 'BoldNumber' }),
      { x: 0, y: 10, w: 4, h: 5 },
    ),
    insightTile(
      'Referring domain (last 14 days)',
      'Where visitors came from.',
      trend(VIEW, { math: 'dau', from: '-14d', display: 'ActionsBarValue', breakdown: '$referring_domain' }),
      { x: 4, y: 10, w: 8, h: 5 },
    ),
    insightTile('Pageview funnel', 'How many pages a visitor views.', funnel(VIEW, 3), { x: 0, y: 15, w: 12, h: 5 }),
  ],
};
