/** A banner while the installation delivers nothing: its database may be restored or a copy, and an operator has to recover it first. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../api/client.ts';
import styles from './blocked.module.css';

export const instanceQuery = queryOptions({
  queryKey: ['instance'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/instance/', { signal })),
  staleTime: 60_000,
  refetchInterval: 60_000,
});

export function BlockedBanner() {
  const reason = useQuery(instanceQuery).data?.deliveries.reason;
  return reason ? <Blocked reason={reason} /> : null;
}

export function Blocked({ reason }: { reason: string }) {
  return (
    <p role="alert" className={styles.blocked}>
      {reason}
    </p>
  );
}
