/** One thing done to several exports: each has a result of its own, because some may be refused while others are not. */
import { api, done, messageOf } from '../../api/client.ts';
import type { ListedExport } from './list-data.ts';

export type BulkAction = 'retry' | 'pause' | 'unpause';
export type BulkResult = { ok: boolean; text: string };

const DONE: Readonly<Record<'pause' | 'unpause', string>> = { pause: 'Paused.', unpause: 'Running again.' };

/** @returns a result for each id */
export async function applyBulk(
  projectId: number,
  exports: readonly ListedExport[],
  action: BulkAction,
): Promise<Map<string, BulkResult>> {
  const results = await Promise.all(exports.map((one) => resultOf(projectId, one, action)));
  return new Map(exports.map(({ id }, index) => [id, results[index]!]));
}

async function resultOf(projectId: number, one: ListedExport, action: BulkAction): Promise<BulkResult> {
  try {
    return { ok: true, text: await apply(projectId, one, action) };
  } catch (error) {
    return { ok: false, text: messageOf(error) };
  }
}

async function apply(projectId: number, { id }: ListedExport, action: BulkAction): Promise<string> {
  const path = { project_id: projectId, id };
  if (action !== 'retry') {
    await done(
      action === 'pause'
        ? api.POST('/api/environments/{project_id}/batch_exports/{id}/pause/', { params: { path } })
        : api.POST('/api/environments/{project_id}/batch_exports/{id}/unpause/', { params: { path }, body: {} }),
    );
    return DONE[action];
  }
  const map = (query: { start?: string }) =>
    done(api.GET('/api/environments/{project_id}/batch_exports/{id}/intervals/map/', { params: { path, query } }));
  const { history_start: start } = await map({});
  const { needs_you } = await map(start ? { start } : {});
  const failedRuns = needs_you.flatMap(({ reason, run_id }) => (reason !== 'delivered_elsewhere' && run_id) || []);
  for (const run of failedRuns)
    await done(
      api.POST('/api/environments/{project_id}/batch_exports/{batch_export_id}/runs/{id}/retry/', {
        params: { path: { project_id: projectId, batch_export_id: id, id: run } },
      }),
    );
  return failedRuns.length === 0 ? 'Nothing had failed.' : `${failedRuns.length} requested again.`;
}
