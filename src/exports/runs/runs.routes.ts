/** `/batch_exports/:batch_export_id/runs/`: lists, retries and cancels runs. */
import { cursorPage, cursorPageOf, cursorQuery, type PageWindow } from '../../platform/http/parameters/pagination.ts';
import { preferRepresentation } from '../../platform/http/parameters/preconditions.ts';
import { momentIfGiven, readMoment } from '../../platform/http/parameters/moment.ts';
import { json, noBody, route } from '../../platform/http/route.ts';
import { stringEnum, Type, type Static } from '../../platform/schema.ts';
import {
  backfillLocation,
  type ExportsApi,
  PARENT_EXPORT,
  BatchExportListParams,
  BatchExportItemParams,
} from '../api.ts';
import { presentBackfill } from '../backfills/backfills.present.ts';
import { CancelledBody } from '../backfills/backfills.schema.ts';
import { RUN_STATUSES } from '../domain/statuses.ts';
import { presentRun } from '../batch-exports/present.ts';
import type { RunFilter, RunOrder } from './run-lists.store.ts';
import type { Run } from './run-rows.ts';
import { RunBody } from './runs.schema.ts';

const Query = Type.Object({
  ...cursorQuery(100).properties,
  status: Type.Array(stringEnum(RUN_STATUSES), {
    default: [],
    description: 'Returns only runs with these statuses; may be repeated.',
  }),
  ordering: stringEnum(['created_at', '-created_at', 'data_interval_start', '-data_interval_start'], {
    default: '-created_at',
  }),
  after: momentParameter('Returns only runs created at or after this time', '-7d'),
  before: momentParameter('Returns only runs created at or before this time'),
  start: momentParameter(
    'When ordering by data interval: returns only runs whose interval starts at or after this time',
    '-7d',
  ),
  end: momentParameter('When ordering by data interval: returns only runs whose interval ends at or before this time'),
});

/** Parameter for a datetime or a relative time. */
function momentParameter(description: string, fallback?: string) {
  const shown = fallback === undefined ? 'now' : `\`${fallback}\``;
  return Type.Optional(
    Type.String({
      description: `${description}: a datetime or a relative time such as \`-24h\`; ${shown} by default.`,
    }),
  );
}

const listRuns = route({
  method: 'get',
  path: '/batch_exports/:batch_export_id/runs/',
  access: { scope: 'batch_export:read', object: PARENT_EXPORT },
  params: BatchExportListParams,
  query: Query,
  answers: { 200: cursorPageOf(RunBody) },
  summary: 'List the runs of a batch export, newest first',
  description:
    'Returns the runs of the last seven days unless `after`, or `start` in lists ordered by data interval, is given.',
  async handle({ project, params, query, url }, { batchExports, runs }: ExportsApi) {
    await batchExports.get(project.id, params.batch_export_id);
    const choice = filterOf(query);
    const load = async (page: PageWindow) => {
      const found = await runs.list(project.id, params.batch_export_id, page, choice);
      const reasons = await runs.waitingReasons(found);
      // A cursor holds the value of the sort column.
      const sortValue = (run: Run) => (choice.order.by === 'created_at' ? run.createdAt : run.start);
      return found.map((run) => ({ id: run.id, createdAt: sortValue(run), run, waitingReason: reasons.get(run.id) }));
    };
    return json(200, await cursorPage(url, query, load, ({ run, waitingReason }) => presentRun(run, waitingReason)));
  },
});

const getRun = route({
  method: 'get',
  path: '/batch_exports/:batch_export_id/runs/:id/',
  access: { scope: 'batch_export:read', object: PARENT_EXPORT },
  params: BatchExportItemParams,
  answers: { 200: RunBody },
  summary: 'Retrieve a run',
  async handle({ project, params }, { batchExports, runs }: ExportsApi) {
    await batchExports.get(project.id, params.batch_export_id);
    const run = await runs.get(project.id, params.batch_export_id, params.id);
    return json(200, presentRun(run, (await runs.waitingReasons([run])).get(run.id)));
  },
});

const retryRun = route({
  method: 'post',
  path: '/batch_exports/:batch_export_id/runs/:id/retry/',
  errors: [409],
  access: { scope: 'batch_export:write', object: PARENT_EXPORT },
  params: BatchExportItemParams,
  answers: { 200: null },
  summary: 'Retry a run by delivering its data interval again',
  description:
    'Creates a backfill of one data interval, identified by the `Location` header. Retries also work while the ' +
    'export is paused; a run still in progress is refused with 409.',
  async handle({ project, caller, params, headers, url }, { backfills }: ExportsApi) {
    const backfill = await backfills.retry(project.id, params.batch_export_id, params.id, caller);
    const answer = noBody(200, backfillLocation(url, params.batch_export_id, backfill.id));
    return preferRepresentation(headers, answer, () => json(200, presentBackfill(backfill)));
  },
});

const cancelRun = route({
  method: 'post',
  path: '/batch_exports/:batch_export_id/runs/:id/cancel/',
  access: { scope: 'batch_export:write', object: PARENT_EXPORT },
  params: BatchExportItemParams,
  answers: { 200: CancelledBody },
  summary: 'Cancel a run',
  description:
    'The data of the run does not become visible, unless the commit has already begun. The data interval is not ' +
    'delivered until it is retried.',
  async handle({ project, caller, params }, { runs }: ExportsApi) {
    await runs.cancel(project.id, params.batch_export_id, params.id, caller);
    return json(200, { cancelled: true });
  },
});

export const runRoutes = [listRuns, getRun, retryRun, cancelRun];

/** `start` and `end` limit lists ordered by data interval, `after` and `before` all others. */
function filterOf({
  status,
  ordering,
  after,
  before,
  start,
  end,
}: Static<typeof Query>): RunFilter & { order: RunOrder } {
  const order = {
    by: ordering.endsWith('created_at') ? ('created_at' as const) : ('data_interval_start' as const),
    ascending: !ordering.startsWith('-'),
  };
  const chosen = { order, statuses: status };
  if (order.by === 'created_at') {
    return {
      ...chosen,
      created: { after: readMoment(after || '-7d', 'after'), before: momentIfGiven(before, 'before') },
    };
  }
  return { ...chosen, interval: { start: readMoment(start || '-7d', 'start'), end: momentIfGiven(end, 'end') } };
}
