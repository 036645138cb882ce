/** The decision of the saved or the edited flag for one person and their groups. It shows the outcome of each condition set, and the bucket. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap, messageOf } from '../../../api/client.ts';
import type { components } from '../../../api/schema.d.ts';
import { Button } from '../../../look/button.tsx';
import { Switch } from '../../../look/field.tsx';
import { Form } from '../../../look/edits/form.tsx';
import type { Flag } from '../../flags-data.ts';
import { formatPercent, groupTypeIndexOf, percentOf, type Filters } from '../../words/conditions.ts';
import { SetWords } from '../condition-sets.tsx';
import { formatBucket, Ruler, Shares } from '../ruler.tsx';
import type { Edit } from '../use-edit.ts';
import { useNames } from '../use-names.ts';
import { bodyOf, isValid, NO_SUBJECT, type SubjectBody } from './subject.ts';
import { SubjectFields } from './subject-fields.tsx';
import styles from './who-gets-it.module.css';

type Evaluation = components['schemas']['FlagEvaluation'];

function evaluationQuery(
  projectId: number,
  flag: Flag,
  subject: SubjectBody | undefined,
  filters: Filters | undefined,
) {
  return {
    queryKey: ['flags', projectId, 'evaluation', flag.id, flag.version, subject, filters],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      unwrap(
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
  const [typed, setTyped] = useState(NO_SUBJECT);
  const [subject, setSubject] = useState<SubjectBody>();
  const [isOfEdit, setOfEdit] = useState(true);
  const filters = edit.isDirty && isOfEdit ? edit.fields.filters : undefined;
  const evaluation = useQuery(evaluationQuery(projectId, flag, subject, filters));

  function ask() {
    if (isValid(typed)) setSubject(bodyOf(typed));
  }

  return (
    <section aria-labelledby="who-gets-it">
      <h2 id="who-gets-it">Who gets it</h2>
      <p className="quiet">
        Try a person and their groups: what you enter counts for this answer only. Properties replace those that are
        stored, and are sent with the type that you choose.
      </p>
      <Form className={styles.form!} isPending={evaluation.isFetching} onSubmit={ask}>
        <SubjectFields projectId={projectId} filters={filters ?? flag.filters} subject={typed} onChange={setTyped} />
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
        <Outcome
          projectId={projectId}
          evaluation={evaluation.data}
          filters={filters ?? flag.filters}
          isUnnamed={subject?.distinct_id === undefined}
        />
      )}
    </section>
  );
}

type OutcomeProps = { projectId: number; evaluation: Evaluation; filters: Filters; isUnnamed: boolean };

function Outcome({ projectId, evaluation, filters, isUnnamed }: OutcomeProps) {
  const { value, active, reason, condition_sets: sets } = evaluation;
  const names = useNames(projectId, filters);
  const variants = filters.multivariate?.variants ?? [];
  return (
    <div role="status">
      <ol className={styles.sets}>
        {sets.map(({ index, matches, reason: why, bucket }) => {
          const set = filters.groups?.[index];
          return (
            <li key={index}>
              {index + 1} <span aria-hidden>{matches === null ? '·' : matches ? '✓' : '✗'}</span>{' '}
              {set && (
                <>
                  <SetWords set={set} isLater={index > 0} filters={filters} names={names} />:{' '}
                </>
              )}
              {WORDS[why] ?? why}
              {bucket !== null && set && (
                <>
                  . {isUnnamed && groupTypeIndexOf(set, filters) === null ? 'Without a distinct ID the' : 'The'} bucket
                  is {formatBucket(bucket)}; the set takes those up to {formatPercent(percentOf(set))}.
                  <Ruler percent={percentOf(set)} bucket={bucket} />
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
      {typeof value === 'string' && variants.length > 0 && <Shares variants={variants} chosen={value} />}
    </div>
  );
}

const WORDS: Readonly<Record<string, string>> = {
  condition_match: 'matches',
  no_condition_match: 'the conditions do not match',
  out_of_rollout_bound: 'the conditions match, but the bucket is outside the percentage',
  no_group_type: 'no group was given',
  no_device: 'no device was given',
  not_evaluated: 'not reached, because an earlier step decided',
};
