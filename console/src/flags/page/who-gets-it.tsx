/** The decision for one person, by the saved or the edited flag: the outcome of each condition set, and the person's place in the rollout. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { Form } from 'react-aria-components';
import { api, done, messageOf } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { Button } from '../../look/button.tsx';
import { Switch, TextField } from '../../look/field.tsx';
import type { Flag } from '../flags-data.ts';
import { formatPercent, percentOf, type Filters } from '../words/conditions.ts';
import type { Edit } from './use-edit.ts';
import styles from './who-gets-it.module.css';

type Evaluation = components['schemas']['FlagEvaluation'];
type Subject = { distinct_id?: string; person_properties?: Record<string, string> };

function evaluationQuery(projectId: number, flag: Flag, subject: Subject | undefined, filters: Filters | undefined) {
  return {
    queryKey: ['flags', projectId, 'evaluation', flag.id, flag.version, subject, filters],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      done(
        api.POST('/api/environments/{project_id}/feature_flags/evaluate/', {
          params: { path: { project_id: projectId } },
          body: { flag: flag.id, ...subject, ...(filters && { filters: { ...filters } }) },
          signal,
        }),
      ),
    enabled: subject !== undefined,
    placeholderData: keepPreviousData,
    retry: false,
  };
}

export function WhoGetsIt({ projectId, flag, edit }: { projectId: number; flag: Flag; edit: Edit }) {
  const [distinctId, setDistinctId] = useState('');
  const [property, setProperty] = useState({ key: '', value: '' });
  const [subject, setSubject] = useState<Subject>();
  const [isOfEdit, setOfEdit] = useState(true);
  const filters = edit.isDirty && isOfEdit ? edit.fields.filters : undefined;
  const evaluation = useQuery(evaluationQuery(projectId, flag, subject, filters));

  function ask(event: FormEvent) {
    event.preventDefault();
    setSubject({
      ...(distinctId !== '' && { distinct_id: distinctId }),
      ...(property.key !== '' && { person_properties: { [property.key]: property.value } }),
    });
  }

  return (
    <section aria-labelledby="who-gets-it">
      <h2 id="who-gets-it">Who gets it</h2>
      <Form className={styles.form!} onSubmit={ask}>
        <TextField label="Distinct ID" value={distinctId} onChange={setDistinctId} />
        <TextField label="Property" value={property.key} onChange={(key) => setProperty({ ...property, key })} />
        <TextField label="Value" value={property.value} onChange={(value) => setProperty({ ...property, value })} />
        <Button type="submit" isPending={evaluation.isFetching}>
          Evaluate
        </Button>
        {edit.isDirty && (
          <Switch isSelected={isOfEdit} onChange={setOfEdit}>
            With my edit
          </Switch>
        )}
      </Form>
      {evaluation.isError && <p role="alert">{messageOf(evaluation.error)}</p>}
      {evaluation.data && !evaluation.isError && (
        <Outcome evaluation={evaluation.data} filters={filters ?? flag.filters} />
      )}
    </section>
  );
}

function Outcome({ evaluation, filters }: { evaluation: Evaluation; filters: Filters }) {
  const { value, active, reason, condition_sets: sets } = evaluation;
  return (
    <div role="status">
      <ol className={styles.sets}>
        {sets.map(({ index, matches, reason: why, bucket }) => {
          const set = filters.groups?.[index];
          return (
            <li key={index}>
              <span aria-hidden>{matches === null ? '·' : matches ? '✓' : '✗'}</span> {WORDS[why] ?? why}
              {bucket !== null && set && (
                <>
                  : bucket {formatPercent(bucket)}, of which {formatPercent(percentOf(set))} are in
                </>
              )}
            </li>
          );
        })}
      </ol>
      <p>
        → <strong>{value === true ? 'on' : value === false ? 'off' : value}</strong>{' '}
        <span className="quiet">
          {reason.description}
          {!active && '. The flag is off: nobody gets it until it is turned on.'}
        </span>
      </p>
    </div>
  );
}

const WORDS: Readonly<Record<string, string>> = {
  condition_match: 'matches',
  no_condition_match: 'conditions do not match',
  out_of_rollout_bound: 'conditions match, but not the percentage',
  no_group_type: 'no group was given',
  no_device: 'no device was given',
  not_evaluated: 'not reached',
};
