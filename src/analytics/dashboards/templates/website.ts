/** `WEBSITE_TRAFFIC`: who visits a site, where from, and what they read. */
import { insightTile, retention, trend } from './charts.ts';
import type { DashboardTemplate } from './dashboard-template.ts';

const VIEW = '$pageview';

/** The property values with the most distinct persons. */
const top = (breakdown: string) => trend(VIEW, { math: 'dau', from: '-30d', display: 'ActionsBarValue', breakdown });

export const WEBSITE: DashboardTemplate = {
  name: 'Website traffic',
  description: 'Visitors of the site, their sources and the pages they read.',
  filters: {},
  tags: ['website'],
  tiles: [
    {
      text: { body: '## Visitors\nNumbers of the last 30 days, unless a chart says otherwise.' },
      layouts: { sm: { x: 0, y: 0, w: 12, h: 2 } },
    },
    insightTile(
      'Unique visitors',
      'Distinct visitors, each counted once.',
      trend(VIEW, { math: 'dau', from: '-30d', display: 'BoldNumber' }),
      { x: 0, y: 2, w: 4, h: 5 },
    ),
    insightTile(
      'Page views',
      'Every page view, including repeats by the same visitor.',
      trend(VIEW, { from: '-30d', display: 'BoldNumber' }),
      {
        x: 4,
        y: 2,
        w: 4,
        h: 5,
      },
    ),
    insightTile('Visitors by device', 'Phones, tablets, computers.', top('$device_type'), { x: 8, y: 2, w: 4, h: 5 }),
    insightTile(
      'Visitors by day',
      'Distinct visitors, each counted once.',
      trend(VIEW, { math: 'dau', from: '-30d' }),
      {
        x: 0,
        y: 7,
        w: 6,
        h: 5,
      },
    ),
    insightTile(
      'Page views by day',
      'Every page view, including repeats by the same visitor.',
      trend(VIEW, { from: '-30d' }),
      { x: 6, y: 7, w: 6, h: 5 },
    ),
    insightTile('Top pages', 'By people who viewed them.', top('$pathname'), { x: 0, y: 12, w: 6, h: 5 }),
    insightTile('Top referrers', 'Where visitors came from.', top('$referring_domain'), { x: 6, y: 12, w: 6, h: 5 }),
    insightTile('Top countries', 'Where visitors are.', top('$geoip_country_name'), { x: 0, y: 17, w: 6, h: 5 }),
    insightTile('Returning visitors', 'Who came back after their first week.', retention(VIEW), {
      x: 6,
      y: 17,
      w: 6,
      h: 5,
    }),
  ],
};
