/** Page of one flag: who gets it, an edit, and its history. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ApiError } from '../../api/client.ts';
import { Failure, Skeleton } from '../../look/notes.tsx';
import { TextField } from '../../look/field.tsx';
import { flagQuery, type Flag } from '../flags-data.ts';
import { ConditionSets } from './condition-sets.tsx';
import { FlagHead } from './flag-head.tsx';
import styles from './flag-page.module.css';
import { History } from './history.tsx';
import { LeaveQuestion } from '../../shell/leave-question.tsx';
import { Payloads } from './payloads.tsx';
import { SaveBar } from './save-bar.tsx';
import { useEdit } from './use-edit.ts';
import { useRefusal } from './use-refusal.ts';
import { Variants } from './variants.tsx';
import { WhoGetsIt } from './who-gets-it/who-gets-it.tsx';

const route = getRouteApi('/inside/project/$projectId/flags/$flagId');

export function FlagPage() {
  const { projectId, flagId } = route.useParams();
  const flag = useQuery(flagQuery(projectId, flagId));
  if (flag.isPending) return <Skeleton rows={6} />;
  // A flag that was loaded stays visible while the server is unreachable.
  if (!flag.data) return <Failure error={failureOf(flag.error)} onRetry={() => void flag.refetch()} />;
  return <FlagView key={flagId} projectId={projectId} flag={flag.data} />;
}

/** Names the flag where the API says only that something was not found. */
function failureOf(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.status !== 404) return error;
  return new ApiError(404, { detail: 'This flag no longer exists, or you may not see it.' });
}

function FlagView({ projectId, flag }: { projectId: number; flag: Flag }) {
  const edit = useEdit(flag);
  const refusal = useRefusal();
  const mayEdit = flag.can_edit && !flag.deleted;
  return (
    <main className={styles.page}>
      <FlagHead projectId={projectId} flag={flag} />
      {mayEdit ? (
        <TextField
          label="Description"
          value={edit.fields.name}
          onChange={(name) => edit.set({ name })}
          error={refusal.at('name')}
        />
      ) : (
        <>
          {flag.name !== '' && <p>{flag.name}</p>}
          {!flag.deleted && <p className="quiet">You can look at this flag; ask an editor to change it.</p>}
        </>
      )}
      <ConditionSets projectId={projectId} edit={edit} refusal={refusal} mayEdit={mayEdit} />
      <Variants edit={edit} refusal={refusal} mayEdit={mayEdit} />
      <Payloads
        key={`payloads ${edit.base.version} ${edit.inputKey}`}
        edit={edit}
        refusal={refusal}
        mayEdit={mayEdit}
      />
      {edit.isDirty && <SaveBar projectId={projectId} edit={edit} refusal={refusal} />}
      {!flag.deleted && <WhoGetsIt projectId={projectId} flag={flag} edit={edit} />}
      <History projectId={projectId} flag={flag} edit={edit} mayEdit={mayEdit} />
      <LeaveQuestion isDirty={edit.isDirty} what="Your edit of this flag" />
    </main>
  );
}
