/** The condition sets of a flag in words, with their percentages, in order of evaluation. */
import { useRef, useState } from 'react';
import { Chunk } from '../../chunks/chunk.tsx';
import { lazyChunk } from '../../chunks/lazy-chunk.ts';
import { Button } from '../../look/button.tsx';
import { PercentField } from '../percent-field.tsx';
import {
  conditionsOf,
  formatPercent,
  groupTypeIndexOf,
  partsOf,
  percentOf,
  type Condition,
  type ConditionSet,
  type Filters,
  type Names,
} from '../words/conditions.ts';
import styles from './flag-page.module.css';
import { JsonEditor } from './json-editor.tsx';
import { FlagReach, SetReach } from './reach.tsx';
import type { Edit } from './use-edit.ts';
import { useNames } from './use-names.ts';
import type { Refusal } from './use-refusal.ts';

const ConditionFields = lazyChunk(() => import('./condition-fields.tsx'), 'ConditionFields');

type ConditionSetsProps = { projectId: number; edit: Edit; refusal: Refusal; mayEdit: boolean };

export function ConditionSets({ projectId, edit, refusal, mayEdit }: ConditionSetsProps) {
  const [isJson, setJson] = useState(false);
  /** Index of the set whose conditions are shown as fields. */
  const [opened, setOpened] = useState<number>();
  /** Key of the set that was opened or closed last. The element that replaces its button takes the focus; a save changes the keys and ends this. */
  const [pressed, setPressed] = useState<string>();
  const adding = useRef<HTMLButtonElement>(null);
  const { filters } = edit.fields;
  const sets = filters.groups ?? [];
  const names = useNames(projectId, filters);
  const change = (index: number, set: Partial<ConditionSet>) =>
    edit.setFilters({ groups: sets.map((current, at) => (at === index ? { ...current, ...set } : current)) });
  const open = mayEdit && opened !== undefined && opened < sets.length ? opened : undefined;
  // Sets have no ids, so their index identifies them.
  const keyOf = (index: number) => `${index} ${edit.inputKey}`;
  function show(index: number, isOpened: boolean) {
    setOpened(isOpened ? index : undefined);
    setPressed(keyOf(index));
  }
  function add() {
    // A set without conditions is about everybody, so a new one reaches nobody yet.
    edit.setFilters({ groups: [...sets, { properties: [], rollout_percentage: 0 }] });
    show(sets.length, true);
  }
  function remove(index: number) {
    edit.setFilters({ groups: sets.filter((_, at) => at !== index) });
    setOpened(undefined);
    setPressed(undefined);
    adding.current?.focus();
  }
  return (
    <section aria-label="Condition sets">
      <ol className={styles.sets}>
        {sets.map((set, index) => (
          <li key={keyOf(index)} className={styles.set}>
            <span className={styles.place}>{index + 1}</span>
            <div className={styles.words}>
              {index === open ? (
                <Chunk>
                  <ConditionFields
                    {...{ set, filters, names, refusal }}
                    attr={`filters__groups__${index}`}
                    autoFocus={pressed === keyOf(index)}
                    onChange={(part) => change(index, part)}
                    onRemove={() => remove(index)}
                    onClose={() => show(index, false)}
                  />
                </Chunk>
              ) : (
                <>
                  <SetWords set={set} isLater={index > 0} filters={filters} names={names} />
                  <Problem text={refusal.at(`filters__groups__${index}`)} />
                  {mayEdit && (
                    <Button
                      kind="quiet"
                      aria-label={`Edit the conditions of set ${index + 1}`}
                      autoFocus={pressed === keyOf(index)}
                      onPress={() => show(index, true)}
                    >
                      Edit
                    </Button>
                  )}
                </>
              )}
            </div>
            <div className={styles.share}>
              {mayEdit ? (
                <PercentField
                  label={`Percentage of set ${index + 1}`}
                  isLabelHidden
                  value={percentOf(set)}
                  onChange={(rollout_percentage) => change(index, { rollout_percentage })}
                />
              ) : (
                formatPercent(percentOf(set))
              )}
            </div>
            <span className={styles.outcome}>→ {outcomeOf(set, filters)}</span>
            {/* Counting may take the database seconds, so it waits until the fields are closed. */}
            {index !== open && refusal.at(`filters__groups__${index}`) === undefined && (
              <SetReach projectId={projectId} set={set} filters={filters} place={index} />
            )}
          </li>
        ))}
      </ol>
      {sets.length === 0 && <p className={styles.note}>No condition set: nobody gets it.</p>}
      <div className={styles.below}>
        {mayEdit && (
          <>
            <Button ref={adding} kind="quiet" onPress={add}>
              + Condition set
            </Button>
            <Button kind="quiet" onPress={() => setJson(true)}>
              Edit as JSON
            </Button>
          </>
        )}
        {open === undefined && <FlagReach projectId={projectId} filters={filters} />}
      </div>
      {isJson && <JsonEditor edit={edit} onClose={() => setJson(false)} />}
    </section>
  );
}

export function Problem({ text }: { text: string | undefined }) {
  return text === undefined ? null : (
    <p className={styles.problem} role="alert">
      {text}
    </p>
  );
}

type SetWordsProps = { set: ConditionSet; isLater: boolean; filters: Filters; names: Names };

export function SetWords({ set, isLater, filters, names }: SetWordsProps) {
  const conditions = conditionsOf(set);
  const index = groupTypeIndexOf(set, filters);
  const about = index === null ? undefined : names.groupType(index);
  return (
    <>
      {set.description && <div className="quiet">{set.description}</div>}
      {about !== undefined && <span className="quiet">{about}: </span>}
      {conditions.length === 0 && (about === undefined ? 'everybody' : 'all of them') + (isLater ? ' else' : '')}
      {conditions.map((condition, at) => (
        // Conditions have no ids either.
        <span key={`${at} ${condition.key}`}>
          {at > 0 && ' and '}
          <ConditionWords condition={condition} names={names} />
        </span>
      ))}
    </>
  );
}

export function ConditionWords({ condition, names }: { condition: Condition; names: Names }) {
  const { subject, verb, values, conjunction } = partsOf(condition, names);
  return (
    <>
      <code>{subject}</code> {verb}{' '}
      {values.map((value, at) => (
        <span key={value}>
          {at > 0 && (at === values.length - 1 ? ` ${conjunction} ` : ', ')}
          <code className={styles.value}>{value}</code>
        </span>
      ))}
    </>
  );
}

function outcomeOf(set: ConditionSet, { multivariate }: Filters): string {
  const variants = multivariate?.variants ?? [];
  if (set.variant) return set.variant;
  return variants.length === 0 ? 'on' : variants.map(({ key }) => key).join(' or ');
}
