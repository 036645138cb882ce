import { useQuery } from '@tanstack/react-query';
import { ButtonLink } from '../../look/button.tsx';
import { useNow } from '../../look/now.ts';
import { useMayEdit } from '../access.ts';
import { editAddress } from '../addresses.ts';
import { exportQuery } from '../export/export-data.ts';
import { countIntervals } from '../words/cadence.ts';
import { nextTry } from '../words/error-links.tsx';
import { fieldWords, valueAt, valueWords } from '../words/field.ts';
import { OWNERS, ownerSentence } from '../words/owner.ts';
import { diagnosisQuery } from './diagnosis-data.ts';
import { NewSettings } from './new-settings.tsx';
import { retriableQuery } from './retry-data.ts';
import { isOpen, type Run, type RunIds } from './run-data.ts';
import { STATUS_WORDS } from './status-words.ts';
import { Why } from './why.tsx';
import styles from './run.module.css';

/** Why a run did not deliver: the error, the people who can end it, the field, recent changes, and what the run waits for. */
export function ErrorCard({ runIds, run }: { runIds: RunIds; run: Run }) {
  const { error } = run;
  const now = useNow();
  const isDelivered = useQuery(diagnosisQuery(runIds)).data?.later_run?.status === 'Completed';
  return (
    <section className={styles.card} aria-labelledby="error-title">
      <div className={styles.cardHead}>
        <h2 id="error-title">{error?.detail ?? run.latest_error ?? `This run was ${STATUS_WORDS[run.status]}.`}</h2>
        {error && <span className={styles.owner}>{OWNERS[error.owner].label}</span>}
      </div>
      {error && !isDelivered && <p className="quiet">{ownerSentence(error)}</p>}
      {error && error.field !== null && <FieldLine runIds={runIds} field={error.field} />}
      <Why runIds={runIds} field={error?.field ?? null} />
      {error?.next_try_at && !isDelivered && <p>{nextTry(error.next_try_at, now)}</p>}
      {error && error.field !== null && !isDelivered && <Fix runIds={runIds} run={run} field={error.field} />}
      {error && isOpen(run) && <NewSettings runIds={runIds} run={run} />}
      {error && (
        <details>
          <summary className="quiet">raw</summary>
          <pre>{JSON.stringify({ ...error, latest_error: run.latest_error }, null, 2)}</pre>
        </details>
      )}
    </section>
  );
}

/** The field and its present value. */
function FieldLine({ runIds, field }: { runIds: RunIds; field: string }) {
  const { data } = useQuery(exportQuery(runIds.projectId, runIds.exportId));
  const value = data && valueAt(data, field);
  return (
    <dl className={styles.facts}>
      <dt>Field</dt>
      <dd>
        {fieldWords(field)} {value !== undefined && <code>{valueWords(value)}</code>}
      </dd>
    </dl>
  );
}

/** Links to the field in the form, which can then retry all failed and retrying intervals. */
function Fix({ runIds, run, field }: { runIds: RunIds; run: Run; field: string }) {
  const name = fieldWords(field);
  const mayEdit = useMayEdit(runIds.projectId, runIds.exportId);
  const { data } = useQuery({ ...retriableQuery(runIds), enabled: mayEdit === true });
  const count = data?.total ?? 0;
  const { data: batchExport } = useQuery(exportQuery(runIds.projectId, runIds.exportId));
  if (mayEdit === false) return <p>You can look at this export; ask an editor to fix {name} and retry.</p>;
  return (
    <div>
      <ButtonLink kind="primary" to={editAddress(runIds, field, isOpen(run) ? runIds.runId : undefined)}>
        {batchExport && count > 0
          ? `Fix ${name} and retry ${countIntervals(count, batchExport.interval)}`
          : `Fix ${name}`}
      </ButtonLink>
    </div>
  );
}
