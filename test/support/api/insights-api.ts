/** Insights over a started Sluice: requests about one project, by the people of its organization. */
import type { ApiAnswer } from './api.ts';
import { startDashboardsApi, type Body, type DashboardsApi, type Refusal } from './dashboards-api.ts';

export type Insight = Body & {
  id: number;
  short_id: string;
  dashboards: number[];
  result: unknown;
  error: { type: string; message: string } | null;
};

type Options = NonNullable<Parameters<DashboardsApi['request']>[3]>;

export type InsightsApi = {
  dashboards: DashboardsApi;
  /** Sends a request; a path without `/api` is relative to our project's `/insights/`. */
  request(method: string, path: string, body?: unknown, options?: Options): Promise<ApiAnswer>;
  /** Fails unless the answer is a success. @returns its body */
  done<T = Insight>(method: string, path: string, body?: unknown, options?: Options): Promise<T>;
  /** Fails unless the answer has the status. @returns its body */
  refused(status: number, method: string, path: string, body?: unknown, options?: Options): Promise<Refusal>;
  create(insight?: Body, options?: Options): Promise<Insight>;
  /** Captures events with the current time, one for each distinct id. */
  capture(event: string, ...distinctIds: string[]): Promise<void>;
  activity(insightId: number): Promise<{ activity: string; detail: Body & { changes: { field: string }[] } }[]>;
  stop(): Promise<void>;
};

export async function startInsightsApi(): Promise<InsightsApi> {
  const dashboards = await startDashboardsApi();
  const { sluice, ours } = dashboards;
  const at = (path: string) => (path.startsWith('/api') ? path : `/api/projects/${ours.projectId}/insights/${path}`);
  return {
    dashboards,
    request: (method, path, ...more) => dashboards.request(method, at(path), ...more),
    done: (method, path, ...more) => dashboards.expectSuccess(method, at(path), ...more),
    refused: (status, method, path, ...more) => dashboards.expectRefusal(status, method, at(path), ...more),
    create: (insight = {}, options = {}) => dashboards.expectSuccess('POST', at(''), insight, options),

    async capture(event, ...distinctIds) {
      const batch = distinctIds.map((distinct_id) => ({ event, distinct_id, properties: {} }));
      const body = JSON.stringify({ api_key: ours.apiToken, batch });
      const headers = { 'Content-Type': 'application/json' };
      const { status } = await fetch(`${sluice.url}/batch/`, { method: 'POST', headers, body });
      if (status !== 200) throw new Error(`Events were refused: ${status}`);
    },

    async activity(insightId) {
      const entries = sluice.db('activity_log').where({ scope: 'Insight', item_id: String(insightId) });
      return (await entries.orderBy('created_at').select('activity', 'detail')) as never;
    },

    stop: () => dashboards.stop(),
  };
}

/** A query for the number of events in the last week. */
export function countOf(event: string, more: Body = {}): Body {
  return {
    kind: 'TrendsQuery',
    series: [{ kind: 'EventsNode', event }],
    trendsFilter: { display: 'BoldNumber' },
    ...more,
  };
}

/** @returns the number of an insight that shows a single number */
export function numberIn({ result }: Pick<Insight, 'result'>): number | undefined {
  return (result as { aggregated_value: number }[] | null)?.[0]?.aggregated_value;
}
