/** Changes of the flag, by whom and when; an earlier version can become an edit, which is saved like any other. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap, type AnswerOf } from '../../api/client.ts';
import { Button } from '../../look/button.tsx';
import { Actions, Dialog } from '../../look/dialog.tsx';
import { Failure, Skeleton } from '../../look/notes.tsx';
import { showNotice } from '../../look/notice.tsx';
import { Time } from '../../look/time.tsx';
import type { Flag } from '../flags-data.ts';
import { linesOf } from '../words/changes.ts';
import { fieldsOf, isField, type Fields } from '../words/fields.ts';
import { ChangeLines } from './change-lines.tsx';
import styles from './flag-page.module.css';
import type { Edit } from './use-edit.ts';

type Entry = AnswerOf<'Activity'>;

const PAGE = 20;

type HistoryProps = { projectId: number; flag: Flag; edit: Edit; mayEdit: boolean };

export function History({ projectId, flag, edit, mayEdit }: HistoryProps) {
  const history = useInfiniteQuery({
    queryKey: ['flags', projectId, 'history', flag.id],
    queryFn: ({ pageParam, signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/feature_flags/{id}/activity/', {
          params: { path: { project_id: projectId, id: flag.id }, query: { limit: PAGE, offset: pageParam } },
          signal,
        }),
      ),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.next === null ? undefined : pages.length * PAGE),
  });
  const entries = history.data?.pages.flatMap(({ results }) => results) ?? [];
  // Without the newest change, `fieldsBefore` would compute wrong fields.
  const hasNewestChange = entries[0]?.detail.version === flag.version;
  /** Index of the version that the user asked to restore although that discards an edit. */
  const [asked, setAsked] = useState<number>();
  function restore(index: number) {
    setAsked(undefined);
    edit.begin(flag, fieldsBefore(flag, entries.slice(0, index)));
    showNotice({
      text: `Your edit is the flag as it was in v${entries[index]!.detail.version}. Save it to restore it.`,
    });
    scrollTo({ top: 0 });
  }
  return (
    <section aria-labelledby="history">
      <h2 id="history">History</h2>
      {history.isPending && <Skeleton rows={3} />}
      {history.isError && <Failure error={history.error} onRetry={() => void history.refetch()} />}
      <ol className={styles.history}>
        {entries.map((entry, index) => (
          <li key={entry.id} className={styles.entry}>
            <span className={styles.version}>{entry.detail.version === null ? '' : `v${entry.detail.version}`}</span>
            <span className={styles.author}>{authorOf(entry)}</span>
            <div className={styles.change}>
              {entry.activity === 'updated' ? (
                <ChangeLines lines={entry.detail.changes.flatMap(linesOf)} />
              ) : (
                <span>{entry.activity}</span>
              )}
            </div>
            <span className="quiet">
              <Time iso={entry.created_at} />
            </span>
            {mayEdit && hasNewestChange && index > 0 && entry.detail.version !== null ? (
              <Button kind="quiet" onPress={() => (edit.isDirty ? setAsked(index) : restore(index))}>
                Restore v{entry.detail.version}
              </Button>
            ) : (
              <span />
            )}
          </li>
        ))}
      </ol>
      {history.hasNextPage && (
        <Button kind="quiet" isPending={history.isFetchingNextPage} onPress={() => void history.fetchNextPage()}>
          Earlier
        </Button>
      )}
      {asked !== undefined && (
        <Dialog title={`Restore v${entries[asked]!.detail.version}?`} isOpen onClose={() => setAsked(undefined)}>
          <p>Your edit is not saved, and the older version takes its place:</p>
          <ChangeLines lines={edit.changes} />
          <Actions>
            <Button kind="primary" onPress={() => setAsked(undefined)}>
              Keep my edit
            </Button>
            <Button kind="danger" onPress={() => restore(asked)}>
              Restore, and drop my edit
            </Button>
          </Actions>
        </Dialog>
      )}
    </section>
  );
}

function authorOf({ user }: Entry): string {
  return user ? user.first_name || user.email : 'A key or the clock';
}

/** @param changes newest first @returns the flag's fields before all of the changes */
function fieldsBefore(flag: Flag, changes: readonly Entry[]): Fields {
  const before = changes
    .flatMap(({ detail }) => detail.changes)
    .filter(({ field }) => isField(field))
    .map(({ field, before: value }) => [field, value]);
  return { ...fieldsOf(flag), ...(Object.fromEntries(before) as Partial<Fields>) };
}
