/** Conditions that every exported row meets. The server's error names a filter by its number, and the form shows it at that filter. */
import { TextField } from '../../../look/field.tsx';
import { Select } from '../../../look/select.tsx';
import type { Model } from '../destination-types.ts';
import type { Filter, FilterType } from '../draft.ts';
import { useProblem } from '../problem.ts';
import { ItemList } from './item-list.tsx';
import { DEFAULT_OPERATOR, kindOf, operatorWords, textOf, valueOf } from './operators.ts';
import { useTypedText } from './typed-text.ts';

type FiltersProps = { filters: readonly Filter[]; onChange: (filters: readonly Filter[]) => void; model: Model };

export function Filters({ filters, onChange, model }: FiltersProps) {
  const problem = useProblem();
  const text = problem.under('filters');
  const [, place, detail] = /^Filter (\d+): ([^]*)$/.exec(text ?? '') ?? [];
  const refused = place === undefined ? undefined : Number(place) - 1;
  const isShown = refused !== undefined && refused < filters.length;
  return (
    <ItemList
      title="Filters"
      noun="filter"
      items={filters}
      onChange={onChange}
      newItem={{ key: '', type: model.filter_types[0]!, operator: DEFAULT_OPERATOR }}
      addLabel="Add a filter"
      empty="Every row is exported. Add a filter to export only rows that match it."
      error={isShown ? undefined : text}
      renderItem={(filter, index, isNew) => (
        <FilterFields
          {...{ filter, model, isNew }}
          error={refused === index ? detail : undefined}
          onChange={(changed) => onChange(filters.map((one, at) => (at === index ? changed : one)))}
        />
      )}
    />
  );
}

const EXPRESSION = 'hogql';

type FieldsProps = {
  filter: Filter;
  model: Model;
  error: string | undefined;
  isNew: boolean;
  onChange: (filter: Filter) => void;
};

function FilterFields({ filter, model, error, isNew, onChange }: FieldsProps) {
  const { key, type, value } = filter;
  const operator = filter.operator ?? DEFAULT_OPERATOR;
  const kind = kindOf(operator);
  const isExpression = type === EXPRESSION;
  const [text, setTyped] = useTypedText(value, (typed) => valueOf(kind, typed));
  const setText = (typed: string) => {
    setTyped(typed);
    onChange({ key, type, operator, value: valueOf(kind, typed) });
  };
  const setOperator = (next: string) => {
    setTyped('');
    onChange({ key, type, operator: next, value: valueOf(kindOf(next), textOf(value)) });
  };
  const operators = model.filter_operators.some((one) => one === operator)
    ? model.filter_operators
    : [...model.filter_operators, operator];
  return (
    <>
      <Select
        label="Of"
        options={model.filter_types.map((one) => ({ value: one, label: typeWords(one, model) }))}
        value={type}
        onChange={(next) =>
          onChange(next === EXPRESSION ? { key, type: EXPRESSION } : { key, type: next as FilterType, operator, value })
        }
      />
      <TextField
        label={isExpression ? 'Expression' : 'Property'}
        value={key}
        onChange={(next) => onChange({ ...filter, key: next })}
        placeholder={isExpression ? 'toFloat(properties.price) > 10' : 'plan'}
        mono={isExpression}
        autoFocus={isNew}
        autoComplete="off"
        // The error names the filter only, so it is shown at the filter's first text field.
        error={error}
      />
      {!isExpression && (
        <Select
          label="Condition"
          options={operators.map((one) => ({ value: one, label: operatorWords(one) }))}
          value={operator}
          onChange={setOperator}
        />
      )}
      {!isExpression && kind === 'bounds' && <Bounds value={value} onChange={setText} />}
      {!isExpression && kind !== 'none' && kind !== 'bounds' && (
        <TextField
          label={kind === 'list' ? 'Values' : 'Value'}
          value={text}
          onChange={setText}
          autoComplete="off"
          {...(kind === 'list' && { description: 'One per line.' })}
          {...(kind === 'list' && { lines: Math.min(8, Math.max(2, text.split('\n').length)) })}
          {...(kind === 'number' && { inputMode: 'decimal' as const })}
          {...(kind === 'date' && { placeholder: '2026-06-01 or -7d' })}
        />
      )}
    </>
  );
}

function Bounds({ value, onChange }: { value: unknown; onChange: (text: string) => void }) {
  const [low = '', high = ''] = textOf(value).split('\n');
  return (
    <>
      <TextField
        label="From"
        value={low}
        onChange={(text) => onChange(`${text}\n${high}`)}
        inputMode="decimal"
        autoComplete="off"
      />
      <TextField
        label="To"
        value={high}
        onChange={(text) => onChange(`${low}\n${text}`)}
        inputMode="decimal"
        autoComplete="off"
      />
    </>
  );
}

function typeWords(type: FilterType, { model }: Model): string {
  if (type === EXPRESSION) return 'Expression';
  if (type === 'person') return 'Person';
  return model === 'sessions' ? 'Session' : 'Event';
}
