/** A trial of unsaved settings: a test of the destination step by step, and a preview of the rows that would go there. */
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, ApiError, unwrap, messageOf } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { Button } from '../../look/button.tsx';
import { formatCount } from '../../look/time.tsx';
import { IntervalTime } from '../words/interval-time.tsx';
import { withLabels } from '../words/field.ts';
import type { DestinationType } from './destination-types.ts';
import { changedFields, fieldsOf, NAMES, newBody, newDraft, patchBody, type Fields } from './draft.ts';
import { quantity } from '../words/quantity.ts';
import styles from './form.module.css';

type TrialProps = {
  projectId: number;
  /** The export that is edited; absent: a new one. */
  saved: { id: string; fields: Fields } | undefined;
  type: DestinationType;
  /** Labels that replace field names in messages; empty while the form shows the names. */
  labels: DestinationType['fields'];
  /** Returns the fields to try; undefined: the form is invalid. */
  read: () => Fields | undefined;
  /** The same, whatever is wrong with fields other than the destination's. */
  readForTest: () => Fields | undefined;
  /** The form's fields now; a preview may be of earlier ones. Undefined: the JSON view holds no object. */
  current: Fields | undefined;
  onError: (error: unknown) => void;
};

type Result = components['schemas']['TestedStep']['result'];

export function Trial({ projectId, saved, type, labels, read, readForTest, current, onError }: TrialProps) {
  const at = { projectId, saved, type };
  // Errors about a field go to the form; others are shown here.
  const toField = (error: unknown) => error instanceof ApiError && error.attr !== null && onError(error);
  const [results, setResults] = useState<readonly Result[]>([]);
  /** Fields that the test left out, because the server refuses their values. */
  const [omitted, setOmitted] = useState<readonly Tested[]>([]);
  const test = useMutation({
    async mutationFn() {
      const fields = readForTest();
      if (!fields) return;
      setResults([]);
      setOmitted([]);
      let names: readonly Tested[] = TESTED;
      const found: Result[] = [];
      for (const step of type.steps.keys()) {
        const tested = await runStep(at, fields, step, names);
        names = tested.names;
        setOmitted(TESTED.filter((name) => !names.includes(name)));
        found.push(tested.result);
        setResults([...found]);
        // Later steps assume that earlier ones passed.
        if (found[step]!.status === 'Failed') return;
      }
    },
    onError: toField,
  });
  const preview = useMutation({
    onMutate() {
      if (test.isPending || results.at(-1)?.status !== 'Failed') return;
      setResults([]);
      setOmitted([]);
    },
    async mutationFn() {
      const fields = read();
      return fields && { fields, ...(await previewOf(at, fields)) };
    },
    onError: toField,
  });
  const rows = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!preview.data) return;
    rows.current!.querySelector('h3')!.focus({ preventScroll: true });
    rows.current!.scrollIntoView({ block: 'nearest' });
  }, [preview.data]);
  return (
    <section className={styles.trial} aria-label="Trial">
      <div className={styles.trialButtons}>
        <Button onPress={() => test.mutate()} isPending={test.isPending}>
          Test the destination
        </Button>
        <Button onPress={() => preview.mutate()} isPending={preview.isPending}>
          Preview rows
        </Button>
      </div>
      {(test.isPending || results.length > 0) && (
        <ol aria-label="Test steps" aria-live="polite">
          {type.steps.map(({ name }, index) => (
            <Step
              key={name}
              name={name}
              labels={labels}
              result={results[index]}
              isRunning={test.isPending && index === results.length}
              hasEnded={!test.isPending}
            />
          ))}
        </ol>
      )}
      {omitted.length > 0 && (
        <p className="quiet">
          Tested without what is not valid yet: {omitted.map((name) => NAMES[name].toLowerCase()).join(', ')}.
        </p>
      )}
      {[test.error, preview.error].map((error, index) =>
        error && !(error instanceof ApiError && error.attr) ? (
          <p key={index} role="alert" className={styles.error}>
            {messageOf(error)}
          </p>
        ) : null,
      )}
      {preview.data && (
        <div ref={rows}>
          <h3 tabIndex={-1}>Preview</h3>
          {!(current && changedFields(preview.data.fields, current).length === 0) && (
            <p className="quiet">You have changed the form since: preview the rows again to see what it does.</p>
          )}
          <Rows preview={preview.data.after} before={preview.data.before} />
        </div>
      )}
    </section>
  );
}

type TrialTarget = Pick<TrialProps, 'projectId' | 'saved' | 'type'>;
type Preview = components['schemas']['BatchExportPreview'];

/** A new export may be tried before it has a name. */
function namedBody(fields: Fields) {
  const body = newBody(fields);
  return { ...body, name: body.name || 'New' };
}

/** Fields besides the destination's that change what a step checks: the columns of a table. */
const TESTED = ['model', 'hogql_query', 'include_columns', 'exclude_columns', 'transformations'] as const;
type Tested = (typeof TESTED)[number];

/** Runs a step without those of the named fields that the server refuses. @returns the names of the others, too */
async function runStep(
  target: TrialTarget,
  fields: Fields,
  step: number,
  names: readonly Tested[],
): Promise<{ result: Result; names: readonly Tested[] }> {
  const { saved, type } = target;
  const before = saved?.fields ?? fieldsOf(newDraft({ type: type.type, config: {}, integration: null }), type);
  const isSent = (name: string) => name.startsWith('destination__') || names.some((one) => one === name);
  const others = Object.entries(before).filter(([name]) => !isSent(name));
  const body = Object.fromEntries([...others, ...Object.entries(fields).filter(([name]) => isSent(name))]);
  try {
    return { result: (await requestStep(target, body, step)).result, names };
  } catch (error) {
    const refused = error instanceof ApiError ? error.attr?.split('__')[0] : undefined;
    if (!names.some((name) => name === refused)) throw error;
    return runStep(
      target,
      fields,
      step,
      names.filter((name) => name !== refused),
    );
  }
}

function requestStep({ projectId: project_id, saved, type }: TrialTarget, fields: Fields, step: number) {
  if (!saved)
    return unwrap(
      api.POST('/api/environments/{project_id}/batch_exports/run_test_step_new/', {
        params: { path: { project_id } },
        body: { ...namedBody(fields), step },
      }),
    );
  return unwrap(
    api.POST('/api/environments/{project_id}/batch_exports/{id}/run_test_step/', {
      params: { path: { project_id, id: saved.id } },
      body: { ...patchBody(saved.fields, fields, type), step },
    }),
  );
}

/** @returns `before`: the same interval as the saved export delivers it; undefined if the export is new or unchanged */
async function previewOf({ projectId: project_id, saved, type }: TrialTarget, fields: Fields) {
  if (!saved) {
    const after = await unwrap(
      api.POST('/api/environments/{project_id}/batch_exports/preview/', {
        params: { path: { project_id } },
        body: namedBody(fields),
      }),
    );
    return { after, before: undefined };
  }
  const previewed = (body: components['schemas']['BatchExportPatchPreview']) =>
    unwrap(
      api.POST('/api/environments/{project_id}/batch_exports/{id}/preview/', {
        params: { path: { project_id, id: saved.id } },
        body,
      }),
    );
  const patch = patchBody(saved.fields, fields, type);
  const after = await previewed(patch);
  if (Object.keys(patch).length === 0) return { after, before: undefined };
  const { data_interval_start, data_interval_end } = after;
  return { after, before: await previewed({ data_interval_start, data_interval_end }) };
}

type StepProps = {
  name: string;
  labels: DestinationType['fields'];
  result: Result | undefined;
  isRunning: boolean;
  /** Whether the test has ended: a step without a result is not tried any more. */
  hasEnded: boolean;
};

function Step({ name, labels, result, isRunning, hasEnded }: StepProps) {
  const mark = result ? { Passed: '✓', Failed: '✗', Skipped: '–' }[result.status] : isRunning ? '…' : '·';
  const words = result ? result.status.toLowerCase() : isRunning ? 'running' : hasEnded ? 'not tried' : 'waiting';
  return (
    <li className={result?.status === 'Failed' ? styles.error : undefined}>
      <span aria-hidden>{mark}</span> <span className="visually-hidden">{words}: </span>
      {name}
      {words === 'not tried' && (
        <span className="quiet" aria-hidden>
          {' '}
          not tried
        </span>
      )}
      {result?.message && <p>{withLabels(result.message, labels)}</p>}
    </li>
  );
}

/** Number of rows shown from the answer. */
const SHOWN = 20;

function Rows({ preview, before }: { preview: Preview; before: Preview | undefined }) {
  const { columns, rows, records_total_count: total } = preview;
  const shown = Math.min(rows.length, SHOWN);
  return (
    <>
      <p>
        <IntervalTime start={preview.data_interval_start} end={preview.data_interval_end} />: {quantity(total, 'row')}
        {before && before.records_total_count !== total && ` instead of ${formatCount(before.records_total_count)}`}
        {shown > 0 && total > shown && `, the first ${shown} of them`}.{' '}
        {preview.names.length > 0 && (
          <>
            They go to <Names of={preview} />
          </>
        )}
        {before && before.names.length > 0 && before.names.join() !== preview.names.join() && (
          <>
            {' '}
            instead of <Names of={before} />
          </>
        )}
      </p>
      {before && <ColumnChanges before={before} after={preview} />}
      <div className={styles.rows} role="region" aria-label="Rows" tabIndex={0}>
        <table>
          <thead>
            <tr>
              {columns.map(({ name, type }) => (
                <th key={name} scope="col">
                  {name} <span className={styles.type}>{type}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, SHOWN).map((row, index) => (
              <tr key={index}>
                {columns.map(({ name }) => (
                  <td key={name}>{cellText(row[name])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** Limit of shown names; the others are counted. */
const NAMED = 3;

function Names({ of: { names } }: { of: Preview }) {
  return (
    <>
      <span className="id">{names.slice(0, NAMED).join(', ')}</span>
      {names.length > NAMED && ` and ${names.length - NAMED} more`}
    </>
  );
}

function ColumnChanges({ before, after }: { before: Preview; after: Preview }) {
  const [had, has] = [before, after].map(({ columns }) => columns.map(({ name }) => name));
  const gone = had!.filter((name) => !has!.includes(name));
  const come = has!.filter((name) => !had!.includes(name));
  if (gone.length + come.length === 0) return null;
  const words = [gone.length > 0 && `without ${gone.join(', ')}`, come.length > 0 && `with ${come.join(', ')}`];
  return <p>Columns change: {words.filter(Boolean).join('; ')}.</p>;
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
