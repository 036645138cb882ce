/** Whether the installation mails links that set a new password: without mail an operator sets them. */
import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from '../api/client.ts';

export const resetsQuery = queryOptions({
  queryKey: ['resets'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/reset/', { signal })),
  staleTime: Infinity,
});
