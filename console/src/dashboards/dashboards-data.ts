/** Requests about dashboards. Keys begin with `dashboards` and the project. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, unwrap, type AnswerOf } from '../api/client.ts';

export type Dashboard = AnswerOf<'Dashboard'>;
export type Tile = Dashboard['tiles'][number];
export type Sharing = AnswerOf<'SharingConfiguration'>;

export const PAGE_SIZE = 100;
/** Polling interval of an open dashboard: the server computes outdated results again when they are viewed. */
const REFETCH_MS = 60_000;

export type ListSearch = { search?: string | undefined; page?: number | undefined };

export function dashboardListQuery(project_id: number, { search, page = 1 }: ListSearch) {
  const query = { limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE, ...(search !== undefined && { search }) };
  return queryOptions({
    queryKey: ['dashboards', project_id, 'list', query],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/dashboards/', { params: { path: { project_id }, query }, signal }),
      ),
    placeholderData: keepPreviousData,
  });
}

export function dashboardQuery(project_id: number, id: number) {
  return queryOptions({
    queryKey: ['dashboards', project_id, 'dashboard', id],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/dashboards/{id}/', { params: { path: { project_id, id } }, signal }),
      ),
    refetchInterval: ({ state }) => (state.status === 'error' ? false : REFETCH_MS),
  });
}

/** @param use_template name of a built-in template */
export const makeFromTemplate = (project_id: number, use_template: string, name: string): Promise<Dashboard> =>
  unwrap(
    api.POST('/api/environments/{project_id}/dashboards/', {
      params: { path: { project_id } },
      body: { use_template, name },
    }),
  );

const SHARING = '/api/environments/{project_id}/dashboards/{dashboard_id}/sharing/';

/** Path parameters of a dashboard's link. */
export type SharingPath = { project_id: number; dashboard_id: string };

export function sharingQuery(path: SharingPath) {
  return queryOptions({
    queryKey: ['dashboards', path.project_id, 'sharing', path.dashboard_id],
    queryFn: ({ signal }) => unwrap(api.GET(SHARING, { params: { path }, signal })),
  });
}

type SharingChange = { enabled: boolean } | { password_required: boolean } | { expires_at: string | null };

export const changeSharing = (path: SharingPath, body: SharingChange): Promise<Sharing> =>
  unwrap(api.PATCH(SHARING, { params: { path }, body }));

export const replaceLink = (path: SharingPath): Promise<Sharing> =>
  unwrap(api.POST(`${SHARING}refresh/`, { params: { path }, body: {} }));

export const addPassword = (path: SharingPath, body: { raw_password?: string; note?: string }) =>
  unwrap(api.POST(`${SHARING}passwords/`, { params: { path }, body }));

export const removePassword = (path: SharingPath, password_id: number): Promise<unknown> =>
  unwrap(api.DELETE(`${SHARING}passwords/{password_id}/`, { params: { path: { ...path, password_id } } }));
