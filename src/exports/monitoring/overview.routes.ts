/** `/batch_exports/overview/`: all exports with their state, the most urgent first. */
import type { Rights } from '../../platform/http/access.ts';
import { clampLimit, offsetPage, offsetQuery } from '../../platform/http/parameters/pagination.ts';
import { json, route } from '../../platform/http/route.ts';
import { Type } from '../../platform/schema.ts';
import type { ExportsApi } from '../api.ts';
import { presentBounds, presentCells, presentMissed } from '../intervals/interval-map.present.ts';
import { presentPause } from '../pauses/pauses.schema.ts';
import { MAX_EXPORTS, type OverviewItem } from './overview.ts';
import { OverviewBody, OverviewStateName, type OverviewItemBody } from './overview.schema.ts';

const Query = Type.Object({
  ...offsetQuery().properties,
  search: Type.String({
    default: '',
    maxLength: 400,
    description: 'Returns only exports whose name, destination, model or ID contains this text, in any case.',
  }),
  state: Type.Array(OverviewStateName, {
    default: [],
    description: 'Returns only exports in these states; may be repeated.',
  }),
});

const overview = route({
  method: 'get',
  path: '/batch_exports/overview/',
  access: { scope: 'batch_export:read', filtered: true },
  query: Query,
  answers: { 200: OverviewBody },
  summary: 'Retrieve the state of all batch exports, the most urgent first',
  description:
    'Ordered by state (`needs_you`, `retrying`, `behind`, `paused`, `on_time`), then newest first. The two-letter states of data intervals ' +
    `are those of \`intervals/map/\`. Only the newest ${MAX_EXPORTS} exports of the project are included.`,
  async handle({ project, rights, query, url }, { overviews }: ExportsApi) {
    const { search, state: states, offset } = query;
    const request = { search, states, offset, limit: clampLimit(query.limit) };
    const { count, results, totals, blocked } = await overviews.of(project.id, rights.visible('batch_export'), request);
    const page = offsetPage(url, query, { count, results: results.map((item) => presentItem(item, rights)) });
    return json(200, {
      ...page,
      totals,
      user_access_level: rights.levelOf('batch_export'),
      deliveries_blocked: blocked,
    });
  },
});

export const overviewRoutes = [overview];

function presentItem({ batchExport, lastError, ...details }: OverviewItem, rights: Rights): OverviewItemBody {
  return {
    id: batchExport.id,
    name: batchExport.name,
    model: batchExport.model,
    interval: batchExport.interval,
    destination: { type: batchExport.destinationType, label: details.label },
    state: details.state,
    paused: batchExport.paused,
    paused_reason: batchExport.pausedReason,
    last_paused_at: batchExport.lastPausedAt,
    pause: presentPause(batchExport),
    complete_until: details.freshness.completeUntil,
    lag_seconds: details.freshness.lagSeconds,
    freshness_target_seconds: batchExport.freshnessTargetSeconds,
    start_at: batchExport.startAt,
    recent: presentCells(details.bounds, details.recent),
    newest_delivery: details.newestDelivery ? presentBounds(details.newestDelivery) : null,
    needs_you: details.attention.needsYou.length,
    needs_you_held: details.attention.needsYou.filter(({ hasEarlierDelivery }) => hasEarlierDelivery).length,
    retrying: details.attention.retrying.length,
    counts_are_minimums: details.attention.mayHaveMore,
    next_try_at: details.nextTryAt,
    last_error: lastError
      ? {
          ...presentBounds(lastError),
          reason: 'reason' in lastError ? lastError.reason : null,
          detail: lastError.detail,
          error: lastError.error,
          run_id: lastError.runId,
        }
      : null,
    missed_while_paused: presentMissed(details.missed),
    user_access_level: rights.levelOf('batch_export', { id: batchExport.id, createdBy: batchExport.createdBy }),
  };
}
