import { useMutation, useQueryClient } from '@tanstack/react-query';
import { messageOf } from '../../api/client.ts';
import { Button } from '../../look/button.tsx';
import { Switch } from '../../look/field.tsx';
import { showNotice } from '../../look/notice.tsx';
import { changeFlag, flagQuery, type Flag, type FlagPatch } from '../flags-data.ts';
import styles from './flag-page.module.css';

/** The key, the switch, and the flag's effect in SDKs. */
export function FlagHead({ projectId, flag }: { projectId: number; flag: Flag }) {
  const queries = useQueryClient();
  const { queryKey } = flagQuery(projectId, flag.id);
  const changing = useMutation({
    mutationFn: (patch: FlagPatch) => changeFlag(projectId, flag.id, patch),
    // The switch moves before the server answers; an error moves it back.
    onMutate: ({ active }) => {
      if (active !== undefined) queries.setQueryData(queryKey, { ...flag, active });
    },
    onSuccess: (changed) => {
      queries.setQueryData(queryKey, changed);
    },
    onError: (error) => showNotice({ text: messageOf(error) }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['flags', projectId] }),
  });
  function turn(active: boolean) {
    changing.mutate(
      { active },
      {
        onSuccess: () =>
          showNotice({
            text: `${flag.key} is ${active ? 'on' : 'off'}.`,
            undo: () => changing.mutate({ active: !active }),
          }),
      },
    );
  }
  return (
    <header className={styles.head}>
      <h1 className={styles.key}>{flag.key}</h1>
      {flag.deleted ? (
        <>
          <span>Deleted</span>
          {flag.can_edit && <Button onPress={() => changing.mutate({ deleted: false })}>Restore the flag</Button>}
        </>
      ) : (
        <Switch isSelected={flag.active} onChange={turn} isDisabled={!flag.can_edit || changing.isPending}>
          {flag.active ? 'On' : 'Off'}
        </Switch>
      )}
      <span className="quiet">v{flag.version}</span>
      <LocalEvaluation flag={flag} />
      <Uses flag={flag} />
    </header>
  );
}

function LocalEvaluation({ flag: { local_evaluation: local } }: { flag: Flag }) {
  if (!local.evaluable) return <span className={styles.verdict}>SDKs have to ask the server: {local.reason}</span>;
  if (local.differing_sdks.length === 0) {
    return (
      <span className={styles.verdict}>
        SDKs may decide it themselves <span aria-hidden>✓</span>
      </span>
    );
  }
  return (
    <details className={styles.verdict}>
      <summary>SDKs may decide it themselves, but some decide differently</summary>
      <ul className={styles.sdks}>
        {local.differing_sdks.map(({ sdk, versions, reason }) => (
          <li key={sdk + versions}>
            <code>
              {sdk} {versions}
            </code>
            : {reason}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Uses of the flag that prevent its deletion. */
function Uses({ flag }: { flag: Flag }) {
  const uses = [
    ...flag.experiment_set_metadata.map(
      ({ name, is_running: isRunning }) => `the experiment ${name}${isRunning ? ' (running)' : ''}`,
    ),
    ...flag.features.map((feature) => `the early access feature ${feature.name}`),
    ...flag.surveys.map((survey) => `the survey ${survey.name}`),
  ];
  return (
    <>
      {uses.length > 0 && <span className="quiet">Used by {uses.join(', ')}.</span>}
      {flag.status === 'STALE' && (
        <span className="quiet">
          Everybody has had the same value for 30 days. Programs may no longer need this flag.
        </span>
      )}
    </>
  );
}
