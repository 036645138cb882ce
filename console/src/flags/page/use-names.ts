import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { flagQuery, groupTypesQuery } from '../flags-data.ts';
import { conditionsOf, NAMES_BY_ID, type Filters, type Names } from '../words/conditions.ts';

/** Names of cohorts, flags and group types, which conditions hold only by id. Hidden ones are shown by id. */
export function useNames(projectId: number, filters: Filters): Names {
  const conditions = (filters.groups ?? []).flatMap(conditionsOf);
  const cohorts = unique(conditions.filter(({ type }) => type === 'cohort').map(({ value }) => Number(value)));
  const flags = unique(conditions.filter(({ type }) => type === 'flag').map(({ key }) => Number(key)));
  const isAboutGroups =
    typeof filters.aggregation_group_type_index === 'number' ||
    (filters.groups ?? []).some((set) => typeof set.aggregation_group_type_index === 'number');
  const cohortNames = useQueries({
    queries: cohorts.map((id) => ({
      queryKey: ['cohorts', projectId, id],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        unwrap(
          api.GET('/api/environments/{project_id}/cohorts/{id}/', {
            params: { path: { project_id: projectId, id } },
            signal,
          }),
        ),
      staleTime: 60_000,
    })),
  });
  const flagKeys = useQueries({ queries: flags.map((id) => ({ ...flagQuery(projectId, id), staleTime: 60_000 })) });
  const groupTypes = useQuery({ ...groupTypesQuery(projectId), enabled: isAboutGroups });
  const nameOfCohort = new Map(cohorts.map((id, index) => [String(id), cohortNames[index]?.data?.name]));
  const keyOfFlag = new Map(flags.map((id, index) => [String(id), flagKeys[index]?.data?.key]));
  return useMemo(
    () => ({
      cohort: (id) => nameOfCohort.get(id) || NAMES_BY_ID.cohort(id),
      flag: (id) => keyOfFlag.get(id) ?? NAMES_BY_ID.flag(id),
      groupType: (index) =>
        groupTypes.data?.find((groupType) => groupType.group_type_index === index)?.group_type ??
        NAMES_BY_ID.groupType(index),
    }),
    // oxlint-disable-next-line react/exhaustive-deps
    [JSON.stringify([...nameOfCohort, ...keyOfFlag]), groupTypes.data],
  );
}

function unique(ids: readonly number[]): number[] {
  return [...new Set(ids)].filter((id) => Number.isInteger(id) && id > 0);
}
