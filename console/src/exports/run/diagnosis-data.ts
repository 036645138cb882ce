/** The diagnosis of a run that did not deliver, and its changes in words. */
import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { pollMs } from '../../live/live-state.ts';
import { runParams, type RunIds } from './run-data.ts';

export type Diagnosis = components['schemas']['RunDiagnosis'];
export type Change = Diagnosis['changes'][number];

export const diagnosisQuery = (runIds: RunIds) =>
  queryOptions({
    queryKey: ['runs', runIds, 'diagnosis'],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/batch_exports/{batch_export_id}/runs/{id}/diagnosis/', {
          params: runParams(runIds),
          signal,
        }),
      ),
    refetchInterval: () => pollMs(15_000),
  });

/** Changes of the field that the error names come first; otherwise newest first. */
export function sortedChanges(changes: readonly Change[], field: string | null): readonly Change[] {
  const isOfField = ({ fields }: Change) => field !== null && fields.some((one) => one.field === field);
  return changes.toSorted((one, other) => Number(isOfField(other)) - Number(isOfField(one)));
}

export function authorWords({ user, about }: Change): string {
  if (user) return user.first_name || user.email;
  return about === 'integration' ? 'somebody without an account' : 'a key or Sluice itself';
}
