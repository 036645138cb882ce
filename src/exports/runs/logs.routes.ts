/** Log of a batch export, or of one of its runs, as JSON or text. */
import { InvalidInput } from '../../platform/errors.ts';
import { momentIfGiven } from '../../platform/http/parameters/moment.ts';
import { cursorPage, Offset, offsetPage } from '../../platform/http/parameters/pagination.ts';
import { json, route, type Answer } from '../../platform/http/route.ts';
import { stringEnum, Type, type Static } from '../../platform/schema.ts';
import { BatchExportParams, type ExportsApi, PARENT_EXPORT, EXPORT_BY_ID, BatchExportItemParams } from '../api.ts';
import { LogPageBody } from './logs.schema.ts';
import { LOG_LEVELS, type LogFilter, type LogLevel, type LogStore } from './logs.store.ts';
import { MAX_LINES, prefersText, TEXT, textAnswer } from './logs.text.ts';
import { presentLogEntry } from '../batch-exports/present.ts';

const Query = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 50, description: 'The number of entries per page.' }),
  offset: Offset,
  cursor: Type.Optional(
    Type.String({
      description:
        'Pages by cursor instead of `offset`, without `count`: empty for the newest entries, then the cursor from the ' +
        '`next` or `previous` URL of a page.',
    }),
  ),
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
  attempt: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Returns only entries that this attempt wrote.' }),
  ),
  search: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Returns only entries whose message contains this text, ignoring case.',
    }),
  ),
  instance_id: Type.Optional(
    Type.String({ description: 'Returns only entries of the run with this `workflow_run_id`.' }),
  ),
  format: stringEnum(['json', 'text'], {
    default: 'json',
    description: `\`text\`, like the header \`Accept: text/plain\`: all entries as lines, oldest first, up to ${MAX_LINES}.`,
  }),
});
type Query = Static<typeof Query>;

const sharedFields = {
  query: Query,
  answers: { 200: LogPageBody },
  alsoProduces: { type: TEXT, example: '2025-06-02T10:00:03.518204Z INFO    #1 Planned 13 rows in 1 parts\n' },
  description:
    'To follow a log, request `cursor=` with `after` five seconds before the newest entry that you have, again and ' +
    'again, and drop entries whose `id` you have: an entry may become visible after one that is newer. With filters, a ' +
    'page may have fewer entries than `limit`, or none, and still have a `next`.',
} as const;

const listExportLogs = route({
  method: 'get',
  path: '/batch_exports/:id/logs/',
  access: { scope: 'batch_export:read', object: EXPORT_BY_ID },
  params: BatchExportParams,
  ...sharedFields,
  summary: 'List the log entries of a batch export, newest first',
  async handle({ project, params, query, headers, url }, { batchExports, exportLogs }: ExportsApi) {
    await batchExports.get(project.id, params.id);
    const filter = { batchExportId: params.id, ...filterOf(query) };
    if (query.format === 'text' || prefersText(headers)) return textAnswer(exportLogs, filter, `export-${params.id}`);
    return logPage(exportLogs, filter, query, url);
  },
});

const listRunLogs = route({
  method: 'get',
  path: '/batch_exports/:batch_export_id/runs/:id/logs/',
  access: { scope: 'batch_export:read', object: PARENT_EXPORT },
  params: BatchExportItemParams,
  ...sharedFields,
  summary: 'List the log entries of a run, newest first',
  async handle({ project, params, query, headers, url }, { batchExports, runs, exportLogs }: ExportsApi) {
    const { batch_export_id: batchExportId, id: runId } = params;
    await batchExports.get(project.id, batchExportId);
    await runs.get(project.id, batchExportId, runId);
    const filter = { batchExportId, runId, ...filterOf(query) };
    if (query.format === 'text' || prefersText(headers)) return textAnswer(exportLogs, filter, `run-${runId}`);
    return logPage(exportLogs, filter, query, url);
  },
});

export const logRoutes = [listExportLogs, listRunLogs];

async function logPage(logs: LogStore, filter: LogFilter, query: Query, url: URL): Promise<Answer> {
  const { limit, offset, cursor } = query;
  if (cursor === undefined) {
    const { count, results } = await logs.list({ ...filter, limit, offset });
    return json(200, offsetPage(url, query, { count, results: results.map(presentLogEntry) }));
  }
  const page = cursor === '' ? { limit } : { limit, cursor };
  const listed = await cursorPage(
    url,
    page,
    (page) => logs.listPage(filter, page),
    ({ entry }) => presentLogEntry(entry!),
    (id) => ENTRY_ID.test(id),
  );
  return json(200, { count: null, ...listed });
}

/** Id of an entry, which is a bigint in the database. */
const ENTRY_ID = /^[1-9]\d{0,17}$/;

function filterOf({ after, before, level, attempt, search, instance_id }: Query): Omit<LogFilter, 'batchExportId'> {
  return {
    after: momentIfGiven(after, 'after'),
    before: momentIfGiven(before, 'before'),
    levels: level.flatMap(levelsOf),
    attempt,
    search,
    workflowRunId: instance_id,
  };
}

/** Levels by upstream's names, of which `LOG` is never written here. @throws InvalidInput */
function levelsOf(text: string): LogLevel[] {
  const name = text.toUpperCase();
  if (name === 'WARN') return ['WARNING'];
  if (name === 'LOG') return ['INFO'];
  const level = LOG_LEVELS.find((known) => known === name);
  if (level) return [level];
  throw new InvalidInput(`"${text.slice(0, 100)}" is not a valid choice.`, 'level', 'invalid_choice');
}
