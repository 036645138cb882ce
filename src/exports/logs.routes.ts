/** What happened, in sentences: of a batch export, and of one of its runs. */
import { boundedLimit, offsetPage, offsetPageOf, offsetQuery } from '../http/pagination.ts';
import { json, route } from '../http/route.ts';
import { BatchExportParams, PartOfBatchExportParams, type ExportsApi } from './api.ts';
import { LogEntryBody } from './logs.schema.ts';
import { presentLogEntry } from './present.ts';

const DEFAULT_ENTRIES = 50;

const listExportLogs = route({
  method: 'get',
  path: '/batch_exports/:id/logs/',
  access: { scope: 'batch_export:read' },
  params: BatchExportParams,
  query: offsetQuery(DEFAULT_ENTRIES),
  answers: { 200: offsetPageOf(LogEntryBody) },
  summary: 'Read the log of a batch export, the newest entry first',
  async handle({ project, params, query, url }, { batchExports, exportLogs }: ExportsApi) {
    await batchExports.get(project.id, params.id);
    const place = { limit: boundedLimit(query.limit), offset: query.offset };
    const { count, results } = await exportLogs.list({ batchExportId: params.id, ...place });
    return json(200, offsetPage(url, query, { count, results: results.map(presentLogEntry) }));
  },
});

const listRunLogs = route({
  method: 'get',
  path: '/batch_exports/:batch_export_id/runs/:id/logs/',
  access: { scope: 'batch_export:read' },
  params: PartOfBatchExportParams,
  query: offsetQuery(DEFAULT_ENTRIES),
  answers: { 200: offsetPageOf(LogEntryBody) },
  summary: 'Read the log of a run, the newest entry first',
  async handle({ project, params, query, url }, { batchExports, runs, exportLogs }: ExportsApi) {
    await batchExports.get(project.id, params.batch_export_id);
    await runs.get(project.id, params.batch_export_id, params.id);
    const place = { limit: boundedLimit(query.limit), offset: query.offset };
    const { count, results } = await exportLogs.list({
      batchExportId: params.batch_export_id,
      runId: params.id,
      ...place,
    });
    return json(200, offsetPage(url, query, { count, results: results.map(presentLogEntry) }));
  },
});

export const logRoutes = [listExportLogs, listRunLogs];
