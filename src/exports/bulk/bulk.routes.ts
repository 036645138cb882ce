/** `/batch_exports/bulk/`: one action on several exports, each with a transaction, an audit entry and a result of its own. */
import { reaches, type Rights } from '../../platform/http/access.ts';
import { InvalidInput, NotFound, PermissionDenied } from '../../platform/errors.ts';
import { answerFor, type ErrorBody } from '../../platform/http/error-body.ts';
import { json, route } from '../../platform/http/route.ts';
import type { Author } from '../../people/audit/audit-log.ts';
import type { ExportsApi } from '../api.ts';
import type { RetryOptions } from '../backfills/failed-intervals.ts';
import { batchesOf } from '../domain/slices.ts';
import { pauseNotesOf } from '../pauses/pauses.schema.ts';
import type { PauseNotes } from '../pauses/pauses.store.ts';
import { unpause } from '../pauses/unpause.ts';
import { BulkBody, BulkResultsBody, MAX_EXPORTS, type BulkResult } from './bulk.schema.ts';

/** Number of exports handled at once, because all requests share the database's connections. */
const EXPORTS_AT_ONCE = 4;

type BulkAction = Pick<BulkBody, 'action' | 'dry_run'> & {
  retry: RetryOptions;
  projectId: number;
  by: Author;
  rights: Rights;
  notes: PauseNotes;
};
type ActionResult = Partial<Pick<BulkResult, 'backfill_id' | 'intervals' | 'retrying' | 'plan'>> & { changed: boolean };

const bulk = route({
  method: 'post',
  path: '/batch_exports/bulk/',
  // The caller's level is checked for each export.
  access: { scope: 'batch_export:write', filtered: true },
  body: BulkBody,
  answers: { 200: BulkResultsBody },
  summary: 'Pause, unpause or retry several batch exports',
  description:
    `Acts on up to ${MAX_EXPORTS} exports, each in a transaction of its own: some may be refused while others are not. ` +
    'Repeating the request is harmless.',
  async handle({ project, caller, rights, body }, api: ExportsApi) {
    const notes = notesOf(body);
    const results: BulkResult[] = [];
    const { action, dry_run, include_retrying: includeRetrying, plan } = body;
    const request = {
      projectId: project.id,
      by: caller,
      rights,
      action,
      dry_run,
      notes,
      retry: { includeRetrying, plan },
    };
    for (const ids of batchesOf(body.ids, EXPORTS_AT_ONCE)) {
      results.push(...(await Promise.all(ids.map((id) => tryToAct(api, request, id)))));
    }
    return json(200, { results });
  },
});

export const bulkRoutes = [bulk];

/** @throws InvalidInput for notes that are invalid, or that the action does not take */
function notesOf(body: BulkBody): PauseNotes {
  const { action, reason, resume_at, plan } = body;
  for (const field of ['dry_run', 'include_retrying', 'plan'] as const)
    if (body[field] && action !== 'retry_failed')
      throw new InvalidInput(`Only \`retry_failed\` takes \`${field}\`.`, field);
  if (plan !== undefined && body.ids.length > 1) throw new InvalidInput('A plan is of one export.', 'plan');
  if (action === 'pause') return pauseNotesOf(body);
  if (reason !== undefined) throw new InvalidInput('Only `pause` takes a reason.', 'reason');
  if (resume_at !== undefined) throw new InvalidInput('Only `pause` takes a time to resume.', 'resume_at');
  return {};
}

/** @throws errors that are not refusals, which fail the whole request; clients may repeat it */
async function tryToAct(api: ExportsApi, bulk: BulkAction, id: string): Promise<BulkResult> {
  const none = { id, backfill_id: null, intervals: null, retrying: null, plan: null, error: null };
  try {
    const { changed, ...more } = await act(api, bulk, id);
    return { ...none, ...more, result: changed ? 'changed' : 'unchanged' };
  } catch (error) {
    const answer = answerFor(error);
    if (!answer) throw error;
    return { ...none, result: 'refused', error: answer.body as ErrorBody };
  }
}

async function act(
  api: ExportsApi,
  { projectId, by, rights, action, dry_run, notes, retry }: BulkAction,
  request: string,
): Promise<ActionResult> {
  const { batchExports, backfills } = api;
  // Access rules and workflows use the id as it is stored, in lower case; the request may have it in capitals.
  const { id, createdBy, paused, version } = await batchExports.get(projectId, request);
  ensureEditor(rights, { id, createdBy });
  if (action === 'pause') {
    const batchExport = await batchExports.pause(projectId, id, by, notes);
    return { changed: batchExport.version !== version || !paused };
  }
  if (action === 'unpause') {
    const { changed } = await unpause(api, { projectId, id, by }, false);
    return { changed };
  }
  if (dry_run) {
    const { intervals, runs, plan } = await backfills.findRetriable(projectId, id, retry);
    return { changed: false, intervals: intervals.length, retrying: runs.length, plan };
  }
  const backfill = await backfills.retryFailed(projectId, id, by, retry);
  return backfill ? { changed: true, backfill_id: backfill.id, intervals: backfill.totalRuns } : { changed: false };
}

function ensureEditor(rights: Rights, batchExport: { id: string; createdBy: number | null }): void {
  const level = rights.levelOf('batch_export', batchExport);
  if (level === 'none') throw new NotFound();
  // tooth: bulk-editor
  if (!reaches(level, 'editor')) throw new PermissionDenied('You need editor access to this batch export.');
}
