/** The conditions of a set as fields. Conditions about cohorts and other flags are shown in words, and edited as JSON. */
import { useRef } from 'react';
import { Button } from '../../look/button.tsx';
import { TextField } from '../../look/field.tsx';
import { Select } from '../../look/select.tsx';
import { kindOf, operatorWords, OPERATORS, textOf, valueOf } from '../../exports/form/content/operators.ts';
import { useTypedText } from '../../exports/form/content/typed-text.ts';
import {
  conditionsOf,
  groupTypeIndexOf,
  type Condition,
  type ConditionSet,
  type Filters,
  type Names,
} from '../words/conditions.ts';
import { ConditionWords } from './condition-sets.tsx';
import styles from './flag-page.module.css';
import type { Refusal } from './use-refusal.ts';

type ConditionFieldsProps = {
  set: ConditionSet;
  /** The set's name in errors. */
  attr: string;
  filters: Filters;
  names: Names;
  refusal: Refusal;
  /** Whether the button that adds a condition takes the focus. */
  autoFocus: boolean;
  onChange: (set: Partial<ConditionSet>) => void;
  onRemove: () => void;
  onClose: () => void;
};

export function ConditionFields({
  set,
  attr,
  filters,
  names,
  refusal,
  autoFocus,
  onChange,
  onRemove,
  onClose,
}: ConditionFieldsProps) {
  const conditions = conditionsOf(set);
  const adding = useRef<HTMLButtonElement>(null);
  const groupType = groupTypeIndexOf(set, filters);
  const change = (properties: Condition[]) => onChange({ properties });
  const fresh = {
    key: '',
    operator: 'exact',
    ...(groupType === null ? { type: 'person' } : { type: 'group', group_type_index: groupType }),
  } as Condition;
  return (
    <div className={styles.conditions}>
      {conditions.length === 0 && <p className="quiet">Without a condition, the set is about everybody.</p>}
      {conditions.map((condition, index) => (
        // Conditions have no ids, so their index is the key.
        <div key={index} className={styles.condition} role="group" aria-label={`Condition ${index + 1}`}>
          {condition.type === 'cohort' || condition.type === 'flag' ? (
            <span>
              <ConditionWords condition={condition} names={names} />
            </span>
          ) : (
            <Fields
              condition={condition}
              at={(name) => refusal.at(`${attr}__properties__${index}__${name}`)}
              isNew={condition.key === ''}
              onChange={(part) => change(conditions.map((one, at) => (at === index ? { ...one, ...part } : one)))}
            />
          )}
          <Button
            kind="quiet"
            aria-label={`Remove condition ${index + 1}`}
            onPress={() => {
              change(conditions.filter((_, at) => at !== index));
              adding.current?.focus();
            }}
          >
            Remove
          </Button>
        </div>
      ))}
      <div>
        <Button ref={adding} kind="quiet" autoFocus={autoFocus} onPress={() => change([...conditions, fresh])}>
          + Condition
        </Button>
        <Button kind="quiet" onPress={onRemove}>
          Remove this set
        </Button>
        <Button kind="quiet" onPress={onClose}>
          Close
        </Button>
      </div>
    </div>
  );
}

/** Kinds whose input has several lines. */
const LINES: readonly string[] = ['list', 'bounds'];

/** @returns the value of a condition, from the text of its input */
function valueIn(operator: string, text: string): Condition['value'] {
  const kind = kindOf(operator);
  // A number stays text: flags compare with the number in it.
  const value = valueOf(kind === 'number' ? 'text' : kind, text) as Condition['value'];
  return operator.endsWith('_multi') && typeof value === 'string' ? [value] : value;
}

type FieldsProps = {
  condition: Condition;
  /** @returns the error at a field of the condition */
  at: (name: string) => string | undefined;
  isNew: boolean;
  onChange: (part: Partial<Condition>) => void;
};

function Fields({ condition, at, isNew, onChange }: FieldsProps) {
  const operator = condition.operator ?? 'exact';
  const kind = kindOf(operator);
  const [text, setTyped] = useTypedText(condition.value, (typed) => valueIn(operator, typed));
  return (
    <>
      <TextField
        label="Property"
        value={condition.key === undefined ? '' : String(condition.key)}
        onChange={(key) => onChange({ key })}
        error={at('key') ?? at('type')}
        placeholder="plan"
        autoComplete="off"
        autoFocus={isNew}
        mono
      />
      <Select
        label="Operator"
        options={[...new Set([...OPERATORS, operator])].map((one) => ({ value: one, label: operatorWords(one) }))}
        value={operator}
        onChange={(next) => {
          setTyped('');
          onChange({
            operator: next as NonNullable<Condition['operator']>,
            value: valueIn(next, textOf(condition.value)),
          });
        }}
        error={at('operator')}
      />
      {kind !== 'none' && (
        <TextField
          label={kind === 'list' ? 'Values, one per line' : kind === 'bounds' ? 'From and to, one per line' : 'Value'}
          value={text}
          onChange={(next) => {
            setTyped(next);
            onChange({ value: valueIn(operator, next) });
          }}
          error={at('value')}
          autoComplete="off"
          {...(LINES.includes(kind) && { lines: 2 })}
          {...(kind === 'date' && { placeholder: '2026-06-01 or -7d' })}
        />
      )}
    </>
  );
}
