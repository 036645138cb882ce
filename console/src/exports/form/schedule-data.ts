/** The next runs of an unsaved schedule. If the schedule of a saved export changes, they begin when its current interval ends. */
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { isOfCalendar } from '../words/cadence.ts';
import type { Fields } from './draft.ts';

export type NextRun = components['schemas']['SchedulePreview']['runs'][number];

export const SCHEDULE = ['interval', 'timezone', 'offset_day', 'offset_hour'];

/** Runs to preview, the server's maximum: the form looks for clock changes in all of them. */
const COUNT = 50;

export function schedulePreviewQuery(
  projectId: number,
  fields: Fields,
  { count, endOfCurrentInterval }: { count: number; endOfCurrentInterval?: string },
) {
  const start = [fields['start_at'] as string | null, endOfCurrentInterval ?? null]
    .filter((one) => one !== null)
    .toSorted();
  const body = {
    ...(Object.fromEntries(SCHEDULE.map((name) => [name, fields[name]])) as { interval: string }),
    start_at: start.at(-1) ?? null,
    end_at: fields['end_at'] as string | null,
    count,
  };
  return queryOptions({
    queryKey: ['schedule-preview', projectId, body],
    queryFn: ({ signal }) =>
      unwrap(
        api.POST('/api/environments/{project_id}/batch_exports/schedule_preview/', {
          params: { path: { project_id: projectId } },
          body,
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    // A refused schedule is reported at its field when the form is sent.
    retry: false,
  });
}

export type NextRuns = {
  runs: readonly NextRun[];
  /** The current interval, which ends as planned although the schedule changes; undefined: the schedule does not change. */
  last: NextRun | undefined;
};

/** @param saved fields of the export that is edited; undefined: it is new */
export function useNextRuns(projectId: number, fields: Fields, saved: Fields | undefined): NextRuns {
  const isChanged = saved !== undefined && isOtherCadence(saved, fields);
  const present = useQuery({ ...schedulePreviewQuery(projectId, saved ?? fields, { count: 1 }), enabled: isChanged });
  const last = isChanged ? present.data?.runs[0] : undefined;
  const endOfCurrentInterval = last?.data_interval_end;
  const { data } = useQuery({
    ...schedulePreviewQuery(projectId, fields, {
      count: COUNT,
      ...(endOfCurrentInterval !== undefined && { endOfCurrentInterval }),
    }),
    enabled: !isChanged || endOfCurrentInterval !== undefined,
  });
  const runs = (data?.runs ?? []).filter(
    ({ data_interval_end: end }) => endOfCurrentInterval === undefined || end > endOfCurrentInterval,
  );
  // The first interval of the new schedule begins where the last one of the old schedule ends.
  const first = runs[0];
  if (first && endOfCurrentInterval !== undefined && first.data_interval_start < endOfCurrentInterval)
    return { runs: [{ ...first, data_interval_start: endOfCurrentInterval }, ...runs.slice(1)], last };
  return { runs, last };
}

/** Whether the intervals differ. For hours and minutes, zone and offsets do not count: their boundaries are the same in every zone. */
function isOtherCadence(one: Fields, other: Fields): boolean {
  const counting = isOfCalendar(String(other['interval'])) ? SCHEDULE : ['interval'];
  return counting.some((name) => one[name] !== other[name]);
}
