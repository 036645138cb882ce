/** Log of a batch export, or of one of its runs, in sentences. */
import { InvalidInput } from '../../platform/errors.ts';
import { momentIfGiven } from '../../platform/http/parameters/moment.ts';
import { Offset, offsetPage, offsetPageOf } from '../../platform/http/parameters/pagination.ts';
import { json, route } from '../../platform/http/route.ts';
import { Type, type Static } from '../../platform/schema.ts';
import { BatchExportParams, type ExportsApi, ITS_EXPORT, ONE_EXPORT, PartOfBatchExportParams } from '../api.ts';
import { LogEntryBody } from './logs.schema.ts';
import { LOG_LEVELS, type LogLevel, type LogQuery } from './logs.store.ts';
import { presentLogEntry } from '../batch-exports/present.ts';

const Query = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 50, description: 'The number of entries per page.' }),
  offset: Offset,
  after: Type.Optional(
    Type.String({ description: 'Returns only entries after this time: a datetime or a relative time such as `-24h`.' }),
  ),
  before: Type.Optional(
    Type.String({
      description: 'Returns only entries before this time: a datetime or a relative time such as `-24h`.',
    }),
  ),
  level: Type.Array(Type.String(), {
    default: [],
    description:
      'Returns only entries with these levels, in upper or lower case: `DEBUG`, `INFO`, `LOG`, `WARNING` (or ' +
      '`WARN`) and `ERROR`; may be repeated.',
  }),
  search: Type.Optional(
    Type.String({ description: 'Returns only entries whose message contains this text, ignoring case.' }),
  ),
  instance_id: Type.Optional(
    Type.String({ description: 'Returns only entries of the run with this `workflow_run_id`.' }),
  ),
});

const listExportLogs = route({
  method: 'get',
  path: '/batch_exports/:id/logs/',
  access: { scope: 'batch_export:read', object: ONE_EXPORT },
  params: BatchExportParams,
  query: Query,
  answers: { 200: offsetPageOf(LogEntryBody) },
  summary: 'List the log entries of a batch export, newest first',
  async handle({ project, params, query, url }, { batchExports, exportLogs }: ExportsApi) {
    await batchExports.get(project.id, params.id);
    const { count, results } = await exportLogs.list({ batchExportId: params.id, ...chosen(query) });
    return json(200, offsetPage(url, query, { count, results: results.map(presentLogEntry) }));
  },
});

const listRunLogs = route({
  method: 'get',
  path: '/batch_exports/:batch_export_id/runs/:id/logs/',
  access: { scope: 'batch_export:read', object: ITS_EXPORT },
  params: PartOfBatchExportParams,
  query: Query,
  answers: { 200: offsetPageOf(LogEntryBody) },
  summary: 'List the log entries of a run, newest first',
  async handle({ project, params, query, url }, { batchExports, runs, exportLogs }: ExportsApi) {
    const { batch_export_id: batchExportId, id: runId } = params;
    await batchExports.get(project.id, batchExportId);
    await runs.get(project.id, batchExportId, runId);
    const { count, results } = await exportLogs.list({ batchExportId, runId, ...chosen(query) });
    return json(200, offsetPage(url, query, { count, results: results.map(presentLogEntry) }));
  },
});

export const logRoutes = [listExportLogs, listRunLogs];

function chosen({
  limit,
  offset,
  after,
  before,
  level,
  search,
  instance_id,
}: Static<typeof Query>): Omit<LogQuery, 'batchExportId'> {
  return {
    limit,
    offset,
    after: momentIfGiven(after, 'after'),
    before: momentIfGiven(before, 'before'),
    levels: level.flatMap(levelsOf),
    search,
    workflowRunId: instance_id,
  };
}

/** Upstream's names; what it calls `LOG` we do not write. @throws InvalidInput */
function levelsOf(text: string): LogLevel[] {
  const name = text.toUpperCase();
  if (name === 'WARN') return ['WARNING'];
  if (name === 'LOG') return ['INFO'];
  const level = LOG_LEVELS.find((known) => known === name);
  if (level) return [level];
  throw new InvalidInput(`"${text.slice(0, 100)}" is not a valid choice.`, 'level', 'invalid_choice');
}
