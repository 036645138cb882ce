/** Runs one action on several exports, up to 100 in a request. Each has its own result, because the server may refuse some. */
import { api, ApiError, unwrap, messageOf } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import type { PauseRequest } from '../export/export-data.ts';
import type { ListedExport } from './list-data.ts';

export type BulkAction = 'retry' | 'pause' | 'unpause';
/** `isUnpaused`: the row then offers what the pause missed. */
export type BulkResult = { ok: boolean; text: string; isUnpaused?: boolean };

const MAX_AT_ONCE = 100;
const ON_THE_WIRE = { retry: 'retry_failed', pause: 'pause', unpause: 'unpause' } as const;
const CHANGED = { pause: 'Paused.', unpause: 'Running again.' } as const;
const UNCHANGED = {
  retry: 'Nothing had failed.',
  pause: 'It was paused already.',
  unpause: 'It was running already.',
} as const;

/** @param notes of a pause @returns a result for each id @throws ApiError for notes that the server refuses; nothing is done then */
export async function applyBulk(
  projectId: number,
  exports: readonly Pick<ListedExport, 'id' | 'areCountsMinimums'>[],
  action: BulkAction,
  notes: PauseRequest = {},
): Promise<Map<string, BulkResult>> {
  const results: (readonly [string, BulkResult])[] = [];
  for (let from = 0; from < exports.length; from += MAX_AT_ONCE) {
    const some = exports.slice(from, from + MAX_AT_ONCE);
    results.push(...(await resultsOf(projectId, some, action, notes)));
  }
  return new Map(results);
}

type Exports = Parameters<typeof applyBulk>[1];

async function resultsOf(project_id: number, exports: Exports, action: BulkAction, notes: PauseRequest) {
  const ids = exports.map(({ id }) => id);
  try {
    const { results } = await unwrap(
      api.POST('/api/environments/{project_id}/batch_exports/bulk/', {
        params: { path: { project_id } },
        body: { action: ON_THE_WIRE[action], ids, ...notes },
      }),
    );
    // The server refuses the same notes for every export, so it paused nothing.
    const ofNotes = results.find(({ error }) => error !== null && isAboutNotes(error.attr, notes));
    if (ofNotes) throw new ApiError(400, ofNotes.error);
    return results.map((one, index) => [one.id, inWords(one, action, exports[index]!.areCountsMinimums)] as const);
  } catch (error) {
    if (error instanceof ApiError && isAboutNotes(error.attr, notes)) throw error;
    // The states of the exports show whether the server did part of it.
    return ids.map((id) => [id, { ok: false, text: messageOf(error) }] as const);
  }
}

const isAboutNotes = (attr: string | null, notes: PauseRequest) => attr !== null && attr in notes;

type Result = components['schemas']['BulkResult'];

function inWords({ result, error, intervals }: Result, action: BulkAction, isMinimum: boolean): BulkResult {
  if (result === 'refused') return { ok: false, text: error?.detail ?? 'It was refused.' };
  if (result === 'unchanged') return { ok: true, text: UNCHANGED[action] };
  if (action !== 'retry') return { ok: true, text: CHANGED[action], isUnpaused: action === 'unpause' };
  const rest = isMinimum ? ' There may be more: retry these once the newest are delivered.' : '';
  return { ok: true, text: `${intervals ?? 0} requested again.${rest}` };
}
