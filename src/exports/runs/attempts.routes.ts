/** `/runs/:id/attempts/` and `/runs/:id/progress/`: a run's attempts and progress. */
import { json, route } from '../../platform/http/route.ts';
import { type ExportsApi, PARENT_EXPORT, BatchExportItemParams } from '../api.ts';
import { AttemptsBody, presentAttempt, presentProgress, ProgressBody } from './attempts.schema.ts';

const listAttempts = route({
  method: 'get',
  path: '/batch_exports/:batch_export_id/runs/:id/attempts/',
  access: { scope: 'batch_export:read', object: PARENT_EXPORT },
  params: BatchExportItemParams,
  answers: { 200: AttemptsBody },
  summary: 'List the attempts at each step of a run',
  async handle({ project, params }, { runs }: ExportsApi) {
    const run = await runs.get(project.id, params.batch_export_id, params.id);
    return json(200, { results: (await runs.attempts(run.id)).map(presentAttempt) });
  },
});

const getProgress = route({
  method: 'get',
  path: '/batch_exports/:batch_export_id/runs/:id/progress/',
  access: { scope: 'batch_export:read', object: PARENT_EXPORT },
  params: BatchExportItemParams,
  answers: { 200: ProgressBody },
  summary: 'Retrieve how much of a run has been staged',
  async handle({ project, params }, { runs }: ExportsApi) {
    const run = await runs.get(project.id, params.batch_export_id, params.id);
    return json(200, presentProgress(run, await runs.progress(run.id)));
  },
});

export const attemptRoutes = [listAttempts, getProgress];
