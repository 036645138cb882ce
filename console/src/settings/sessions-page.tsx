/** The user's sessions: each can be ended, and all others at once. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap } from '../api/client.ts';
import { Button } from '../look/button.tsx';
import { FormDialog } from '../look/dialog.tsx';
import { Empty, Failure, Skeleton } from '../look/notes.tsx';
import { showNotice } from '../look/notice.tsx';
import { PageHead } from '../look/page-head.tsx';
import { Time } from '../look/time.tsx';
import { Table } from './table.tsx';
import { SettingsNav } from './settings-nav.tsx';
import styles from './settings.module.css';

const KEY = ['sessions'];
const COLUMNS = [{ title: 'Device' }, { title: 'Network', isWide: true }, { title: 'Last seen', isWide: true }];
const OTHERS = 'others';
type Session = { id: string; device: string | null };
const deviceOf = ({ device }: Session) => device ?? 'an unknown device';

export function SessionsPage() {
  const [asked, setAsked] = useState<Session | typeof OTHERS>();
  const queries = useQueryClient();
  const sessions = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => unwrap(api.GET('/api/users/@me/sessions/', { signal })),
  });
  const ending = useMutation({
    mutationFn: (target: Session | typeof OTHERS) =>
      unwrap<unknown>(
        target === OTHERS
          ? api.POST('/api/users/@me/sessions/end_others/')
          : api.DELETE('/api/users/@me/sessions/{id}/', { params: { path: { id: target.id } } }),
      ),
    onSuccess(_, target) {
      setAsked(undefined);
      showNotice({
        text:
          target === OTHERS ? 'All your other sessions have ended.' : `The session on ${deviceOf(target)} has ended.`,
      });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: KEY }),
  });
  const ask = (target: Session | typeof OTHERS) => {
    ending.reset();
    setAsked(target);
  };
  const others = sessions.data?.filter((item) => !item.is_current) ?? [];
  return (
    <main>
      <SettingsNav />
      <section className={styles.section} aria-label="Sessions">
        <PageHead
          title="Sessions"
          action={
            others.length > 1 && (
              <Button kind="danger" onPress={() => ask(OTHERS)}>
                End all others
              </Button>
            )
          }
        />
        {sessions.isPending && <Skeleton rows={3} />}
        {sessions.isError && <Failure error={sessions.error} onRetry={() => void sessions.refetch()} />}
        {sessions.data && (
          <Table columns={COLUMNS}>
            {sessions.data.map((item) => (
              <tr key={item.id}>
                <td>
                  {item.device ?? 'Unknown device'}
                  {item.is_current && <span className="quiet"> this browser</span>}
                  <div className={`${styles.below} quiet`}>
                    Last seen <Time iso={item.last_seen_at} />
                    {item.network !== null && <> from {item.network}</>}
                  </div>
                </td>
                <td className={`id ${styles.wide}`}>{item.network ?? 'unknown'}</td>
                <td className={styles.wide}>
                  <Time iso={item.last_seen_at} />
                </td>
                <td>
                  {!item.is_current && (
                    <Button kind="quiet" aria-label={`End the session on ${deviceOf(item)}`} onPress={() => ask(item)}>
                      End
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </Table>
        )}
        {sessions.data && others.length === 0 && <Empty>You have no other sessions.</Empty>}
      </section>
      {asked && (
        <FormDialog
          title={asked === OTHERS ? 'End all other sessions' : `End the session on ${deviceOf(asked)}`}
          action={asked === OTHERS ? `End ${others.length} sessions` : 'End session'}
          kind="danger"
          request={ending}
          onSubmit={() => ending.mutate(asked)}
          onClose={() => setAsked(undefined)}
        >
          <p>
            {asked === OTHERS
              ? 'Every other browser is logged out at once; only this one stays logged in.'
              : 'That browser is logged out at once.'}{' '}
            Your keys keep working.
          </p>
        </FormDialog>
      )}
    </main>
  );
}
