/** The bar that lists the changes of an edit and saves them. A conflict with another person's edit shows both. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ApiError, unwrap, messageOf } from '../../api/client.ts';
import { Button } from '../../look/button.tsx';
import { Actions } from '../../look/dialog.tsx';
import { showNotice } from '../../look/notice.tsx';
import { changeFlag, flagQuery, type Flag, type FlagPatch } from '../flags-data.ts';
import { ChangeLines } from './change-lines.tsx';
import { Conflict } from './conflict.tsx';
import styles from './flag-page.module.css';
import { notJson } from './payloads.tsx';
import type { Edit } from './use-edit.ts';
import type { Refusal } from './use-refusal.ts';

type SaveBarProps = { projectId: number; edit: Edit; refusal: Refusal };

export function SaveBar({ projectId, edit, refusal }: SaveBarProps) {
  const queries = useQueryClient();
  const [theirs, setTheirs] = useState<Flag>();
  const { id } = edit.base;
  const saving = useMutation({
    mutationFn: (patch: FlagPatch) => changeFlag(projectId, id, patch),
    async onSuccess(saved) {
      const ignored = saved.ignored_members ?? [];
      queries.setQueryData(flagQuery(projectId, id).queryKey, saved);
      refusal.show(undefined);
      setTheirs(undefined);
      edit.discard();
      const rest =
        ignored.length === 0 ? '' : ` The server does not know these fields and ignored them: ${ignored.join(', ')}.`;
      showNotice({ text: `Saved as v${saved.version}.${rest}` });
      await queries.invalidateQueries({ queryKey: ['flags', projectId] });
    },
    async onError(error) {
      const isConflict = error instanceof ApiError && error.status === 409;
      // The server compared with a newer flag than the cached one.
      if (isConflict) setTheirs(await freshFlag(projectId, id));
      else refusal.show(error);
    },
  });
  const badPayload = payloadsOf(edit).find((payload) => notJson(payload) !== undefined);
  return (
    <section aria-label="Unsaved edit" className={styles.saveBar}>
      <h2>Not saved</h2>
      <ChangeLines lines={edit.changes} />
      {refusal.error !== undefined && (
        <p className={styles.problem} role="alert">
          {messageOf(refusal.error)}
        </p>
      )}
      <Actions>
        <Button
          kind="primary"
          isPending={saving.isPending}
          isDisabled={badPayload !== undefined}
          onPress={() => saving.mutate(edit.patch())}
        >
          Save
        </Button>
        <Button
          kind="quiet"
          onPress={() => {
            refusal.show(undefined);
            edit.discard();
          }}
        >
          Discard
        </Button>
      </Actions>
      {theirs && (
        <Conflict
          edit={edit}
          theirs={theirs}
          isPending={saving.isPending}
          onSave={(patch) => saving.mutate(patch)}
          onKeepTheirs={() => {
            queries.setQueryData(flagQuery(projectId, id).queryKey, theirs);
            setTheirs(undefined);
            edit.discard();
          }}
          onClose={() => setTheirs(undefined)}
        />
      )}
    </section>
  );
}

function payloadsOf({ fields, base }: Edit): string[] {
  const [wanted, before] = [fields.filters.payloads ?? {}, base.filters.payloads ?? {}];
  return Object.entries(wanted)
    .filter(([key, value]) => value !== before[key])
    .map(([, value]) => String(value));
}

function freshFlag(projectId: number, id: number): Promise<Flag> {
  return unwrap(
    api.GET('/api/environments/{project_id}/feature_flags/{id}/', { params: { path: { project_id: projectId, id } } }),
  );
}
