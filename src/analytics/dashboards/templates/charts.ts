/** Queries of templates' tiles, in a short form. */
import type { GivenTile } from '../tiles/schema.ts';

type Query = Readonly<Record<string, unknown>>;
type Place = { x: number; y: number; w: number; h: number };

/** A tile with a new insight. On narrow screens tiles are stacked in order. */
export function insightTile(name: string, description: string, source: Query, sm: Place): GivenTile {
  const query = { kind: 'InsightVizNode', source };
  return { insight: { name, description, query }, layouts: { sm } };
}

type Trend = { math?: 'total' | 'dau'; interval?: string; from: string; display?: string; breakdown?: string };

/** Counts an event over time. */
export function trend(event: string, { math = 'total', interval = 'day', from, display, breakdown }: Trend): Query {
  return {
    kind: 'TrendsQuery',
    series: [{ kind: 'EventsNode', event, name: event, math }],
    interval,
    dateRange: { date_from: from },
    trendsFilter: { display: display ?? 'ActionsLineGraph' },
    ...(breakdown !== undefined && { breakdownFilter: { breakdown, breakdown_type: 'event' } }),
  };
}

/** Retention: persons who return after their first visit. */
export function retention(event: string): Query {
  const entity = { id: event, type: 'events' };
  return {
    kind: 'RetentionQuery',
    retentionFilter: {
      period: 'Week',
      totalIntervals: 8,
      retentionType: 'retention_first_time',
      targetEntity: entity,
      returningEntity: entity,
    },
  };
}

/** Funnel: persons who repeat the event `steps` times, at most five. */
export function funnel(event: string, steps: number): Query {
  const names = ['First', 'Second', 'Third', 'Fourth', 'Fifth'].slice(0, steps);
  return {
    kind: 'FunnelsQuery',
    series: names.map((name) => ({ kind: 'EventsNode', event, name: event, custom_name: `${name} page view` })),
    dateRange: { date_from: '-7d' },
    funnelsFilter: { funnelWindowInterval: 14, funnelWindowIntervalUnit: 'day' },
  };
}
