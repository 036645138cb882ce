/** The user's sessions: each can be ended, and all others at once. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, done, messageOf } from '../api/client.ts';
import { Button } from '../look/button.tsx';
import { Empty, Failure, Skeleton } from '../look/notes.tsx';
import { showNotice } from '../look/notice.tsx';
import { PageHead } from '../look/page-head.tsx';
import { Time } from '../look/time.tsx';
import { SettingsNav } from './settings-nav.tsx';

const KEY = ['sessions'];

export function SessionsPage() {
  const queries = useQueryClient();
  const sessions = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => done(api.GET('/api/users/@me/sessions/', { signal })),
  });
  const ending = useMutation({
    mutationFn: (id: string | undefined) =>
      done<unknown>(
        id === undefined
          ? api.POST('/api/users/@me/sessions/end_others/')
          : api.DELETE('/api/users/@me/sessions/{id}/', { params: { path: { id } } }),
      ),
    onError: (error) => showNotice({ text: messageOf(error) }),
    onSettled: () => queries.invalidateQueries({ queryKey: KEY }),
  });
  const others = sessions.data?.filter((one) => !one.is_current) ?? [];
  return (
    <main>
      <SettingsNav />
      <PageHead
        title="Sessions"
        action={
          others.length > 1 && (
            <Button kind="danger" isPending={ending.isPending} onPress={() => ending.mutate(undefined)}>
              End all others
            </Button>
          )
        }
      />
      {sessions.isPending && <Skeleton rows={3} />}
      {sessions.isError && <Failure error={sessions.error} onRetry={() => void sessions.refetch()} />}
      {sessions.data && (
        <table>
          <thead>
            <tr>
              <th>Device</th>
              <th>Network</th>
              <th>Last seen</th>
              <th>
                <span className="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {sessions.data.map((one) => (
              <tr key={one.id}>
                <td>
                  {one.device ?? 'Unknown device'}
                  {one.is_current && <span className="quiet"> this one</span>}
                </td>
                <td className="id">{one.network ?? 'unknown'}</td>
                <td>
                  <Time iso={one.last_seen_at} />
                </td>
                <td>
                  {!one.is_current && (
                    <Button
                      kind="quiet"
                      aria-label={`End the session on ${one.device ?? 'an unknown device'}`}
                      isDisabled={ending.isPending}
                      onPress={() => ending.mutate(one.id)}
                    >
                      End
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {sessions.data && others.length === 0 && <Empty>You are logged in nowhere else.</Empty>}
    </main>
  );
}
