/** `/batch_exports/:batch_export_id/runs/`: what was delivered, and once more. */
import { cursorPage, cursorPageOf, cursorQuery, type Place } from '../http/pagination.ts';
import { prefersRepresentation, REPRESENTATION_APPLIED } from '../http/preconditions.ts';
import { json, noBody, route } from '../http/route.ts';
import { backfillAddress, OfBatchExportParams, PartOfBatchExportParams, type ExportsApi } from './api.ts';
import { presentBackfill } from './backfills.present.ts';
import { presentRun } from './present.ts';
import { RunBody } from './runs.schema.ts';

const listRuns = route({
  method: 'get',
  path: '/batch_exports/:batch_export_id/runs/',
  access: { scope: 'batch_export:read' },
  params: OfBatchExportParams,
  query: cursorQuery(100),
  answers: { 200: cursorPageOf(RunBody) },
  summary: 'List the runs of a batch export, the newest first',
  async handle({ project, params, query, url }, { batchExports, runs }: ExportsApi) {
    await batchExports.get(project.id, params.batch_export_id);
    const load = (place: Place) => runs.list(project.id, params.batch_export_id, place);
    return json(200, await cursorPage(url, query, load, presentRun));
  },
});

const getRun = route({
  method: 'get',
  path: '/batch_exports/:batch_export_id/runs/:id/',
  access: { scope: 'batch_export:read' },
  params: PartOfBatchExportParams,
  answers: { 200: RunBody },
  summary: 'Retrieve a run',
  async handle({ project, params }, { batchExports, runs }: ExportsApi) {
    await batchExports.get(project.id, params.batch_export_id);
    return json(200, presentRun(await runs.get(project.id, params.batch_export_id, params.id)));
  },
});

const retryRun = route({
  method: 'post',
  path: '/batch_exports/:batch_export_id/runs/:id/retry/',
  access: { scope: 'batch_export:write' },
  params: PartOfBatchExportParams,
  answers: { 200: null },
  summary: 'Deliver the data interval of a run again',
  description:
    'A backfill of one data interval, which `Location` names. Works while paused; a run that is still under way is refused with 409.',
  async handle({ project, params, headers, url }, { backfills }: ExportsApi) {
    const backfill = await backfills.retry(project.id, params.batch_export_id, params.id);
    const location = { Location: backfillAddress(url, params.batch_export_id, backfill.id) };
    if (!prefersRepresentation(headers)) return noBody(200, location);
    return json(200, presentBackfill(backfill), { ...location, ...REPRESENTATION_APPLIED });
  },
});

export const runRoutes = [listRuns, getRun, retryRun];
