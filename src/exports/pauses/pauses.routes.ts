/** `/batch_exports/:id/pause/` and `/unpause/`. */
import { route } from '../../platform/http/route.ts';
import { backfillLocation, BatchExportParams, type ExportsApi, EXPORT_BY_ID } from '../api.ts';
import { emptyOrPreferred } from '../batch-exports/batch-exports.routes.ts';
import { unpause } from './unpause.ts';
import { NewPauseBody, UnpauseBody, pauseNotesOf } from './pauses.schema.ts';

const pauseBatchExport = route({
  method: 'post',
  path: '/batch_exports/:id/pause/',
  access: { scope: 'batch_export:write', object: EXPORT_BY_ID },
  params: BatchExportParams,
  body: NewPauseBody,
  answers: { 200: null },
  summary: 'Pause a batch export',
  description:
    'Runs in progress continue; no scheduled run starts until the export is unpaused, or until `resume_at`. The ' +
    'body is optional. If the export is already paused, `reason` and `resume_at` are changed where they are given.',
  async handle({ project, caller, rights, params, body, headers }, api: ExportsApi) {
    const paused = await api.batchExports.pause(project.id, params.id, caller, pauseNotesOf(body));
    return emptyOrPreferred(paused, headers, api, rights);
  },
});

const unpauseBatchExport = route({
  method: 'post',
  path: '/batch_exports/:id/unpause/',
  access: { scope: 'batch_export:write', object: EXPORT_BY_ID },
  params: BatchExportParams,
  body: UnpauseBody,
  answers: { 200: null },
  summary: 'Unpause a batch export',
  description:
    'With `backfill`, data intervals that ended during the pause without a run are delivered. The `Location` ' +
    'header identifies their backfill, if there are any; it is queued if the project already has the maximum ' +
    'number of concurrent backfills. Without `backfill`, these intervals remain missing.',
  async handle({ project, caller, rights, params, body, headers, url }, api: ExportsApi) {
    const { batchExport, backfill } = await unpause(
      api,
      { projectId: project.id, id: params.id, by: caller },
      body.backfill,
    );
    const answer = await emptyOrPreferred(batchExport, headers, api, rights);
    if (!backfill) return answer;
    return { ...answer, headers: { ...answer.headers, ...backfillLocation(url, params.id, backfill.id) } };
  },
});

export const pauseRoutes = [pauseBatchExport, unpauseBatchExport];
