/** How many persons or groups match a condition set, and how many of all get the flag. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import { formatCount } from '../../look/time.tsx';
import { conditionsOf, groupTypeIndexOf, percentOf, type ConditionSet, type Filters } from '../words/conditions.ts';
import { reachOf } from '../words/reach.ts';
import styles from './flag-page.module.css';

/** Limit of counted sets: each count may take the database seconds. */
const MAX_COUNTED = 8;

function countQuery(projectId: number, set: ConditionSet, groupType: number | null) {
  // The server counts all who match, so the percentage is not sent.
  const condition = { properties: [...conditionsOf(set)] };
  return {
    queryKey: ['flags', projectId, 'reach', condition, groupType],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      unwrap(
        api.POST('/api/environments/{project_id}/feature_flags/user_blast_radius/', {
          params: { path: { project_id: projectId } },
          body: { condition, group_type_index: groupType },
          signal,
        }),
      ),
    staleTime: 60_000,
    retry: false,
  };
}

type SetReachProps = { projectId: number; set: ConditionSet; filters: Filters; place: number };

export function SetReach({ projectId, set, filters, place }: SetReachProps) {
  const hasConditions = conditionsOf(set).length > 0;
  const count = useQuery({
    ...countQuery(projectId, set, groupTypeIndexOf(set, filters)),
    enabled: hasConditions && place < MAX_COUNTED,
  });
  if (!hasConditions || place >= MAX_COUNTED || count.isPending) return <span className={styles.reach} />;
  // The server refuses to count an invalid set; its reason is shown here.
  if (!count.data) return <span className={styles.uncounted}>Not counted. {count.error?.message}</span>;
  const { users_affected: matching, total_users: total } = count.data;
  return (
    <span className={styles.reach}>
      {formatCount(matching)} of {formatCount(total)} match
    </span>
  );
}

/** Hidden if enrollment, holdouts or early exit also decide, if there are too many sets, or if they count different group types. */
export function FlagReach({ projectId, filters }: { projectId: number; filters: Filters }) {
  const sets = filters.groups ?? [];
  const groupTypes = [...new Set(sets.map((set) => groupTypeIndexOf(set, filters)))];
  const isPlain =
    !filters.early_exit &&
    !filters.feature_enrollment &&
    !filters.super_groups?.length &&
    !filters.holdout &&
    !filters.holdout_groups?.length;
  const isCounted = isPlain && sets.length > 0 && sets.length <= MAX_COUNTED && groupTypes.length === 1;
  const counts = useQueries({
    queries: isCounted ? sets.map((set) => countQuery(projectId, set, groupTypes[0]!)) : [],
  });
  const answers = counts.flatMap(({ data }) => data ?? []);
  if (!isCounted || answers.length < counts.length) return null;
  const total = Math.max(...answers.map(({ total_users }) => total_users));
  const { min, max } = reachOf(
    sets.map((set, index) => ({
      percent: percentOf(set),
      hasConditions: conditionsOf(set).length > 0,
      matching: answers[index]!.users_affected,
    })),
    total,
  );
  const reached = min === max ? formatCount(min) : `${formatCount(min)} to ${formatCount(max)}`;
  return (
    <span>
      reaches {reached} of {formatCount(total)}
    </span>
  );
}
