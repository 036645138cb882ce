import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import type { Flag } from '../flags-data.ts';
import { conditionsOf, NAMES_BY_ID, type Names } from '../words/conditions.ts';

/** Names for the conditions of listed flags: those of the flags themselves, and of the first 100 cohorts. Others are shown by id. */
export function useListNames(projectId: number, flags: readonly Flag[]): Names {
  const asksForCohorts = flags.some(({ filters }) =>
    (filters.groups ?? []).flatMap(conditionsOf).some(({ type }) => type === 'cohort'),
  );
  const cohorts = useQuery({
    queryKey: ['cohorts', projectId, 'list'],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/cohorts/', {
          params: { path: { project_id: projectId }, query: { limit: 100 } },
          signal,
        }),
      ),
    enabled: asksForCohorts,
    staleTime: 60_000,
  });
  return {
    ...NAMES_BY_ID,
    cohort: (id) => cohorts.data?.results.find((cohort) => String(cohort.id) === id)?.name || NAMES_BY_ID.cohort(id),
    flag: (id) => flags.find((flag) => String(flag.id) === id)?.key ?? NAMES_BY_ID.flag(id),
  };
}
