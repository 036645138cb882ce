/** Requests about keys of a person and of a project, with the same methods for both. */
import { api, unwrap, type AnswerOf } from '../../api/client.ts';

export type Key = Omit<AnswerOf<'ProjectSecretApiKey'>, 'created_by'> & {
  created_by?: { first_name: string; email: string } | null;
  scoped_teams?: number[] | null;
};

export type NewKey = {
  label: string;
  scopes: string[];
  expires_at: string | null;
  /** The only project that a personal key opens; null: all projects of its owner. */
  projectId: number | null;
};

export type KeysOfOwner = {
  queryKey: readonly unknown[];
  /** Path of the list request, shown for the user to copy. */
  path: string;
  list(signal: AbortSignal): Promise<Key[]>;
  create(key: NewKey): Promise<Key>;
  roll(id: string, graceSeconds: number): Promise<Key>;
  remove(id: string): Promise<unknown>;
};

export const personalKeys: KeysOfOwner = {
  queryKey: ['keys', 'personal'],
  path: '/api/personal_api_keys/',
  list: (signal) => unwrap(api.GET('/api/personal_api_keys/', { signal })),
  create: ({ projectId, ...key }) =>
    unwrap(
      api.POST('/api/personal_api_keys/', {
        body: { ...key, scoped_teams: projectId === null ? [] : [projectId], scoped_organizations: [] },
      }),
    ),
  roll: (id, grace_seconds) =>
    unwrap(api.POST('/api/personal_api_keys/{id}/roll/', { params: { path: { id } }, body: { grace_seconds } })),
  remove: (id) => unwrap(api.DELETE('/api/personal_api_keys/{id}/', { params: { path: { id } } })),
};

export function projectKeys(projectId: number): KeysOfOwner {
  const path = { project_id: projectId };
  return {
    queryKey: ['keys', 'project', projectId],
    path: `/api/projects/${projectId}/project_secret_api_keys/`,
    list: (signal) =>
      unwrap(api.GET('/api/environments/{project_id}/project_secret_api_keys/', { params: { path }, signal })),
    create: ({ label, scopes, expires_at }) =>
      unwrap(
        api.POST('/api/environments/{project_id}/project_secret_api_keys/', {
          params: { path },
          body: { label, scopes, expires_at },
        }),
      ),
    roll: (id, grace_seconds) =>
      unwrap(
        api.POST('/api/environments/{project_id}/project_secret_api_keys/{id}/roll/', {
          params: { path: { ...path, id } },
          body: { grace_seconds },
        }),
      ),
    remove: (id) =>
      unwrap(
        api.DELETE('/api/environments/{project_id}/project_secret_api_keys/{id}/', {
          params: { path: { ...path, id } },
        }),
      ),
  };
}
