import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import type { Entry } from './entries.ts';

const MAX_OF_A_KIND = 6;

type Kind = { title: string; find: (projectId: number, search: string, signal: AbortSignal) => Promise<Entry[]> };

const KINDS: readonly Kind[] = [
  {
    title: 'Exports',
    async find(project_id, search, signal) {
      const query = { search, limit: MAX_OF_A_KIND };
      const { results } = await unwrap(
        api.GET('/api/environments/{project_id}/batch_exports/overview/', {
          params: { path: { project_id }, query },
          signal,
        }),
      );
      return results.map(({ id, name }) => ({
        id: `export ${id}`,
        name,
        href: `/project/${project_id}/exports/${id}`,
      }));
    },
  },
  {
    title: 'Flags',
    async find(project_id, search, signal) {
      const query = { search, limit: MAX_OF_A_KIND };
      const { results } = await unwrap(
        api.GET('/api/environments/{project_id}/feature_flags/', { params: { path: { project_id }, query }, signal }),
      );
      return results.map(({ id, key, name }) => ({
        id: `flag ${id}`,
        name: key,
        detail: name,
        href: `/project/${project_id}/flags/${id}`,
      }));
    },
  },
  {
    title: 'Dashboards',
    async find(project_id, search, signal) {
      const query = { search, limit: MAX_OF_A_KIND };
      const { results } = await unwrap(
        api.GET('/api/environments/{project_id}/dashboards/', { params: { path: { project_id }, query }, signal }),
      );
      return results.map(({ id, name }) => ({
        id: `dashboard ${id}`,
        name: name || 'Untitled',
        href: `/project/${project_id}/dashboards/${id}`,
      }));
    },
  },
];

/** @returns the project's objects that match the text, by kind; empty before text is typed */
export function useSearchResults(projectId: number | undefined, search: string) {
  const isSearching = projectId !== undefined && search !== '';
  return useQueries({
    queries: KINDS.map(({ title, find }) => ({
      queryKey: ['found', projectId, title, search],
      queryFn: ({ signal }: { signal: AbortSignal }) => find(projectId!, search, signal),
      enabled: isSearching,
      placeholderData: keepPreviousData,
    })),
    combine: (answers) => ({
      isPending: isSearching && answers.some((answer) => answer.isPending || answer.isPlaceholderData),
      // The server refuses kinds that the user may not see; they show nothing.
      sections: isSearching
        ? answers.map(({ data = [] }, index) => ({ title: KINDS[index]!.title, entries: data }))
        : [],
    }),
  });
}
