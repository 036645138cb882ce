/** A trial of an export that is not saved: the destination step by step, and the rows that would go there. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ApiError, done, messageOf } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { Button } from '../../look/button.tsx';
import { formatCount, formatInterval } from '../../look/time.tsx';
import type { DestinationType } from './destination-types.ts';
import type { ExportFields } from './export-form.tsx';
import styles from './form.module.css';

type TrialProps = {
  projectId: number;
  /** Absent: the export is not saved yet. */
  exportId: string | undefined;
  type: DestinationType;
  /** Returns the form as a body; undefined: the form is invalid. */
  fields: () => ExportFields | undefined;
  onError: (error: unknown) => void;
};

type Result = components['schemas']['TestedStep']['result'];

export function Trial({ projectId, exportId, type, fields, onError }: TrialProps) {
  const [results, setResults] = useState<readonly Result[]>([]);
  const test = useMutation({
    async mutationFn() {
      const body = fields();
      if (!body) return;
      setResults([]);
      const found: Result[] = [];
      for (const step of type.steps.keys()) {
        found.push((await runStep(projectId, exportId, body, step)).result);
        setResults([...found]);
        // Later steps assume that earlier ones passed.
        if (found[step]!.status === 'Failed') return;
      }
    },
    onError,
  });
  const preview = useMutation({
    async mutationFn() {
      const body = fields();
      return body && previewOf(projectId, exportId, body);
    },
    onError,
  });
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
            <Step key={name} name={name} result={results[index]} isNow={test.isPending && index === results.length} />
          ))}
        </ol>
      )}
      {[test.error, preview.error].map((error, index) =>
        error && !(error instanceof ApiError && error.attr) ? (
          <p key={index} role="alert" className={styles.error}>
            {messageOf(error)}
          </p>
        ) : null,
      )}
      {preview.data && <Rows preview={preview.data} />}
    </section>
  );
}

function runStep(projectId: number, id: string | undefined, body: ExportFields, step: number) {
  const project_id = projectId;
  if (id === undefined)
    return done(
      api.POST('/api/environments/{project_id}/batch_exports/run_test_step_new/', {
        params: { path: { project_id } },
        body: { ...body, name: body.name || 'New', step },
      }),
    );
  const { destination } = body;
  return done(
    api.POST('/api/environments/{project_id}/batch_exports/{id}/run_test_step/', {
      params: { path: { project_id, id } },
      body: { destination, step },
    }),
  );
}

function previewOf(projectId: number, id: string | undefined, body: ExportFields) {
  const project_id = projectId;
  if (id === undefined)
    return done(
      api.POST('/api/environments/{project_id}/batch_exports/preview/', {
        params: { path: { project_id } },
        body: { ...body, name: body.name || 'New' },
      }),
    );
  const { interval, destination } = body;
  return done(
    api.POST('/api/environments/{project_id}/batch_exports/{id}/preview/', {
      params: { path: { project_id, id } },
      body: { interval, destination },
    }),
  );
}

function Step({ name, result, isNow }: { name: string; result: Result | undefined; isNow: boolean }) {
  const mark = result ? { Passed: '✓', Failed: '✗', Skipped: '–' }[result.status] : isNow ? '…' : '·';
  const words = result ? result.status.toLowerCase() : isNow ? 'running' : 'waiting';
  return (
    <li className={result?.status === 'Failed' ? styles.error : undefined}>
      <span aria-hidden>{mark}</span> <span className="visually-hidden">{words}: </span>
      {name}
      {result?.message && <p>{result.message}</p>}
    </li>
  );
}

/** Number of rows shown from the answer. */
const SHOWN = 20;

function Rows({ preview }: { preview: components['schemas']['BatchExportPreview'] }) {
  const { columns, rows, names, records_total_count: total } = preview;
  return (
    <>
      <p>
        {formatInterval(preview.data_interval_start, preview.data_interval_end)}: {formatCount(total)} rows
        {rows.length > 0 &&
          total > Math.min(rows.length, SHOWN) &&
          `, the first ${Math.min(rows.length, SHOWN)} of them`}
        . They go to <span className="id">{names.slice(0, 3).join(', ')}</span>
        {names.length > 3 && ` and ${names.length - 3} more`}
      </p>
      <div className={styles.rows} role="region" aria-label="Rows" tabIndex={0}>
        <table>
          <thead>
            <tr>
              {columns.map(({ name, type }) => (
                <th key={name} scope="col">
                  {name} <span className="quiet">{type}</span>
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

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
