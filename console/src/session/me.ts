/** The user who is logged in, with their projects: loaded once, and again when that changes. */
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { api, done } from '../api/client.ts';

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => done(api.GET('/api/users/@me/', { signal })),
  staleTime: 60_000,
});

export const useMe = () => useSuspenseQuery(meQuery).data;
