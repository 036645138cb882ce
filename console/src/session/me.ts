/** The user who is logged in, with their projects. */
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { api, unwrap, type AnswerOf } from '../api/client.ts';

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/users/@me/', { signal })),
  staleTime: 60_000,
});

type Me = AnswerOf<'Me'>;

/** @returns the user's current project; else the first project, because users of several organizations may have none yet */
export function currentProjectOf({ team, organization, projects }: Me): number | undefined {
  return team?.id ?? organization?.projects[0]?.id ?? projects[0]?.id;
}

/** @returns the organization of a project; the user's current one if the user has no such project */
export function organizationOf(
  { projects, organization, organizations }: Me,
  projectId: number | undefined,
): string | undefined {
  const own = projects.find(({ id }) => id === projectId)?.organization;
  return own ?? organization?.id ?? organizations[0]?.id;
}

export const useMe = () => useSuspenseQuery(meQuery).data;
