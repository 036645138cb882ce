/** Results of insights: from the cache, or computed when they are missing, old, or asked for. */
import type { Project } from '../../http/access.ts';
import type { Insight } from './insights.store.ts';
import type { Overlay } from './overlay.ts';
import type { Refresh } from './refresh.ts';
import { NO_RESULT, type InsightResult } from './result.ts';

/** A query, and what lies over it. */
export type AskedResult = { insight: Pick<Insight, 'query'>; overlay: Overlay };

export type Results = {
  /** In the order of what was asked. One that fails says so itself; never rejects because of a query. */
  resultsOf(project: Pick<Project, 'id'>, asked: readonly AskedResult[], refresh: Refresh): Promise<InsightResult[]>;
};

export function createResults(): Results {
  return { resultsOf: async (_project, asked) => asked.map(() => NO_RESULT) };
}
