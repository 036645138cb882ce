/** The rest of a diagnosis, below the error: changes since the last success, what the run is waiting for, and a later run. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../look/button.tsx';
import { Failure, Skeleton } from '../../look/notes.tsx';
import { isToday, Time } from '../../look/time.tsx';
import { exportQuery } from '../export/export-data.ts';
import { runAddress } from '../addresses.ts';
import { fieldWords, valueWords } from '../words/field.ts';
import { IntervalTime } from '../words/interval-time.tsx';
import { authorWords, diagnosisQuery, sortedChanges, type Change, type Diagnosis } from './diagnosis-data.ts';
import type { RunIds } from './run-data.ts';
import { STATUS_WORDS } from './status-words.ts';
import { quantity } from '../words/quantity.ts';
import styles from './run.module.css';

const SHOWN = 3;

export function Why({ runIds, field }: { runIds: RunIds; field: string | null }) {
  const { data, error, refetch } = useQuery(diagnosisQuery(runIds));
  if (!data) return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Skeleton label="Diagnosing" />;
  return (
    <>
      <Changes runIds={runIds} diagnosis={data} field={field} />
      {data.waits_for !== null && <p>{inWords(data.waits_for)}</p>}
      {data.later_run && <LaterRun runIds={runIds} {...data.later_run} />}
    </>
  );
}

function LaterRun({ runIds, run, status }: { runIds: RunIds } & NonNullable<Diagnosis['later_run']>) {
  return (
    <p>
      <Link to={runAddress(runIds, run) as string}>A later run</Link>{' '}
      {status === 'Completed' ? 'delivered this interval.' : `of this interval: ${STATUS_WORDS[status]}.`}
    </p>
  );
}

function Changes({ runIds, diagnosis, field }: { runIds: RunIds; diagnosis: Diagnosis; field: string | null }) {
  const [isAll, setAll] = useState(false);
  const { last_success, more_changes } = diagnosis;
  const { data: cadence } = useQuery(exportQuery(runIds.projectId, runIds.exportId));
  const changes = sortedChanges(diagnosis.changes, field);
  const success = last_success && (
    <Link to={runAddress(runIds, last_success.run) as string}>
      <IntervalTime start={last_success.data_interval_start} end={last_success.data_interval_end} cadence={cadence} />
    </Link>
  );
  if (changes.length === 0)
    return (
      <p>
        {success ? (
          <>Nothing was changed since the last success, {success}.</>
        ) : (
          'No earlier run has delivered, and the export was not changed since it was created.'
        )}
      </p>
    );
  const hidden = changes.length - SHOWN;
  return (
    <div>
      <h3>{success ? <>Changed since the last success, {success}</> : 'Changed since the export was created'}</h3>
      <ul className={styles.changes}>
        {changes.slice(0, isAll ? undefined : SHOWN).map((change) => (
          <ChangeLine key={`${change.at} ${change.about}`} change={change} />
        ))}
      </ul>
      {hidden > 0 && !isAll && (
        <Button kind="quiet" onPress={() => setAll(true)}>
          {quantity(hidden, 'earlier change')}
        </Button>
      )}
      {more_changes && isAll && <p className="quiet">There were more changes before these.</p>}
    </div>
  );
}

function ChangeLine({ change }: { change: Change }) {
  const { at, about, fields } = change;
  return (
    <li>
      Changed <Time iso={at} date={!isToday(at)} /> by {authorWords(change)}
      {about === 'integration' && ', in the integration'}:{' '}
      {fields.length === 0
        ? 'a secret'
        : fields.map((one, index) => (
            <span key={one.field}>
              {index > 0 && '; '}
              <FieldChange {...one} />
            </span>
          ))}
      .
    </li>
  );
}

function FieldChange({ field, before, after }: Change['fields'][number]) {
  // Secrets are hidden on both sides.
  if (before === after) return fieldWords(field);
  return (
    <>
      {fieldWords(field)} <code>{valueWords(before)}</code> <span aria-hidden>→</span>
      <span className="visually-hidden">to</span> <code>{valueWords(after)}</code>
    </>
  );
}

/** Puts field names in words. The API writes them in backticks, as requests spell them. */
function inWords(sentence: string): string {
  return sentence.replaceAll(/`([^`]+)`/g, (_, field: string) => fieldWords(field));
}
