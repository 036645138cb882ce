/** Requests about flags. Keys begin with `flags` and the project. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, unwrap, type AnswerOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';

export type Flag = AnswerOf<'FeatureFlag'>;
export type FlagPatch = components['schemas']['FeatureFlagPatch'];

export const PAGE_SIZE = 100;

/** Search of the list, as in its address. */
export type ListSearch = Partial<Record<'search' | 'state' | 'type', string | undefined>> & {
  page?: number | undefined;
};

const ACTIVE = { on: 'true', off: 'false', stale: 'STALE' } as const;
const KINDS = ['boolean', 'multivariant', 'experiment', 'remote_config'] as const;

const isState = (text: string | undefined): text is keyof typeof ACTIVE => text !== undefined && text in ACTIVE;

export function flagListQuery(projectId: number, { search, state, type, page = 1 }: ListSearch) {
  const kind = KINDS.find((candidate) => candidate === type);
  const query = {
    limit: PAGE_SIZE,
    offset: (page - 1) * PAGE_SIZE,
    ...(search !== undefined && { search }),
    ...(isState(state) && { active: ACTIVE[state] }),
    ...(kind && { type: kind }),
  };
  return queryOptions({
    queryKey: ['flags', projectId, 'list', query],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/feature_flags/', {
          params: { path: { project_id: projectId }, query },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });
}

export function flagQuery(projectId: number, id: number) {
  return queryOptions({
    queryKey: ['flags', projectId, 'flag', id],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/feature_flags/{id}/', {
          params: { path: { project_id: projectId, id } },
          signal,
        }),
      ),
  });
}

export function groupTypesQuery(projectId: number) {
  return queryOptions({
    queryKey: ['group types', projectId],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/groups_types/', {
          params: { path: { project_id: projectId } },
          signal,
        }),
      ),
    staleTime: 60_000,
  });
}

export function changeFlag(projectId: number, id: number, body: FlagPatch): Promise<Flag> {
  return unwrap(
    api.PATCH('/api/environments/{project_id}/feature_flags/{id}/', {
      params: { path: { project_id: projectId, id } },
      body,
    }),
  );
}
